#include <fmt/format.h>

#include <vector>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

// --- sets ---

Value contains_all(Evaluation& run, const Value& list, const Value& wanted) {
  for (std::uint32_t i = 0; i < wanted.list->size; ++i) {
    const Value found = list_contains(run.context, list, list_at(run.context, *wanted.list, i));
    if (!found.is_true()) return found;
  }
  return Value::of(true);
}

Value sets_contains(Evaluation& run, Args args) {
  return contains_all(run, args[0], args[1]);
}

Value sets_equivalent(Evaluation& run, Args args) {
  const Value one_way = contains_all(run, args[0], args[1]);
  return one_way.is_true() ? contains_all(run, args[1], args[0]) : one_way;
}

Value sets_intersects(Evaluation& run, Args args) {
  for (std::uint32_t i = 0; i < args[0].list->size; ++i) {
    const Value found = list_contains(run.context, args[1], list_at(run.context, *args[0].list, i));
    if (found.is_true() || run.context.cancelled != nullptr) return found;
  }
  return Value::of(false);
}

// --- optionals ---

Value of(Evaluation& run, Args args) {
  return run.context.optional(args[0]);
}
Value of_non_zero(Evaluation& run, Args args) {
  return is_zero(args[0]) ? Context::none() : run.context.optional(args[0]);
}
Value none(Evaluation&, Args) {
  return Context::none();
}
Value value(Evaluation& run, Args args) {
  return args[0].optional->present ? args[0].optional->value
                                   : run.context.error("optional.none() dereference");
}
Value has_value(Evaluation&, Args args) {
  return Value::of(args[0].optional->present);
}

Value first(Evaluation& run, Args args) {
  if (args[0].list->size == 0) return Context::none();
  return run.context.optional(list_at(run.context, *args[0].list, 0));
}
Value last(Evaluation& run, Args args) {
  if (args[0].list->size == 0) return Context::none();
  return run.context.optional(list_at(run.context, *args[0].list, args[0].list->size - 1));
}

Value unwrap(Evaluation& run, Args args) {
  std::vector<Value> values;
  for (std::uint32_t i = 0; i < args[0].list->size; ++i) {
    const Value item = list_at(run.context, *args[0].list, i);
    if (!item.is(Kind::optional)) {
      return run.context.error(fmt::format("value {} is not optional", go_text(item)));
    }
    if (item.optional->present) values.push_back(item.optional->value);
  }
  return run.context.list(values);
}

constexpr BindingRow sets[] = {
    {"list_sets_contains_list", sets_contains},
    {"list_sets_equivalent_list", sets_equivalent},
    {"list_sets_intersects_list", sets_intersects},
};

constexpr BindingRow optionals[] = {
    {"optional_of", of},
    {"optional_ofNonZeroValue", of_non_zero},
    {"optional_none", none, Trait::none, true},
    {"optional_value", value},
    {"optional_hasValue", has_value},
    {"list_first", first},
    {"list_last", last},
    {"optional_unwrap", unwrap},
    {"optional_unwrapOpt", unwrap},
};

}  // namespace

std::span<const BindingRow> set_bindings() {
  return sets;
}
std::span<const BindingRow> optional_bindings() {
  return optionals;
}

}  // namespace dray::cel
