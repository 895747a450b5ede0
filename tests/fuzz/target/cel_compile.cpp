#include <string_view>

#include "dray/base/check.h"
#include "dray/cel/program.h"
#include "tests/fuzz/targets.h"

/// Any text compiles or is refused with a message, in both environments.
void dray::fuzz::cel_compile(std::string_view input) {
  if (input.size() > cel::max_expression_length) return;
  cel::CompileOptions options;
  options.purpose = cel::Purpose::any;
  for (const auto kind :
       {cel::Environment::Kind::stored, cel::Environment::Kind::new_expressions}) {
    options.environment.kind = kind;
    const auto program = cel::compile(input, options);
    DRAY_CHECK(program || !program.error().message.empty());
  }
}
