#include "tests/cases/cel_values.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "cel/text/net_text.h"
#include "cel/text/number_text.h"
#include "cel/text/time_text.h"
#include "cel/text/utf8.h"
#include "cel/value/values.h"
#include "dray/cel/named_format.h"

namespace dray::cases {

namespace {

std::string base64(std::string_view bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group =
          (group << 8U) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? digits[(group >> (18U - 6U * k)) & 63U] : '=';
    }
  }
  return out;
}

std::string unbase64(const std::string& text) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = (group << 6U) | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits >= 8) out += static_cast<char>((group >> (bits -= 8)) & 0xFFU);
  }
  return out;
}

Json double_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return cel::format_double_g(value);
}

Json items(const cel::ListValue& list) {
  cel::Context scratch;
  Json out = Json::array();
  for (std::uint32_t i = 0; i < list.size; ++i) {
    out.push_back(typed_value(cel::list_at(scratch, list, i)));
  }
  return out;
}

Json entries(const cel::MapValue& map) {
  cel::Context scratch;
  Json out = Json::array();
  for (std::uint32_t i = 0; i < map.size; ++i) {
    const cel::MapEntry entry = cel::map_at(scratch, map, i);
    out.push_back(Json::array({typed_value(entry.key), typed_value(entry.value)}));
  }
  return out;
}

}  // namespace

Json typed_value(const cel::Value& v) {
  using cel::Kind;
  switch (v.kind) {
    case Kind::null:
      return {{"null", nullptr}};
    case Kind::boolean:
      return {{"bool", v.boolean}};
    case Kind::int64:
      return {{"int", std::to_string(v.int64)}};
    case Kind::uint64:
      return {{"uint", std::to_string(v.uint64)}};
    case Kind::float64:
      return {{"double", double_json(v.float64)}};
    case Kind::string:
      if (!cel::valid_utf8(v.text())) return {{"string_b64", base64(v.text())}};
      return {{"string", std::string(v.text())}};
    case Kind::bytes:
      return {{"bytes", base64(v.text())}};
    case Kind::list:
      return {{"list", items(*v.list)}};
    case Kind::map:
      return {{"map", entries(*v.map)}};
    case Kind::type:
      return {{"type", v.type->name()}};
    case Kind::duration:
      return {{"duration", cel::duration_seconds_text(v.nanoseconds)}};
    case Kind::timestamp:
      return {{"timestamp", cel::timestamp_text(*v.timestamp)}};
    case Kind::optional:
      return {{"optional", v.optional->present ? typed_value(v.optional->value) : Json()}};
    case Kind::quantity:
      return {{"quantity", v.quantity->to_decimal()}};
    case Kind::semver:
      return {{"semver", v.semver->to_string()}};
    case Kind::ip:
      return {{"ip", cel::ip_text(*v.ip)}};
    case Kind::cidr:
      return {{"cidr", cel::cidr_text(*v.cidr)}};
    case Kind::url:
      return {{"url", std::string(v.url->text)}};
    case Kind::format:
      return {{"format", std::string(v.format->shown)}};
    case Kind::error:
      return {{"error", cel::error_text(*v.error)}};
  }
  return {};
}

namespace {

AttributeValue attribute(const Json& json) {
  const auto versions = [](const Json& texts) {
    std::vector<VersionText> out;
    for (const Json& text : texts) out.emplace_back(text.get<std::string>());
    return out;
  };
  const auto has = [&](const char* key) { return json.contains(key) && !json[key].is_null(); };
  if (has("ints")) return json["ints"].get<std::vector<std::int64_t>>();
  if (has("bools")) return json["bools"].get<std::vector<bool>>();
  if (has("strings")) return json["strings"].get<std::vector<std::string>>();
  if (has("versions")) return versions(json["versions"]);
  if (has("int")) return json["int"].get<std::int64_t>();
  if (has("bool")) return json["bool"].get<bool>();
  if (has("string")) return json["string"].get<std::string>();
  if (has("version")) return VersionText(json["version"].get<std::string>());
  return std::monostate{};
}

}  // namespace

cel::DeviceShapeHandle device_shape(cel::Interner& interner, const Json& device) {
  Attributes attributes;
  cel::Capacities capacity;
  const auto each = [&](const char* key, auto take) {
    if (!device.is_object() || !device.contains(key) || device[key].is_null()) return;
    for (const auto& [name, value] : device[key].items()) take(name, value);
  };
  each("attributes",
       [&](const std::string& name, const Json& v) { attributes[name] = attribute(v); });
  each("capacity", [&](const std::string& name, const Json& v) {
    const std::string text =
        v.is_object() ? v.at("value").get<std::string>() : v.get<std::string>();
    capacity[name].value = Quantity::parse(text).value();
  });
  const bool multiple = device.is_object() && device.contains("allowMultipleAllocations") &&
                        device["allowMultipleAllocations"].is_boolean() &&
                        device["allowMultipleAllocations"].get<bool>();
  const std::string driver = device.is_object() ? device.value("driver", "") : "";
  return interner.intern(driver, attributes, capacity, multiple);
}

void declare(const Json& json, cel::Environment& environment) {
  environment.container = json.value("container", "");
  if (!json.contains("type_env")) return;
  for (const Json& one : json["type_env"]) {
    if (one.contains("overloads")) {
      cel::FunctionDeclaration& function = environment.functions.emplace_back();
      function.name = one["name"].get<std::string>();
      for (const Json& overload : one["overloads"]) {
        function.overloads.push_back({overload["id"].get<std::string>(),
                                      overload.value("member", false),
                                      overload["params"].get<std::vector<std::string>>(),
                                      overload["result"].get<std::string>()});
      }
    }
    if (!one.contains("type")) continue;
    environment.variables.push_back(
        {one["name"].get<std::string>(), one["type"].get<std::string>()});
  }
}

namespace {

/// Memory of the values that a case binds; one case at a time.
cel::Context& binding_memory() {
  static cel::Context context;
  return context;
}

cel::Value value_of(const Json& json) {
  using cel::Value;
  cel::Context& memory = binding_memory();
  const auto only = json.begin();
  const std::string& key = only.key();
  const Json& inner = only.value();
  const std::string text = inner.is_string() ? inner.get<std::string>() : "";
  if (key == "bool") return Value::of(inner.get<bool>());
  if (key == "int") return Value::of(*cel::parse_int(text));
  if (key == "uint") return Value::of(*cel::parse_uint(text));
  if (key == "double") return Value::of(*cel::parse_double(text));
  if (key == "string") return memory.string(text);
  if (key == "bytes") return memory.bytes(unbase64(text));
  if (key == "duration") return cel::Context::duration(*cel::parse_duration(text));
  if (key == "timestamp") {
    const auto time = *cel::parse_timestamp(text);
    return memory.timestamp(time.seconds, time.nanoseconds, time.zone);
  }
  if (key == "list") {
    std::vector<Value> list;
    for (const Json& item : inner) list.push_back(value_of(item));
    return memory.list(list);
  }
  if (key == "map") {
    std::vector<cel::MapEntry> map;
    for (const Json& entry : inner) map.push_back({value_of(entry[0]), value_of(entry[1])});
    return memory.map(map);
  }
  if (key == "null") return Value{};
  throw std::runtime_error("a binding of kind " + key);
}

}  // namespace

std::vector<cel::Value> bindings(const Json& json, const cel::Environment& environment) {
  std::vector<cel::Value> values;
  for (const auto& variable : environment.variables) {
    const bool bound = json.contains("bindings") && json["bindings"].contains(variable.name);
    values.push_back(bound ? value_of(json["bindings"][variable.name]) : cel::Value{});
  }
  return values;
}

}  // namespace dray::cases
