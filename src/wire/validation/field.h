#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/quantity.h"
#include "wire/yaml/config_node.h"

namespace dray::wire {

/// One error of the API server about a field (apimachinery pkg/util/validation/field).
struct FieldError {
  std::string path;     ///< `spec.devices.requests[0].name`
  std::string message;  ///< `Required value`, `Invalid value: "a_b": …`
  TextPlace place;      ///< of the value, or of the nearest one around it that is there

  bool operator==(const FieldError&) const = default;
};

/// A field of an object as it was written: perhaps absent. `null` is absent.
class Field {
 public:
  explicit Field(const ConfigNode& object) : node_(&object), place_(object.place) {}

  [[nodiscard]] Field child(std::string_view name) const;
  /// One of its fields; its place is that of its name.
  [[nodiscard]] Field member(const ConfigNode::Member& member) const;
  /// The value of a map that users name: `attributes[model]`.
  [[nodiscard]] Field key(const ConfigNode::Member& member) const;
  /// The same where it is not there.
  [[nodiscard]] Field named(std::string_view key) const;
  /// The same with another place.
  [[nodiscard]] Field at(TextPlace place) const { return {node_, path_, place}; }
  /// The items of a list; none where there is no list.
  [[nodiscard]] std::vector<Field> items() const;
  /// The members of a map.
  [[nodiscard]] const std::vector<ConfigNode::Member>& members() const;

  [[nodiscard]] bool present() const;
  /// A text that is not there is empty, as in the API's types.
  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] std::optional<std::string_view> optional_text() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] bool boolean() const;
  /// As in the API, 0 where there is none.
  [[nodiscard]] Quantity quantity() const;
  /// As JSON.
  [[nodiscard]] std::string json() const;

  [[nodiscard]] const ConfigNode* node() const { return node_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] TextPlace place() const { return place_; }

 private:
  Field(const ConfigNode* node, std::string path, TextPlace place)
      : node_(node), path_(std::move(path)), place_(place) {}

  const ConfigNode* node_;
  std::string path_;
  TextPlace place_;
};

/// Collects errors, with the texts of the API server.
class FieldErrors {
 public:
  void required(const Field& field, std::string_view detail = {});
  void invalid(const Field& field, std::string_view value, std::string_view detail);
  void invalid(const Field& field, std::int64_t value, std::string_view detail);
  /// A value that is shown as JSON, or not at all where it is empty.
  void invalid_json(const Field& field, std::string_view json, std::string_view detail);
  void forbidden(const Field& field, std::string_view detail);
  void duplicate(const Field& field, std::string_view value);
  void not_found(const Field& field, std::string_view value, std::string_view detail = {});
  void not_supported(const Field& field, std::string_view value,
                     const std::vector<std::string_view>& supported);
  void too_long(const Field& field, std::size_t most);
  void too_many(const Field& field, std::size_t count, std::size_t most);
  void add(const Field& field, std::string message);
  /// The last one is about a place within its value.
  void move_last(TextPlace place) { errors_.back().place = place; }

  [[nodiscard]] bool empty() const { return errors_.empty(); }
  [[nodiscard]] std::vector<FieldError> take() { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

/// A text in Go's quotation marks (%q).
[[nodiscard]] std::string go_quoted(std::string_view text);

}  // namespace dray::wire
