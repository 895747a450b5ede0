#include <cmath>
#include <limits>

#include "cel/value/values.h"

namespace dray::cel {

namespace {

constexpr double two_to_63 = 9223372036854775808.0;
constexpr double two_to_64 = 18446744073709551616.0;

int sign_of(bool less, bool greater) {
  return less ? -1 : (greater ? 1 : 0);
}

int compare_double(double a, double b) {
  return sign_of(a<b, a> b);
}

int compare_double_int(double d, std::int64_t i) {
  if (d < -two_to_63) return -1;
  if (d > two_to_63) return 1;
  return compare_double(d, static_cast<double>(i));
}

int compare_double_uint(double d, std::uint64_t u) {
  if (d < 0) return -1;
  if (d > two_to_64) return 1;
  return compare_double(d, static_cast<double>(u));
}

int compare_int_uint(std::int64_t i, std::uint64_t u) {
  if (i < 0 || u > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return -1;
  return sign_of(static_cast<std::uint64_t>(i) < u, static_cast<std::uint64_t>(i) > u);
}

bool is_number(const Value& v) {
  return v.is(Kind::int64) || v.is(Kind::uint64) || v.is(Kind::float64);
}

/// Both are numbers and none is NaN.
int compare_numbers(const Value& a, const Value& b) {
  switch (a.kind) {
    case Kind::int64:
      if (b.is(Kind::int64)) return sign_of(a.int64<b.int64, a.int64> b.int64);
      if (b.is(Kind::uint64)) return compare_int_uint(a.int64, b.uint64);
      return -compare_double_int(b.float64, a.int64);
    case Kind::uint64:
      if (b.is(Kind::int64)) return -compare_int_uint(b.int64, a.uint64);
      if (b.is(Kind::uint64)) return sign_of(a.uint64<b.uint64, a.uint64> b.uint64);
      return -compare_double_uint(b.float64, a.uint64);
    default:
      if (b.is(Kind::int64)) return compare_double_int(a.float64, b.int64);
      if (b.is(Kind::uint64)) return compare_double_uint(a.float64, b.uint64);
      return compare_double(a.float64, b.float64);
  }
}

bool is_nan(const Value& v) {
  return v.is(Kind::float64) && std::isnan(v.float64);
}

Value equal_lists(Context& context, const Value& a, const Value& b) {
  if (!b.is(Kind::list) || a.list->size != b.list->size) return Value::of(false);
  Value failed;
  for (std::uint32_t i = 0; i < a.list->size; ++i) {
    const Value same = equal(context, list_at(context, *a.list, i), list_at(context, *b.list, i));
    if (context.cancelled != nullptr) return same;
    if (same.is_false()) return same;
    // Only a joined list passes its elements' errors on.
    if (same.is_error() && a.list->form == ListValue::Form::joined && !failed.is_error()) {
      failed = same;
    }
  }
  return failed.is_error() ? failed : Value::of(true);
}

Value equal_maps(Context& context, const Value& a, const Value& b) {
  if (!b.is(Kind::map) || a.map->size != b.map->size) return Value::of(false);
  for (std::uint32_t i = 0; i < a.map->size; ++i) {
    const MapEntry entry = map_at(context, *a.map, i);
    const Found other = map_find(context, *b.map, entry.key);
    if (!other.found) return Value::of(false);
    const Value same = equal(context, entry.value, other.value);
    if (same.is_false() || context.cancelled != nullptr) return same;
  }
  return Value::of(true);
}

Value equal_optionals(Context& context, const Value& a, const Value& b) {
  if (!b.is(Kind::optional)) return Value::of(false);
  if (!a.optional->present || !b.optional->present) {
    return Value::of(a.optional->present == b.optional->present);
  }
  return equal_values(context, a.optional->value, b.optional->value);
}

int compare_times(const TimestampValue& a, const TimestampValue& b) {
  if (a.seconds != b.seconds) return a.seconds < b.seconds ? -1 : 1;
  return sign_of(a.nanoseconds<b.nanoseconds, a.nanoseconds> b.nanoseconds);
}

/// The Kubernetes types: another type on the right is an error, not false.
Value equal_object(const Value& a, const Value& b) {
  if (b.kind != a.kind) return Context::no_such_overload(b);
  switch (a.kind) {
    case Kind::quantity:
      if (b.computed) return Context::no_such_overload();
      return Value::of(*a.quantity == *b.quantity);
    case Kind::semver:
      return Value::of(*a.semver == *b.semver);
    case Kind::ip:
      return Value::of(*a.ip == *b.ip);
    case Kind::cidr:
      return Value::of(*a.cidr == *b.cidr);
    case Kind::url:
      return Value::of(a.url->text == b.url->text);
    default:
      return Value::of(a.format == b.format);
  }
}

}  // namespace

Value equal(Context& context, const Value& a, const Value& b) {
  if (a.is(Kind::null) || b.is(Kind::null)) return Value::of(a.kind == b.kind);
  return equal_values(context, a, b);
}

Value equal_values(Context& context, const Value& a, const Value& b) {
  switch (a.kind) {
    case Kind::null:
      return Value::of(b.is(Kind::null));
    case Kind::boolean:
      return Value::of(b.is(Kind::boolean) && a.boolean == b.boolean);
    case Kind::int64:
    case Kind::uint64:
    case Kind::float64:
      return Value::of(is_number(b) && !is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0);
    case Kind::string:
    case Kind::bytes:
      return Value::of(b.kind == a.kind && a.text() == b.text());
    case Kind::list:
      return equal_lists(context, a, b);
    case Kind::map:
      return equal_maps(context, a, b);
    case Kind::type:
      return Value::of(b.is(Kind::type) && a.type->name() == b.type->name());
    case Kind::duration:
      return Value::of(b.is(Kind::duration) && a.nanoseconds == b.nanoseconds);
    case Kind::timestamp:
      return Value::of(b.is(Kind::timestamp) && compare_times(*a.timestamp, *b.timestamp) == 0);
    case Kind::optional:
      return equal_optionals(context, a, b);
    case Kind::error:
      return a;
    default:
      return equal_object(a, b);
  }
}

Value compare(Context& context, const Value& a, const Value& b) {
  const auto ordered = [](int order) { return Value::of(static_cast<std::int64_t>(order)); };
  if (is_number(a)) {
    if (is_nan(a)) return context.error("NaN values cannot be ordered");
    if (!is_number(b)) return Context::no_such_overload(b);
    if (is_nan(b)) return context.error("NaN values cannot be ordered");
    return ordered(compare_numbers(a, b));
  }
  if (b.kind != a.kind) return Context::no_such_overload(b);
  switch (a.kind) {
    case Kind::boolean:
      return ordered(sign_of(!a.boolean && b.boolean, a.boolean && !b.boolean));
    case Kind::string:
    case Kind::bytes: {
      const int order = a.text().compare(b.text());
      return ordered(sign_of(order < 0, order > 0));
    }
    case Kind::duration:
      return ordered(sign_of(a.nanoseconds<b.nanoseconds, a.nanoseconds> b.nanoseconds));
    case Kind::timestamp:
      return ordered(compare_times(*a.timestamp, *b.timestamp));
    default:
      return Context::no_such_overload();
  }
}

bool double_to_int(double value, std::int64_t& out) {
  if (std::isnan(value) || value <= -two_to_63 || value >= two_to_63) return false;
  out = static_cast<std::int64_t>(value);
  return true;
}

bool double_to_uint(double value, std::uint64_t& out) {
  if (std::isnan(value) || value < 0 || value >= two_to_64) return false;
  out = static_cast<std::uint64_t>(value);
  return true;
}

bool hashable(const Value& value) {
  return !value.is(Kind::bytes) && !value.is(Kind::semver) && !value.is(Kind::format);
}

int compare_keys(const Value& a, const Value& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  switch (a.kind) {
    case Kind::null:
      return 0;
    case Kind::boolean:
      return sign_of(a.boolean<b.boolean, a.boolean> b.boolean);
    case Kind::int64:
    case Kind::duration:
      return sign_of(a.int64<b.int64, a.int64> b.int64);
    case Kind::uint64:
      return sign_of(a.uint64<b.uint64, a.uint64> b.uint64);
    case Kind::float64:
      // A NaN is a key of its own each time, which who looks for equal keys has to know.
      if (std::isnan(a.float64)) return std::isnan(b.float64) ? 0 : 1;
      if (std::isnan(b.float64)) return -1;
      return compare_double(a.float64, b.float64);
    case Kind::string: {
      const int order = a.text().compare(b.text());
      return sign_of(order < 0, order > 0);
    }
    case Kind::type: {
      const int order = a.type->name().compare(b.type->name());
      return sign_of(order < 0, order > 0);
    }
    case Kind::timestamp:
      if (const int order = compare_times(*a.timestamp, *b.timestamp); order != 0) return order;
      return sign_of(a.timestamp->zone<b.timestamp->zone, a.timestamp->zone> b.timestamp->zone);
    case Kind::ip:
      if (*a.ip == *b.ip) return 0;
      break;
    case Kind::cidr:
      if (*a.cidr == *b.cidr) return 0;
      break;
    default:
      break;
  }
  // Go compares the pointers behind all others.
  return sign_of(a.uint64<b.uint64, a.uint64> b.uint64);
}

}  // namespace dray::cel
