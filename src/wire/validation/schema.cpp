#include "wire/validation/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "dray/base/suggest.h"
#include "dray/base/time.h"
#include "wire/yaml/yaml_scalar.h"

namespace dray::wire {
namespace {

/// What a value is, in words; and what a field wants.
std::string_view kind_name(const ConfigNode& node, std::string_view json) {
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return "null";
    case ConfigNode::Kind::list:
      return "a list";
    case ConfigNode::Kind::map:
      return "a map";
    case ConfigNode::Kind::scalar:
      break;
  }
  if (json == "true" || json == "false") return "a boolean";
  return json.starts_with('"') ? "a string" : "a number";
}

std::string_view wanted_name(const ValueSchema& schema) {
  switch (schema.kind) {
    case ValueSchema::Kind::text:
      return "a string";
    case ValueSchema::Kind::integer:
      return "an integer";
    case ValueSchema::Kind::boolean:
      return "a boolean";
    case ValueSchema::Kind::quantity:
      return "a quantity";
    case ValueSchema::Kind::time:
      return "a time such as 2006-01-02T15:04:05Z";
    case ValueSchema::Kind::raw:
    case ValueSchema::Kind::object:
    case ValueSchema::Kind::ignored:
      return "a map";
  }
  return "";
}

class SchemaChecker {
 public:
  explicit SchemaChecker(FieldErrors& errors) : errors_(errors) {}

  void object(const Field& field, const ObjectSchema& schema) {
    if (!field.present()) return;
    if (field.node()->kind != ConfigNode::Kind::map) return wrong(field, "a map");
    std::set<std::string_view> seen;
    for (const auto& member : field.members()) {
      const auto at = field.member(member);
      if (!seen.insert(member.key).second) {
        errors_.add(at,
                    fmt::format("strict decoding error: duplicate field {}", go_quoted(at.path())));
        continue;
      }
      const auto known = std::ranges::find(schema.fields, member.key, &FieldSchema::name);
      if (known == schema.fields.end()) {
        unknown(at, member.key, schema);
      } else {
        value(at, known->value);
      }
    }
  }

 private:
  void unknown(const Field& at, const std::string& key, const ObjectSchema& schema) {
    std::vector<std::string> names;
    for (const auto& known : schema.fields) {
      names.emplace_back(known.name);
      if (known.value.object == nullptr || known.value.many != ValueSchema::Many::one) continue;
      // It is there, a level deeper.
      const auto& inner = known.value.object->fields;
      if (std::ranges::find(inner, key, &FieldSchema::name) == inner.end()) continue;
      return errors_.add(at, fmt::format("strict decoding error: unknown field {}; did you mean "
                                         "{}.{}?",
                                         go_quoted(at.path()), known.name, key));
    }
    errors_.add(at, fmt::format("strict decoding error: unknown field {}{}", go_quoted(at.path()),
                                suggest(key, names)));
  }

  void value(const Field& field, const ValueSchema& schema) {
    if (!field.present() || schema.kind == ValueSchema::Kind::ignored) return;
    const auto kind = field.node()->kind;
    if (schema.many == ValueSchema::Many::list) {
      if (kind != ConfigNode::Kind::list) return wrong(field, "a list");
      for (const auto& item : field.items()) single(item, schema);
    } else if (schema.many == ValueSchema::Many::map) {
      if (kind != ConfigNode::Kind::map) return wrong(field, "a map");
      // Paths of decoders do not tell maps from objects.
      for (const auto& member : field.members()) single(field.member(member), schema);
    } else {
      single(field, schema);
    }
  }

  void single(const Field& field, const ValueSchema& schema) {
    if (!field.present() || schema.kind == ValueSchema::Kind::raw) return;
    if (schema.kind == ValueSchema::Kind::object) return object(field, *schema.object);
    const auto& node = *field.node();
    if (node.kind != ConfigNode::Kind::scalar) return wrong(field, wanted_name(schema));
    const auto json = node.quoted ? std::string("\"\"") : plain_scalar_to_json(node.text);
    const bool is_text = json.starts_with('"');
    const bool is_boolean = json == "true" || json == "false";
    switch (schema.kind) {
      case ValueSchema::Kind::text:
        if (!is_text) wrong(field, wanted_name(schema));
        break;
      case ValueSchema::Kind::integer:
        if (is_text || is_boolean || json.find_first_not_of("-0123456789") != std::string::npos) {
          wrong(field, wanted_name(schema));
        }
        break;
      case ValueSchema::Kind::boolean:
        if (!is_boolean) wrong(field, wanted_name(schema));
        break;
      case ValueSchema::Kind::quantity:
        if (is_boolean) return wrong(field, wanted_name(schema));
        if (const auto parsed = Quantity::parse(node.text); !parsed) {
          errors_.invalid(field, node.text, parsed.error().message);
        }
        break;
      case ValueSchema::Kind::time:
        if (!is_text || !parse_time(node.text)) wrong(field, wanted_name(schema));
        break;
      case ValueSchema::Kind::raw:
      case ValueSchema::Kind::object:
      case ValueSchema::Kind::ignored:
        break;
    }
  }

  void wrong(const Field& field, std::string_view wanted) {
    const auto& node = *field.node();
    const bool plain = node.kind == ConfigNode::Kind::scalar && !node.quoted;
    const auto json = plain ? plain_scalar_to_json(node.text) : std::string("\"\"");
    errors_.add(field, fmt::format("expected {}, not {}", wanted, kind_name(node, json)));
  }

  FieldErrors& errors_;
};

}  // namespace

void check_schema(const Field& field, const ObjectSchema& schema, FieldErrors& errors) {
  SchemaChecker(errors).object(field, schema);
}

}  // namespace dray::wire
