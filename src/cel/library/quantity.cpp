#include <limits>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

Value quantity(Evaluation& run, Args args) {
  auto parsed = Quantity::parse(args[0].text());
  if (!parsed) return run.context.error(parsed.error().message);
  return run.context.quantity(*std::move(parsed), false);
}

Value is_quantity(Evaluation&, Args args) {
  return Value::of(Quantity::parse(args[0].text()).has_value());
}

Value sign(Evaluation&, Args args) {
  return Value::of(static_cast<std::int64_t>(args[0].quantity->sign()));
}

std::int64_t quantity_order(Args args) {
  const auto result = *args[0].quantity <=> *args[1].quantity;
  return result < 0 ? -1 : (result > 0 ? 1 : 0);
}

Value quantity_is_greater(Evaluation&, Args args) {
  return Value::of(quantity_order(args) > 0);
}
Value quantity_is_less(Evaluation&, Args args) {
  return Value::of(quantity_order(args) < 0);
}
Value compare_quantity(Evaluation&, Args args) {
  return Value::of(quantity_order(args));
}

Value as_double(Evaluation&, Args args) {
  return Value::of(args[0].quantity->as_approximate_double());
}
Value is_integer(Evaluation&, Args args) {
  return Value::of(args[0].quantity->as_int64().has_value());
}
Value as_integer(Evaluation& run, Args args) {
  const auto units = args[0].quantity->as_int64();
  return units ? Value::of(*units) : run.context.error("cannot convert value to integer");
}

Value add_quantity(Evaluation& run, Args args) {
  return run.context.quantity(*args[0].quantity + *args[1].quantity, true);
}
Value add_int(Evaluation& run, Args args) {
  return run.context.quantity(*args[0].quantity + Quantity(args[1].int64), true);
}
Value subtract_quantity(Evaluation& run, Args args) {
  return run.context.quantity(*args[0].quantity - *args[1].quantity, true);
}
Value subtract_int(Evaluation& run, Args args) {
  // Where both are int64 upstream negates and adds, and the smallest int64 is its own negation.
  const std::int64_t amount = args[1].int64;
  if (amount == std::numeric_limits<std::int64_t>::min() &&
      args[0].quantity->as_int64().value_or(-1) >= 0) {
    return add_int(run, args);
  }
  return run.context.quantity(*args[0].quantity - Quantity(amount), true);
}

constexpr BindingRow quantity_rows[] = {
    {"string_to_quantity", quantity},
    {"is_quantity_string", is_quantity},
    {"quantity_sign", sign},
    {"quantity_is_greater_than", quantity_is_greater},
    {"quantity_is_less_than", quantity_is_less},
    {"quantity_compare_to", compare_quantity},
    {"quantity_get_float", as_double},
    {"quantity_get_int", as_integer},
    {"quantity_is_integer", is_integer},
    {"quantity_add", add_quantity},
    {"quantity_add_int", add_int},
    {"quantity_sub", subtract_quantity},
    {"quantity_sub_int", subtract_int},
};

}  // namespace

std::span<const BindingRow> quantity_bindings() {
  return quantity_rows;
}

}  // namespace dray::cel
