#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/text/time_text.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

Value int_overflow(Context& context) {
  return context.error("integer overflow");
}
Value uint_overflow(Context& context) {
  return context.error("unsigned integer overflow");
}

// --- times ---

/// A time from seconds and any number of nanoseconds, in the zone of `like`.
Value time_at(Context& context, std::int64_t seconds, std::int64_t nanoseconds,
              const TimestampValue& like) {
  constexpr std::int64_t second = 1'000'000'000;
  std::int64_t carry = nanoseconds / second;
  nanoseconds -= carry * second;
  if (nanoseconds < 0) {
    nanoseconds += second;
    --carry;
  }
  if (__builtin_add_overflow(seconds, carry, &seconds)) return int_overflow(context);
  if (seconds < first_timestamp || seconds > last_timestamp) {
    return context.error("timestamp overflow");
  }
  return context.timestamp(seconds, static_cast<std::int32_t>(nanoseconds), like.zone);
}

Value time_plus(Context& context, const TimestampValue& time, std::int64_t duration) {
  constexpr std::int64_t second = 1'000'000'000;
  std::int64_t seconds = 0;
  if (__builtin_add_overflow(time.seconds, duration / second, &seconds)) {
    return int_overflow(context);
  }
  return time_at(context, seconds, time.nanoseconds + duration % second, time);
}

Value time_minus_time(Context& context, const TimestampValue& a, const TimestampValue& b) {
  std::int64_t difference = a.seconds - b.seconds;  // both are within years 1 to 9999
  if (__builtin_mul_overflow(difference, std::int64_t{1'000'000'000}, &difference) ||
      __builtin_add_overflow(difference, std::int64_t{a.nanoseconds} - b.nanoseconds,
                             &difference)) {
    return int_overflow(context);
  }
  return Context::duration(difference);
}

// --- arithmetic ---

Value add_durations(Context& context, const Value& a, const Value& b) {
  if (b.is(Kind::timestamp)) return time_plus(context, *b.timestamp, a.nanoseconds);
  if (!b.is(Kind::duration)) return Context::no_such_overload(b);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a.nanoseconds, b.nanoseconds, &sum)) return int_overflow(context);
  return Context::duration(sum);
}

Value concatenate(Context& context, const Value& a, const Value& b) {
  const std::size_t size = std::size_t{a.size} + b.size;
  if (!context.afford(size)) return context.cancel({});
  char* text = static_cast<char*>(context.arena.allocate(size + 1, 1));
  // Not memcpy: an empty one may have no address.
  std::copy_n(b.chars, b.size, std::copy_n(a.chars, a.size, text));
  return Value::of(std::string_view(text, size), a.kind);
}

}  // namespace

Value add_values(Context& context, const Value& a, const Value& b) {
  switch (a.kind) {
    case Kind::list:
      return list_add(context, a, b);
    case Kind::duration:
      return add_durations(context, a, b);
    case Kind::timestamp:
      return b.is(Kind::duration) ? time_plus(context, *a.timestamp, b.nanoseconds)
                                  : Context::no_such_overload(b);
    default:
      break;
  }
  if (a.kind != b.kind) return Context::no_such_overload(b);
  switch (a.kind) {
    case Kind::int64: {
      std::int64_t sum = 0;
      if (__builtin_add_overflow(a.int64, b.int64, &sum)) return int_overflow(context);
      return Value::of(sum);
    }
    case Kind::uint64: {
      std::uint64_t sum = 0;
      if (__builtin_add_overflow(a.uint64, b.uint64, &sum)) return uint_overflow(context);
      return Value::of(sum);
    }
    case Kind::float64:
      return Value::of(a.float64 + b.float64);
    default:
      return concatenate(context, a, b);
  }
}

namespace {

Value add(Evaluation& run, Args args) {
  return add_values(run.context, args[0], args[1]);
}

Value subtract(Evaluation& run, Args args) {
  const auto& [a, b] = std::tie(args[0], args[1]);
  Context& context = run.context;
  if (a.is(Kind::timestamp)) {
    if (b.is(Kind::timestamp)) return time_minus_time(context, *a.timestamp, *b.timestamp);
    if (!b.is(Kind::duration)) return Context::no_such_overload(b);
    if (b.nanoseconds == std::numeric_limits<std::int64_t>::min()) return int_overflow(context);
    return time_plus(context, *a.timestamp, -b.nanoseconds);
  }
  if (a.kind != b.kind) return Context::no_such_overload(b);
  if (a.is(Kind::float64)) return Value::of(a.float64 - b.float64);
  if (a.is(Kind::uint64)) {
    return b.uint64 > a.uint64 ? uint_overflow(context) : Value::of(a.uint64 - b.uint64);
  }
  Value difference = a;
  if (__builtin_sub_overflow(a.int64, b.int64, &difference.int64)) return int_overflow(context);
  return difference;
}

Value multiply(Evaluation& run, Args args) {
  const auto& [a, b] = std::tie(args[0], args[1]);
  if (a.kind != b.kind) return Context::no_such_overload(b);
  if (a.is(Kind::float64)) return Value::of(a.float64 * b.float64);
  if (a.is(Kind::uint64)) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a.uint64, b.uint64, &product)) return uint_overflow(run.context);
    return Value::of(product);
  }
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a.int64, b.int64, &product)) return int_overflow(run.context);
  return Value::of(product);
}

bool overflows_divided(const Value& a, const Value& b) {
  return b.int64 == -1 && a.int64 == std::numeric_limits<std::int64_t>::min();
}

Value divide(Evaluation& run, Args args) {
  const auto& [a, b] = std::tie(args[0], args[1]);
  if (a.kind != b.kind) return Context::no_such_overload(b);
  if (a.is(Kind::float64)) return Value::of(a.float64 / b.float64);
  if (b.uint64 == 0) return run.context.error("division by zero");
  if (a.is(Kind::uint64)) return Value::of(a.uint64 / b.uint64);
  if (overflows_divided(a, b)) return int_overflow(run.context);
  return Value::of(a.int64 / b.int64);
}

Value modulo(Evaluation& run, Args args) {
  const auto& [a, b] = std::tie(args[0], args[1]);
  if (a.kind != b.kind) return Context::no_such_overload(b);
  if (b.uint64 == 0) return run.context.error("modulus by zero");
  if (a.is(Kind::uint64)) return Value::of(a.uint64 % b.uint64);
  if (overflows_divided(a, b)) return int_overflow(run.context);
  return Value::of(a.int64 % b.int64);
}

Value negate(Evaluation& run, Args args) {
  Value value = args[0];
  if (value.is(Kind::boolean)) return Context::no_such_overload();
  if (value.is(Kind::float64)) return Value::of(-value.float64);
  if (value.int64 == std::numeric_limits<std::int64_t>::min()) return int_overflow(run.context);
  value.int64 = -value.int64;  // ints and durations
  return value;
}

Value logical_not(Evaluation&, Args args) {
  return args[0].is(Kind::boolean) ? Value::of(!args[0].boolean)
                                   : Context::no_such_overload(args[0]);
}

Value not_strictly_false(Evaluation&, Args args) {
  return args[0].is(Kind::boolean) ? args[0] : Value::of(true);
}

// --- comparisons ---

template <bool less, bool same, bool greater>
Value ordered(Evaluation& run, Args args) {
  const Value order = compare(run.context, args[0], args[1]);
  if (!order.is(Kind::int64)) return order;
  return Value::of(order.int64 < 0 ? less : (order.int64 > 0 ? greater : same));
}

Value in_container(Evaluation& run, Args args) {
  const auto& [element, container] = std::tie(args[0], args[1]);
  if (container.is(Kind::list)) return list_contains(run.context, container, element);
  if (!container.is(Kind::map)) return Context::no_such_overload(container);
  const Found found = map_find(run.context, *container.map, element);
  if (found.value.is_error()) return found.value;
  // The empty map that stands in for an unknown domain is not a member.
  const bool stand_in = container.map->form == MapValue::Form::domains && !found.value.map->known;
  return Value::of(found.found && !stand_in);
}

Value size(Evaluation&, Args args) {
  return Value::of(static_cast<std::int64_t>(actual_size(args[0])));
}

constexpr BindingRow operators_rows[] = {
    {"=!_", logical_not},
    {"not_strictly_false", not_strictly_false},
    {"=_+_", add, Trait::adder},
    {"=_-_", subtract, Trait::subtractor},
    {"=_*_", multiply, Trait::multiplier},
    {"=_/_", divide, Trait::divider},
    {"=_%_", modulo, Trait::modder},
    {"=-_", negate, Trait::negator},
    {"=_<_", ordered<true, false, false>, Trait::comparer},
    {"=_<=_", ordered<true, true, false>, Trait::comparer},
    {"=_>_", ordered<false, false, true>, Trait::comparer},
    {"=_>=_", ordered<false, true, true>, Trait::comparer},
    {"=@in", in_container},
    {"=size", size, Trait::sizer},
};

}  // namespace

std::span<const BindingRow> operator_bindings() {
  return operators_rows;
}

}  // namespace dray::cel
