#include "cel/value/value_text.h"

#include <fmt/format.h>

#include <cmath>

#include "cel/text/net_text.h"
#include "cel/text/number_text.h"
#include "cel/text/time_text.h"
#include "cel/value/values.h"
#include "dray/cel/named_format.h"

namespace dray::cel {
namespace {

/// Elements of a list or map that are shown.
constexpr std::uint32_t shown_elements = 16;

std::string call(std::string_view function, std::string_view argument) {
  return fmt::format("{}({})", function, quote(argument));
}

/// Where it needs neither a point nor an exponent, a double would read as an int.
std::string double_literal(double value) {
  std::string text = format_double_g(value);
  if (!std::isfinite(value)) return call("double", text);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Bytes need not be text: what is not plain ASCII is escaped.
std::string bytes_literal(std::string_view bytes) {
  std::string text = "b\"";
  for (const char c : bytes) {
    if (c < ' ' || c > '~') {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string list_text(const ListValue& list) {
  Context scratch;
  std::string text = "[";
  for (std::uint32_t i = 0; i < list.size; ++i) {
    if (i > 0) text += ", ";
    if (i == shown_elements) return text + "…]";
    text += value_text(list_at(scratch, list, i));
  }
  return text + "]";
}

std::string map_text(const MapValue& map) {
  Context scratch;
  std::string text = "{";
  for (std::uint32_t i = 0; i < map.size; ++i) {
    if (i > 0) text += ", ";
    if (i == shown_elements) return text + "…}";
    const MapEntry entry = map_at(scratch, map, i);
    text += value_text(entry.key) + ": " + value_text(entry.value);
  }
  return text + "}";
}

}  // namespace

std::string value_text(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::int64:
      return fmt::format("{}", value.int64);
    case Kind::uint64:
      return fmt::format("{}u", value.uint64);
    case Kind::float64:
      return double_literal(value.float64);
    case Kind::string:
      return quote(value.text());
    case Kind::bytes:
      return bytes_literal(value.text());
    case Kind::list:
      return list_text(*value.list);
    case Kind::map:
      return map_text(*value.map);
    case Kind::type:
      return value.type->name();
    case Kind::duration:
      return call("duration", duration_seconds_text(value.nanoseconds));
    case Kind::timestamp:
      return call("timestamp", timestamp_text(*value.timestamp));
    case Kind::optional:
      return value.optional->present ? "optional.of(" + value_text(value.optional->value) + ")"
                                     : "optional.none()";
    case Kind::quantity:
      return call("quantity", value.quantity->to_string());
    case Kind::semver:
      return call("semver", value.semver->to_string());
    case Kind::ip:
      return call("ip", ip_text(*value.ip));
    case Kind::cidr:
      return call("cidr", cidr_text(*value.cidr));
    case Kind::url:
      return call("url", value.url->text);
    case Kind::format:
      return fmt::format("format.{}()", value.format->name);
    case Kind::error:
      return error_text(*value.error);
  }
  return {};
}

}  // namespace dray::cel
