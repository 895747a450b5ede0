#include "wire/validation/field.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "wire/yaml/yaml_scalar.h"

namespace dray::wire {
namespace {

nlohmann::json json_of(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return nullptr;
    case ConfigNode::Kind::scalar:
      if (node.quoted) return node.text;
      return nlohmann::json::parse(plain_scalar_to_json(node.text), nullptr, false);
    case ConfigNode::Kind::list: {
      auto list = nlohmann::json::array();
      for (const auto& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case ConfigNode::Kind::map: {
      auto map = nlohmann::json::object();
      for (const auto& member : node.members) map[member.key] = json_of(member.value);
      return map;
    }
  }
  return nullptr;
}

}  // namespace

Field Field::child(std::string_view name) const {
  const auto* found = node_ == nullptr ? nullptr : node_->find(name);
  auto path = path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  return {found, std::move(path), found == nullptr ? place_ : found->place};
}

Field Field::member(const ConfigNode::Member& member) const {
  auto path = path_.empty() ? member.key : fmt::format("{}.{}", path_, member.key);
  return {&member.value, std::move(path), member.place};
}

Field Field::key(const ConfigNode::Member& member) const {
  return {&member.value, fmt::format("{}[{}]", path_, member.key), member.place};
}

Field Field::named(std::string_view key) const {
  return {nullptr, fmt::format("{}[{}]", path_, key), place_};
}

std::vector<Field> Field::items() const {
  std::vector<Field> fields;
  if (node_ == nullptr) return fields;
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    fields.push_back({&node_->items[i], fmt::format("{}[{}]", path_, i), node_->items[i].place});
  }
  return fields;
}

const std::vector<ConfigNode::Member>& Field::members() const {
  static const std::vector<ConfigNode::Member> none;
  return node_ == nullptr ? none : node_->members;
}

bool Field::present() const {
  if (node_ == nullptr || node_->kind == ConfigNode::Kind::null) return false;
  return node_->kind != ConfigNode::Kind::scalar || node_->quoted ||
         plain_scalar_to_json(node_->text) != "null";
}

std::string_view Field::text() const {
  return present() ? std::string_view(node_->text) : std::string_view();
}

std::optional<std::string_view> Field::optional_text() const {
  return present() ? std::optional(std::string_view(node_->text)) : std::nullopt;
}

std::int64_t Field::integer() const {
  if (!present()) return 0;
  const auto json = plain_scalar_to_json(node_->text);
  std::int64_t value = 0;
  std::from_chars(json.data(), json.data() + json.size(), value);
  return value;
}

bool Field::boolean() const {
  return present() && plain_scalar_to_json(node_->text) == "true";
}

Quantity Field::quantity() const {
  auto parsed = Quantity::parse(text());
  return parsed ? *parsed : Quantity();
}

std::string Field::json() const {
  return node_ == nullptr
             ? "null"
             : json_of(*node_).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

void FieldErrors::add(const Field& field, std::string message) {
  errors_.push_back({field.path(), std::move(message), field.place()});
}

namespace {

std::string with_detail(std::string what, std::string_view detail) {
  return detail.empty() ? what : fmt::format("{}: {}", what, detail);
}

}  // namespace

void FieldErrors::required(const Field& field, std::string_view detail) {
  add(field, with_detail("Required value", detail));
}

void FieldErrors::invalid(const Field& field, std::string_view value, std::string_view detail) {
  add(field, with_detail("Invalid value: " + go_quoted(value), detail));
}

void FieldErrors::invalid(const Field& field, std::int64_t value, std::string_view detail) {
  add(field, with_detail(fmt::format("Invalid value: {}", value), detail));
}

void FieldErrors::invalid_json(const Field& field, std::string_view json, std::string_view detail) {
  add(field, with_detail(fmt::format("Invalid value: {}", json), detail));
}

void FieldErrors::forbidden(const Field& field, std::string_view detail) {
  add(field, with_detail("Forbidden", detail));
}

void FieldErrors::duplicate(const Field& field, std::string_view value) {
  add(field, "Duplicate value: " + go_quoted(value));
}

void FieldErrors::not_found(const Field& field, std::string_view value, std::string_view detail) {
  add(field, with_detail("Not found: " + go_quoted(value), detail));
}

void FieldErrors::not_supported(const Field& field, std::string_view value,
                                const std::vector<std::string_view>& supported) {
  std::string names;
  for (const auto name : supported) {
    names += (names.empty() ? "" : ", ") + go_quoted(name);
  }
  add(field, fmt::format("Unsupported value: {}: supported values: {}", go_quoted(value), names));
}

void FieldErrors::too_long(const Field& field, std::size_t most) {
  add(field, fmt::format("Too long: may not be more than {} bytes", most));
}

void FieldErrors::too_many(const Field& field, std::size_t count, std::size_t most) {
  add(field, fmt::format("Too many: {}: must have at most {} items", count, most));
}

}  // namespace dray::wire
