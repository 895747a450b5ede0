#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

/// The call's compiled pattern, or the computed one compiled into `own`.
const Regex* pattern_of(Evaluation& run, Args args, RegexUse use, std::optional<Regex>& own,
                        std::string& error) {
  if (run.call != nullptr && run.call->regex != nullptr) return run.call->regex;
  own = Regex::compile(args[1].text(), use, error);
  return own ? &*own : nullptr;
}

/// What Go has as a string inside: also an optional's value and a type's name, which the compiled
/// form of a call takes.
std::optional<std::string_view> native_text(const Value& value) {
  const Value* at = &value;
  while (at->is(Kind::optional) && at->optional->present) at = &at->optional->value;
  if (at->is(Kind::string)) return at->text();
  if (at->is(Kind::type)) return std::string_view(at->type->name());
  return std::nullopt;
}

/// The same for an int.
std::optional<std::int64_t> native_int(const Value& value) {
  const Value* at = &value;
  while (at->is(Kind::optional) && at->optional->present) at = &at->optional->value;
  return at->is(Kind::int64) ? std::optional(at->int64) : std::nullopt;
}

Value matches(Evaluation& run, Args args) {
  const auto text = native_text(args[0]);
  if (!text) return Context::no_such_overload();
  if (!args[1].is(Kind::string)) return Context::no_such_overload(args[1]);
  std::optional<Regex> own;
  std::string error;
  const Regex* regex = pattern_of(run, args, RegexUse::match, own, error);
  if (regex == nullptr) return run.context.error(error);
  return Value::of(regex->matches(*text));
}

Value find(Evaluation& run, Args args) {
  const auto text = native_text(args[0]);
  if (!text) return Context::no_such_overload(args[0]);
  std::optional<Regex> own;
  std::string error;
  const Regex* regex = pattern_of(run, args, RegexUse::find, own, error);
  if (regex == nullptr) return run.context.error("Illegal regex: " + error);
  return Value::of(regex->find(*text));
}

Value find_all(Evaluation& run, Args args) {
  const auto text = native_text(args[0]);
  if (!text) return Context::no_such_overload(args[0]);
  std::int64_t limit = -1;
  if (args.size() == 3) {
    const auto number = native_int(args[2]);
    if (!number) return Context::no_such_overload(args[2]);
    limit = std::clamp<std::int64_t>(*number, -1, std::numeric_limits<int>::max());
  }
  std::optional<Regex> own;
  std::string error;
  const Regex* regex = pattern_of(run, args, RegexUse::find, own, error);
  if (regex == nullptr) return run.context.error("Illegal regex: " + error);
  std::vector<Value> found;
  for (const std::string_view match : regex->find_all(*text, static_cast<int>(limit))) {
    found.push_back(Value::of(match));
  }
  return run.context.list(found);
}

constexpr BindingRow regex_rows[] = {
    {"=matches", matches, Trait::matcher},
    {"string_find_string", find},
    {"string_find_all_string", find_all},
    {"string_find_all_string_int", find_all, Trait::none, true},
};

}  // namespace

std::span<const BindingRow> regex_bindings() {
  return regex_rows;
}

}  // namespace dray::cel
