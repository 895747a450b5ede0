#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dray/base/check.h"
#include "dray/cel/program.h"

/// Any text compiles or is refused with a message, in both environments.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > dray::cel::max_expression_length) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dray::cel::CompileOptions options;
  options.purpose = dray::cel::Purpose::any;
  for (const auto kind :
       {dray::cel::Environment::Kind::stored, dray::cel::Environment::Kind::new_expressions}) {
    options.environment.kind = kind;
    const auto program = dray::cel::compile(text, options);
    DRAY_CHECK(program || !program.error().message.empty());
  }
  return 0;
}
