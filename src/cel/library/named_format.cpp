#include <algorithm>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/value/values.h"
#include "dray/cel/named_format.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

Value value_of(const NamedFormat& format) {
  Value value;
  value.kind = Kind::format;
  value.format = &format;
  return value;
}

/// `format.uuid()`: the call's own name says which.
Value constant(Evaluation& run, Args) {
  const std::string_view name = run.call->function.substr(std::string_view("format.").size());
  return value_of(*std::ranges::find(named_formats(), name, &NamedFormat::name));
}

Value named(Evaluation& run, Args args) {
  const auto found = std::ranges::find(named_formats(), args[0].text(), &NamedFormat::name);
  return found == named_formats().end() ? Context::none() : run.context.optional(value_of(*found));
}

Value validate(Evaluation& run, Args args) {
  std::vector<Value> problems;
  for (const std::string& problem : args[0].format->problems(args[1].text())) {
    problems.push_back(run.context.string(problem));
  }
  if (problems.empty()) return Context::none();
  return run.context.optional(run.context.list(problems));
}

constexpr BindingRow named_format_rows[] = {
    {"format.dns1123Label", constant, Trait::none, true},
    {"format.dns1123Subdomain", constant, Trait::none, true},
    {"format.dns1035Label", constant, Trait::none, true},
    {"format.qualifiedName", constant, Trait::none, true},
    {"format.dns1123LabelPrefix", constant, Trait::none, true},
    {"format.dns1123SubdomainPrefix", constant, Trait::none, true},
    {"format.dns1035LabelPrefix", constant, Trait::none, true},
    {"format.labelValue", constant, Trait::none, true},
    {"format.uri", constant, Trait::none, true},
    {"format.uuid", constant, Trait::none, true},
    {"format.byte", constant, Trait::none, true},
    {"format.date", constant, Trait::none, true},
    {"format.datetime", constant, Trait::none, true},
    {"format-named", named},
    {"format-validate", validate},
};

}  // namespace

std::span<const BindingRow> named_format_bindings() {
  return named_format_rows;
}

}  // namespace dray::cel
