#include <nlohmann/json.hpp>

#include "wire/policy/policy_shape.h"

namespace dray::wire {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto quantity_pattern =
    "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$";
constexpr auto duration_pattern = "^([0-9]+(ms|w|d|h|m|s))+$";

Json schema_of(const PolicyShape& shape);

Json quantity_schema(bool may_be_unlimited) {
  auto pattern = std::string(quantity_pattern);
  if (may_be_unlimited) pattern += "|^unlimited$";
  return {{"type", {"number", "string"}}, {"pattern", pattern}};
}

Json object_schema(const PolicyShape& shape) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const auto& field : shape.fields) {
    auto property = schema_of(*field.shape);
    if (!field.doc.empty()) property["description"] = field.doc;
    properties[std::string(field.key)] = std::move(property);
    if (field.required) required.push_back(field.key);
  }
  Json schema{
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json plain_schema(const PolicyShape& shape) {
  switch (shape.form) {
    case Form::object:
      return object_schema(shape);
    case Form::map:
      return {{"type", "object"}, {"additionalProperties", schema_of(*shape.item)}};
    case Form::list:
      return {{"type", "array"}, {"items", schema_of(*shape.item)}};
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
  }
  return Json::object();
}

Json schema_of(const PolicyShape& shape) {
  auto schema = plain_schema(shape);
  if (shape.alternative == nullptr) return schema;
  return {{"anyOf", Json::array({std::move(schema), schema_of(*shape.alternative)})}};
}

}  // namespace

std::string policy_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "dray policy"}};
  schema.update(schema_of(policy_shape()));
  return schema.dump(2) + "\n";
}

}  // namespace dray::wire
