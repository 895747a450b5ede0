#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <expected>
#include <vector>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/text/format_text.h"
#include "cel/text/number_text.h"
#include "cel/text/time_text.h"
#include "cel/text/utf8.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;
using Text = std::expected<std::string, std::string>;

Text formatted(Context& context, const Value& value);

/// What stands in a list or map: texts are quoted.
Text literal(Context& context, const Value& value) {
  switch (value.kind) {
    case Kind::string:
      return quote(value.text());
    case Kind::bytes: {
      auto text = formatted(context, value);
      return text ? Text("b" + quote(*text)) : text;
    }
    case Kind::timestamp:
      return "timestamp(" + quote(timestamp_text(*value.timestamp)) + ")";
    case Kind::duration:
      return "duration(" + quote(duration_seconds_text(value.nanoseconds)) + ")";
    case Kind::float64:
      if (std::isnan(value.float64)) return "\"NaN\"";
      if (std::isinf(value.float64)) return value.float64 < 0 ? "\"-Inf\"" : "\"+Inf\"";
      return fmt::format("{:.6f}", value.float64);
    case Kind::null:
    case Kind::boolean:
    case Kind::int64:
    case Kind::uint64:
    case Kind::type:
    case Kind::list:
    case Kind::map:
      return formatted(context, value);
    default:
      return std::unexpected("no formatting function for " + type_of(value).name());
  }
}

Text formatted_list(Context& context, const ListValue& list) {
  std::string out = "[";
  for (std::uint32_t i = 0; i < list.size; ++i) {
    if (i != 0) out += ", ";
    auto item = literal(context, list_at(context, list, i));
    if (!item) return item;
    out += *item;
    if (!context.afford(out.size())) return out;
  }
  return out + "]";
}

Text formatted_map(Context& context, const MapValue& map) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::uint32_t i = 0; i < map.size; ++i) {
    const MapEntry entry = map_at(context, map, i);
    switch (entry.key.kind) {
      case Kind::string:
      case Kind::boolean:
      case Kind::int64:
      case Kind::uint64:
        break;
      default:
        return std::unexpected("no formatting function for map key of type " +
                               type_of(entry.key).name());
    }
    auto key = literal(context, entry.key);
    auto value = literal(context, entry.value);
    if (!key || !value) return key ? value : key;
    entries.emplace_back(*std::move(key), *std::move(value));
  }
  std::ranges::stable_sort(entries, {}, &std::pair<std::string, std::string>::first);
  std::string out = "{";
  for (const auto& [key, value] : entries) {
    if (out.size() > 1) out += ", ";
    out += key;
    out += ':';
    out += value;
    if (!context.afford(out.size())) return out;
  }
  return out + "}";
}

/// %s
Text formatted(Context& context, const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
    case Kind::int64:
    case Kind::uint64:
    case Kind::float64:
    case Kind::string:
      return go_text(value);
    case Kind::type:
      return value.type->name();
    case Kind::bytes:
      if (!valid_utf8(value.text())) {
        return std::unexpected(
            "could not convert argument &{%!q(*errors.errorString=&{invalid UTF-8 in bytes, "
            "cannot convert to string}) '\\x00'} to string");
      }
      return std::string(value.text());
    case Kind::duration:
      return duration_seconds_text(value.nanoseconds);
    case Kind::timestamp:
      return timestamp_text(*value.timestamp);
    case Kind::list:
      return formatted_list(context, *value.list);
    case Kind::map:
      return formatted_map(context, *value.map);
    default:
      return std::unexpected(
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, durations, and timestamps, was given " +
          type_of(value).name());
  }
}

Text decimal(const Value& value) {
  if (value.is(Kind::int64) || value.is(Kind::uint64)) return go_text(value);
  return std::unexpected("decimal clause can only be used on integers, was given " +
                         type_of(value).name());
}

/// %f and %e.
Text floating(const Value& value, const FormatClause& clause) {
  const bool fixed = clause.verb == 'f';
  double number = value.float64;
  if (value.is(Kind::string)) {
    const std::string_view text = value.text();
    if (text == "NaN" || text == "Infinity" || text == "-Infinity") {
      number = *parse_double(text);
    } else {
      return std::unexpected(fmt::format("{} clause can only be used on doubles, was given string",
                                         fixed ? "fixed-point" : "scientific"));
    }
  } else if (!value.is(Kind::float64)) {
    return std::unexpected(fmt::format("{} clause can only be used on doubles, was given {}",
                                       fixed ? "fixed-point" : "scientific",
                                       type_of(value).name()));
  }
  return fixed ? fixed_text(number, clause.precision.value_or(6))
               : scientific_text(number, clause.precision.value_or(6));
}

Text binary(const Value& value) {
  if (value.is(Kind::boolean)) return value.boolean ? "1" : "0";
  if (value.is(Kind::int64)) return fmt::format("{:b}", value.int64);
  if (value.is(Kind::uint64)) return fmt::format("{:b}", value.uint64);
  return std::unexpected("only integers and bools can be formatted as binary, was given " +
                         type_of(value).name());
}

Text hexadecimal(const Value& value, bool upper) {
  std::string out;
  if (value.is(Kind::int64)) {
    out = fmt::format("{:x}", value.int64);
  } else if (value.is(Kind::uint64)) {
    out = fmt::format("{:x}", value.uint64);
  } else if (value.is(Kind::string) || value.is(Kind::bytes)) {
    for (const char c : value.text()) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  } else {
    return std::unexpected(
        "only integers, byte buffers, and strings can be formatted as hex, was given " +
        type_of(value).name());
  }
  if (upper)
    std::ranges::transform(out, out.begin(), [](char c) {
      return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  return out;
}

Text octal(const Value& value) {
  if (value.is(Kind::int64)) return fmt::format("{:o}", value.int64);
  if (value.is(Kind::uint64)) return fmt::format("{:o}", value.uint64);
  return std::unexpected("octal clause can only be used on integers, was given " +
                         type_of(value).name());
}

Text clause_text(Context& context, const Value& value, const FormatClause& clause) {
  switch (clause.verb) {
    case 's':
      return formatted(context, value);
    case 'd':
      return decimal(value);
    case 'f':
    case 'e':
      return floating(value, clause);
    case 'b':
      return binary(value);
    case 'o':
      return octal(value);
    default:
      return hexadecimal(value, clause.verb == 'X');
  }
}

Value format(Evaluation& run, Args args) {
  Context& context = run.context;
  std::string_view rest = args[0].text();
  const ListValue& list = *args[1].list;
  std::string out;
  std::uint32_t next = 0;
  while (!rest.empty()) {
    const char c = rest[0];
    rest.remove_prefix(1);
    if (c != '%') {
      out += c;
      continue;
    }
    if (rest.starts_with('%')) {
      out += '%';
      rest.remove_prefix(1);
      continue;
    }
    if (next >= list.size) return context.error(fmt::format("index {} out of range", next));
    if (rest.empty()) return context.error("unexpected end of string");
    std::string error;
    const auto clause = read_clause(rest, error);
    if (!clause) return context.error("could not parse formatting clause: " + error);
    auto text = clause_text(context, list_at(context, list, next++), *clause);
    if (!text) return context.error("error during formatting: " + text.error());
    out += *text;
    if (!context.afford(out.size())) return context.cancel({});
  }
  return context.string(out);
}

constexpr BindingRow format_rows[] = {{"string_format", format, Trait::none, true}};

}  // namespace

std::span<const BindingRow> format_bindings() {
  return format_rows;
}

}  // namespace dray::cel
