#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "wire/policy/policy_examples.h"
#include "wire/policy/policy_shape.h"
#include "wire/yaml/yaml_json.h"

namespace dray::wire {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto quantity_pattern =
    "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$";
constexpr auto duration_pattern = "^([0-9]+(ms|w|d|h|m|s))+$";

using Examples = std::span<const KeyExample>;

Json schema_of(const PolicyShape& shape, const std::string& path, Examples examples);

Json from_yaml(std::string_view yaml) {
  return Json::parse(yaml_to_json(yaml).value_or("null"), nullptr, false);
}

Json quantity_schema(bool may_be_unlimited) {
  auto pattern = std::string(quantity_pattern);
  if (may_be_unlimited) pattern += "|^unlimited$";
  return {{"type", {"number", "string"}}, {"pattern", pattern}};
}

/// What editors show beside the key.
void describe(Json& property, const PolicyField& field, const std::string& path,
              Examples examples) {
  const auto example = example_of(path, *field.shape, examples);
  auto text = field.doc.empty() ? fmt::format("Always {}.", expected(*field.shape)) : field.doc;
  if (const auto unit = unit_of(path, field.shape->form, examples); !unit.empty()) {
    text += fmt::format(" Unit: {}.", unit);
  }
  property["description"] = text;
  if (!field.absent.empty()) property["default"] = from_yaml(field.absent);
  if (!example.empty()) property["examples"] = Json::array({from_yaml(example)});
}

Json object_schema(const PolicyShape& shape, const std::string& path, Examples examples) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const auto& field : shape.fields) {
    const auto below = path_below(path, field.key);
    auto property = schema_of(*field.shape, below, examples);
    describe(property, field, below, examples);
    properties[std::string(field.key)] = std::move(property);
    if (field.required) required.push_back(field.key);
  }
  Json schema{
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json plain_schema(const PolicyShape& shape, const std::string& path, Examples examples) {
  switch (shape.form) {
    case Form::object:
      return object_schema(shape, path, examples);
    case Form::map:
      return {{"type", "object"},
              {"additionalProperties", schema_of(*shape.item, path + ".NAME", examples)}};
    case Form::list:
      return {{"type", "array"}, {"items", schema_of(*shape.item, path + "[]", examples)}};
    case Form::text:
      return {{"type", "string"}};
    case Form::word:
      return {{"enum", shape.words}};
    case Form::boolean:
      return {{"type", "boolean"}};
    case Form::integer:
      return {{"type", "integer"}, {"minimum", shape.minimum}, {"maximum", INT32_MAX}};
    case Form::number:
      return {{"type", "number"}};
    case Form::quantity:
      return quantity_schema(false);
    case Form::bound:
      return quantity_schema(true);
    case Form::duration:
      return {{"type", "string"}, {"pattern", duration_pattern}};
    case Form::manifest:
      return {{"type", "object"}};
  }
  return Json::object();
}

Json schema_of(const PolicyShape& shape, const std::string& path, Examples examples) {
  auto schema = plain_schema(shape, path, examples);
  if (shape.alternative == nullptr) return schema;
  return {
      {"anyOf", Json::array({std::move(schema), schema_of(*shape.alternative, path, examples)})}};
}

}  // namespace

std::string json_schema(std::string_view title, const PolicyShape& shape, Examples examples) {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
  schema.update(schema_of(shape, "", examples));
  return schema.dump(2) + "\n";
}

std::string policy_schema() {
  return json_schema("dray policy", policy_shape(), key_examples());
}

}  // namespace dray::wire
