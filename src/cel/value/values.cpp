#include "cel/value/values.h"

#include <fmt/format.h>

#include "cel/text/net_text.h"
#include "cel/text/number_text.h"
#include "cel/text/time_text.h"
#include "cel/text/utf8.h"

namespace dray::cel {

const Type& type_of(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return types::null;
    case Kind::boolean:
      return types::boolean;
    case Kind::int64:
      return types::int64;
    case Kind::uint64:
      return types::uint64;
    case Kind::float64:
      return types::float64;
    case Kind::string:
      return types::string;
    case Kind::bytes:
      return types::bytes;
    case Kind::list:
      return types::list_of_dyn;
    case Kind::map:
      return types::map_of_dyn;
    case Kind::type:
      return types::type;
    case Kind::duration:
      return types::duration;
    case Kind::timestamp:
      return types::timestamp;
    case Kind::optional:
      return types::optional_of_dyn;
    case Kind::quantity:
      return types::quantity;
    case Kind::semver:
      return types::semver;
    case Kind::ip:
      return types::ip;
    case Kind::cidr:
      return types::cidr;
    case Kind::url:
      return types::url;
    case Kind::format:
      return types::named_format;
    case Kind::error:
      return types::error;
  }
  return types::error;
}

std::string_view go_type(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "types.Null";
    case Kind::boolean:
      return "types.Bool";
    case Kind::int64:
      return "types.Int";
    case Kind::uint64:
      return "types.Uint";
    case Kind::float64:
      return "types.Double";
    case Kind::string:
      return "types.String";
    case Kind::bytes:
      return "types.Bytes";
    case Kind::list:
      if (value.list->form == ListValue::Form::joined) return "*types.concatList";
      return value.list->form == ListValue::Form::growing ? "*types.mutableList"
                                                          : "*types.baseList";
    case Kind::map:
      if (value.map->form == MapValue::Form::domains) return "cel.mapper";
      return value.map->form == MapValue::Form::growing ? "*types.mutableMap" : "*types.baseMap";
    case Kind::type:
      return "*types.Type";
    case Kind::duration:
      return "types.Duration";
    case Kind::timestamp:
      return "types.Timestamp";
    case Kind::optional:
      return "*types.Optional";
    case Kind::quantity:
      return value.computed ? "*cel.Quantity" : "cel.Quantity";
    case Kind::semver:
      return "cel.Semver";
    case Kind::ip:
      return "cel.IP";
    case Kind::cidr:
      return "cel.CIDR";
    case Kind::url:
      return "cel.URL";
    case Kind::format:
      return "cel.Format";
    case Kind::error:
      return "*types.Err";
  }
  return "";
}

namespace {

std::string bytes_text(std::string_view bytes) {
  std::string out = "[";
  for (const char c : bytes) {
    if (out.size() > 1) out += ' ';
    out += fmt::format("{}", static_cast<unsigned char>(c));
  }
  return out + "]";
}

std::string container_text(const Value& value) {
  Context scratch;
  std::string out;
  if (value.is(Kind::list)) {
    for (std::uint32_t i = 0; i < value.list->size; ++i) {
      if (i != 0) out += ", ";
      out += go_text(list_at(scratch, *value.list, i));
    }
    return "[" + out + "]";
  }
  for (std::uint32_t i = 0; i < value.map->size; ++i) {
    if (i != 0) out += ", ";
    const MapEntry entry = map_at(scratch, *value.map, i);
    out += go_text(entry.key) + ": " + go_text(entry.value);
  }
  return "{" + out + "}";
}

}  // namespace

std::string go_text(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "0";
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::int64:
      return std::to_string(value.int64);
    case Kind::uint64:
      return std::to_string(value.uint64);
    case Kind::float64:
      return format_double_g(value.float64);
    case Kind::string:
      return std::string(value.text());
    case Kind::bytes:
      return bytes_text(value.text());
    case Kind::list:
    case Kind::map:
      return container_text(value);
    case Kind::type:
      return plain_text(*value.type);
    case Kind::duration:
      return duration_go_text(value.nanoseconds);
    case Kind::timestamp:
      return timestamp_go_text(*value.timestamp);
    case Kind::optional:
      return value.optional->present ? "optional(" + go_text(value.optional->value) + ")"
                                     : "optional.none()";
    case Kind::quantity:
      return value.quantity->to_string();
    case Kind::semver:
      return value.semver->to_string();
    case Kind::ip:
      return ip_text(*value.ip);
    case Kind::cidr:
      return cidr_text(*value.cidr);
    case Kind::url:
      return std::string(value.url->text);
    case Kind::format:
      return "{}";
    case Kind::error:
      return error_text(*value.error);
  }
  return {};
}

std::string error_text(const ErrorValue& error) {
  switch (error.code) {
    case ErrorValue::Code::no_such_key:
      return "no such key: " + go_text(error.argument);
    case ErrorValue::Code::index_out_of_bounds:
      return "index out of bounds: " + go_text(error.argument);
    case ErrorValue::Code::text:
      break;
  }
  return std::string(error.text);
}

bool takes(Context& context, const Type& type, const Value& value) {
  if (value.is_error()) return false;
  if (type.is_dyn() || type.kind() == TypeKind::param) return true;
  if (type.name() != type_of(value).name()) return false;
  if (type.kind() == TypeKind::list && value.list->size > 0) {
    return takes(context, *type.params()[0], list_at(context, *value.list, 0));
  }
  if (type.kind() == TypeKind::map && value.map->size > 0) {
    const MapEntry first = map_at(context, *value.map, 0);
    return takes(context, *type.params()[0], first.key) &&
           takes(context, *type.params()[1], first.value);
  }
  return true;
}

bool is_zero(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return !value.boolean;
    case Kind::int64:
    case Kind::uint64:
    case Kind::duration:
      return value.uint64 == 0;
    case Kind::float64:
      return value.float64 == 0;
    case Kind::string:
    case Kind::bytes:
      return value.size == 0;
    case Kind::list:
      return value.list->size == 0;
    case Kind::map:
      return value.map->size == 0;
    case Kind::timestamp:  // Go's zero time: year 1
      return value.timestamp->seconds == -62135596800 && value.timestamp->nanoseconds == 0;
    default:
      return false;
  }
}

namespace {

constexpr unsigned bit(Trait trait) {
  return 1U << static_cast<unsigned>(trait);
}

constexpr unsigned traits_of(Kind kind) {
  using enum Trait;
  constexpr unsigned number =
      bit(adder) | bit(comparer) | bit(divider) | bit(multiplier) | bit(subtractor);
  switch (kind) {
    case Kind::boolean:
      return bit(comparer) | bit(negator);
    case Kind::bytes:
      return bit(adder) | bit(comparer) | bit(sizer);
    case Kind::float64:
      return number | bit(negator);
    case Kind::int64:
      return number | bit(negator) | bit(modder);
    case Kind::uint64:
      return number | bit(modder);
    case Kind::duration:
      return bit(adder) | bit(comparer) | bit(negator) | bit(receiver) | bit(subtractor);
    case Kind::timestamp:
      return bit(adder) | bit(comparer) | bit(receiver) | bit(subtractor);
    case Kind::string:
      return bit(adder) | bit(comparer) | bit(matcher) | bit(receiver) | bit(sizer);
    case Kind::list:
      return bit(adder) | bit(indexer) | bit(iterable) | bit(sizer) | bit(list);
    case Kind::map:
      return bit(indexer) | bit(iterable) | bit(sizer);
    default:
      return 0;
  }
}

}  // namespace

bool has_trait(const Value& value, Trait trait) {
  return trait == Trait::none || (traits_of(value.kind) & bit(trait)) != 0;
}

std::uint64_t size_of(const Value& value, bool& sized) {
  sized = true;
  switch (value.kind) {
    case Kind::string:
      return rune_count(value.text());
    case Kind::bytes:
      return value.size;
    case Kind::list:
      return value.list->size;
    case Kind::map:
      return value.map->size;
    case Kind::ip:
      return value.ip->is_v4 ? 4 : 16;
    case Kind::cidr:
      return static_cast<std::uint64_t>((value.cidr->bits + 7) / 8);
    default:
      sized = false;
      return 1;
  }
}

}  // namespace dray::cel
