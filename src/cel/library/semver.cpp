#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

Result<Semver> parsed(Args args) {
  const bool normalize = args.size() == 2 && args[1].boolean;
  return normalize ? Semver::parse_tolerant(args[0].text()) : Semver::parse(args[0].text());
}

Value semver(Evaluation& run, Args args) {
  auto version = parsed(args);
  if (!version) return run.context.error(version.error().message);
  return run.context.semver(*std::move(version));
}

Value is_semver(Evaluation&, Args args) {
  return Value::of(parsed(args).has_value());
}

// As upstream, numbers beyond int64 wrap.
Value major(Evaluation&, Args args) {
  return Value::of(static_cast<std::int64_t>(args[0].semver->major));
}
Value minor(Evaluation&, Args args) {
  return Value::of(static_cast<std::int64_t>(args[0].semver->minor));
}
Value patch(Evaluation&, Args args) {
  return Value::of(static_cast<std::int64_t>(args[0].semver->patch));
}

std::int64_t semver_order(Args args) {
  const auto result = *args[0].semver <=> *args[1].semver;
  return result < 0 ? -1 : (result > 0 ? 1 : 0);
}

Value semver_is_greater(Evaluation&, Args args) {
  return Value::of(semver_order(args) > 0);
}
Value semver_is_less(Evaluation&, Args args) {
  return Value::of(semver_order(args) < 0);
}
Value compare_semver(Evaluation&, Args args) {
  return Value::of(semver_order(args));
}

constexpr BindingRow semver_rows[] = {
    {"string_to_semver", semver},
    {"string_bool_to_semver", semver},
    {"is_semver_string", is_semver},
    {"is_semver_string_bool", is_semver},
    {"semver_major", major},
    {"semver_minor", minor},
    {"semver_patch", patch},
    {"semver_is_greater_than", semver_is_greater},
    {"semver_is_less_than", semver_is_less},
    {"semver_compare_to", compare_semver},
};

}  // namespace

std::span<const BindingRow> semver_bindings() {
  return semver_rows;
}

}  // namespace dray::cel
