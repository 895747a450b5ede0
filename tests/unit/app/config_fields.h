#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/config_file.h"

// Files whose fields are a command's flags: their fields, and a JSON Schema (draft 7) of them.

namespace dray::app {

struct Field {
  std::string flag;
  std::string name;
  std::string type;  ///< of JSON Schema
  std::string what;
  std::string standing;  ///< without it; empty: nothing
  std::vector<std::string> words;
  bool list = false;
};

inline Field field_of(const CLI::Option& option) {
  Field field;
  field.flag = option.get_lnames().front();
  field.name = field_name(field.flag);
  field.what = option.get_description();
  field.standing = option.get_default_str();
  const auto type = option.get_type_name();
  field.list = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() == 0 || type.starts_with("BOOLEAN")) {
    field.type = "boolean";
    if (field.standing.empty()) field.standing = "false";
  } else if (type.starts_with("UINT") || type.starts_with("INT")) {
    field.type = "integer";
  } else if (type.starts_with("FLOAT")) {
    field.type = "number";
  } else {
    field.type = "string";
  }
  const auto open = type.find('{');
  const auto close = type.find('}');
  if (open != std::string::npos && close != std::string::npos) {
    for (std::size_t at = open + 1; at < close;) {
      const auto end = std::min(type.find(',', at), close);
      field.words.push_back(type.substr(at, end - at));
      at = end + 1;
    }
  }
  return field;
}

/// But for the flag that names such a file.
inline std::vector<Field> fields_of(const CLI::App& command, std::string_view own_flag) {
  std::vector<Field> all;
  for (const auto* option : command.get_options()) {
    const auto& names = option->get_lnames();
    if (names.empty() || names.front() == "help" || names.front() == own_flag) continue;
    all.push_back(field_of(*option));
  }
  return all;
}

/// Values in YAML of fields without a default, by flag.
using Examples = std::map<std::string, std::string, std::less<>>;

inline std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// A field's value as JSON; of lists `[a]` is the only form.
inline std::string json_value(const Field& field, const std::string& yaml) {
  if (field.list) return fmt::format("[{}]", json_text(yaml.substr(1, yaml.size() - 2)));
  return field.type == "string" ? json_text(yaml) : yaml;
}

struct SchemaForm {
  std::string title;
  std::string kind;
  bool bare_numbers = false;  ///< texts may be numbers: `planPause: 5`
};

inline std::string schema_type(const Field& field, const SchemaForm& form) {
  std::string type = json_text(field.type);
  if (!field.words.empty()) {
    std::string words;
    for (const auto& word : field.words) words += (words.empty() ? "" : ", ") + json_text(word);
    type = fmt::format("\"enum\": [{}]", words);
  } else {
    const bool either = form.bare_numbers && field.type == "string" && !field.list;
    type = fmt::format("\"type\": {}", either ? "[\"string\", \"number\"]" : type);
  }
  // One value need not be a list.
  return field.list ? fmt::format("\"type\": [\"string\", \"array\"], \"items\": {{{}}}", type)
                    : type;
}

inline std::string schema_of(const SchemaForm& form, const std::vector<Field>& fields,
                             const Examples& examples) {
  auto text = fmt::format(
      "{{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": {},\n"
      "  \"type\": \"object\",\n  \"additionalProperties\": false,\n"
      "  \"required\": [\"apiVersion\", \"kind\"],\n  \"properties\": {{\n"
      "    \"apiVersion\": {{\"enum\": [\"dray.dev/v1alpha1\"], \"description\": \"The version of "
      "this form\"}},\n    \"kind\": {{\"enum\": [{}], \"description\": \"What this file is\"}}",
      json_text(form.title), json_text(form.kind));
  for (const auto& field : fields) {
    text += fmt::format(",\n    {}: {{{}, \"description\": {}", json_text(field.name),
                        schema_type(field, form), json_text(field.what));
    if (!field.standing.empty()) {
      text += fmt::format(", \"default\": {}", json_value(field, field.standing));
    }
    if (const auto example = examples.find(field.flag); example != examples.end()) {
      text += fmt::format(", \"examples\": [{}]", json_value(field, example->second));
    }
    text += "}";
  }
  return text + "\n  }\n}\n";
}

}  // namespace dray::app
