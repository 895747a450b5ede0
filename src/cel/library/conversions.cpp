#include <fmt/format.h>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/text/net_text.h"
#include "cel/text/number_text.h"
#include "cel/text/time_text.h"
#include "cel/text/utf8.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

Value same(Evaluation&, Args args) {
  return args[0];
}

Value cannot(Context& context, std::string_view from, std::string_view to) {
  return context.error(fmt::format("type conversion error from '{}' to '{}'", from, to));
}

Value type_of_value(Evaluation&, Args args) {
  return Context::type(type_of(args[0]));
}

// --- from strings ---

Value string_to_bool(Evaluation& run, Args args) {
  const auto value = parse_bool(args[0].text());
  return value ? Value::of(*value) : cannot(run.context, "string", "bool");
}
Value string_to_int(Evaluation& run, Args args) {
  const auto value = parse_int(args[0].text());
  return value ? Value::of(*value) : cannot(run.context, "string", "int");
}
Value string_to_uint(Evaluation& run, Args args) {
  const auto value = parse_uint(args[0].text());
  return value ? Value::of(*value) : cannot(run.context, "string", "uint");
}
Value string_to_double(Evaluation& run, Args args) {
  const auto value = parse_double(args[0].text());
  return value ? Value::of(*value) : cannot(run.context, "string", "double");
}
Value string_to_bytes(Evaluation&, Args args) {
  return Value::of(args[0].text(), Kind::bytes);
}
Value string_to_duration(Evaluation& run, Args args) {
  const auto value = parse_duration(args[0].text());
  return value ? Context::duration(*value) : cannot(run.context, "string", types::duration.name());
}
Value string_to_timestamp(Evaluation& run, Args args) {
  const auto time = parse_timestamp(args[0].text());
  if (!time) return cannot(run.context, "string", types::timestamp.name());
  if (time->seconds < first_timestamp || time->seconds > last_timestamp) {
    return run.context.error("timestamp overflow");
  }
  return run.context.timestamp(time->seconds, time->nanoseconds, time->zone);
}

// --- between numbers and times ---

Value uint_to_int(Evaluation& run, Args args) {
  const auto value = static_cast<std::int64_t>(args[0].uint64);
  return value < 0 ? run.context.error("integer overflow") : Value::of(value);
}
Value double_to_int64(Evaluation& run, Args args) {
  std::int64_t value = 0;
  return double_to_int(args[0].float64, value) ? Value::of(value)
                                               : run.context.error("integer overflow");
}
Value duration_to_int(Evaluation&, Args args) {
  return Value::of(args[0].nanoseconds);
}
Value timestamp_to_int(Evaluation&, Args args) {
  return Value::of(args[0].timestamp->seconds);
}
Value int_to_uint(Evaluation& run, Args args) {
  if (args[0].int64 < 0) return run.context.error("unsigned integer overflow");
  return Value::of(static_cast<std::uint64_t>(args[0].int64));
}
Value double_to_uint64(Evaluation& run, Args args) {
  std::uint64_t value = 0;
  return double_to_uint(args[0].float64, value) ? Value::of(value)
                                                : run.context.error("unsigned integer overflow");
}
Value int_to_double(Evaluation&, Args args) {
  return Value::of(static_cast<double>(args[0].int64));
}
Value uint_to_double(Evaluation&, Args args) {
  return Value::of(static_cast<double>(args[0].uint64));
}
Value int_to_timestamp(Evaluation& run, Args args) {
  if (args[0].int64 < first_timestamp || args[0].int64 > last_timestamp) {
    return run.context.error("timestamp overflow");
  }
  return run.context.timestamp(args[0].int64, 0, 0);
}

// --- to strings ---

Value bool_to_string(Evaluation&, Args args) {
  return Value::of(std::string_view(args[0].boolean ? "true" : "false"));
}
Value int_to_string(Evaluation& run, Args args) {
  return run.context.string(std::to_string(args[0].int64));
}
Value uint_to_string(Evaluation& run, Args args) {
  return run.context.string(std::to_string(args[0].uint64));
}
Value double_to_string(Evaluation& run, Args args) {
  return run.context.string(format_double_g(args[0].float64));
}
Value bytes_to_string(Evaluation& run, Args args) {
  if (!valid_utf8(args[0].text())) {
    return run.context.error("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Value::of(args[0].text());
}
Value duration_to_string(Evaluation& run, Args args) {
  return run.context.string(duration_seconds_text(args[0].nanoseconds));
}
Value timestamp_to_string(Evaluation& run, Args args) {
  return run.context.string(timestamp_text(*args[0].timestamp));
}
Value ip_to_string(Evaluation& run, Args args) {
  return run.context.string(ip_text(*args[0].ip));
}
Value cidr_to_string(Evaluation& run, Args args) {
  return run.context.string(cidr_text(*args[0].cidr));
}

constexpr BindingRow conversions_rows[] = {
    {"=type", type_of_value},
    {"=dyn", same},
    {"bool_to_bool", same},
    {"string_to_bool", string_to_bool},
    {"bytes_to_bytes", same},
    {"string_to_bytes", string_to_bytes},
    {"double_to_double", same},
    {"int64_to_double", int_to_double},
    {"string_to_double", string_to_double},
    {"uint64_to_double", uint_to_double},
    {"duration_to_duration", same},
    {"string_to_duration", string_to_duration},
    {"int64_to_int64", same},
    {"double_to_int64", double_to_int64},
    {"duration_to_int64", duration_to_int},
    {"string_to_int64", string_to_int},
    {"timestamp_to_int64", timestamp_to_int},
    {"uint64_to_int64", uint_to_int},
    {"string_to_string", same},
    {"bool_to_string", bool_to_string},
    {"bytes_to_string", bytes_to_string},
    {"double_to_string", double_to_string},
    {"duration_to_string", duration_to_string},
    {"int64_to_string", int_to_string},
    {"timestamp_to_string", timestamp_to_string},
    {"uint64_to_string", uint_to_string},
    {"ip_to_string", ip_to_string},
    {"cidr_to_string", cidr_to_string},
    {"timestamp_to_timestamp", same},
    {"int64_to_timestamp", int_to_timestamp},
    {"string_to_timestamp", string_to_timestamp},
    {"uint64_to_uint64", same},
    {"double_to_uint64", double_to_uint64},
    {"int64_to_uint64", int_to_uint},
    {"string_to_uint64", string_to_uint},
};

}  // namespace

std::span<const BindingRow> conversion_bindings() {
  return conversions_rows;
}

}  // namespace dray::cel
