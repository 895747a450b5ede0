#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dray/policy/config.h"
#include "wire/policy/policy_shape.h"
#include "wire/yaml/duration.h"

// The form of a file, or of a part of one, made from the description of its keys.

namespace dray::wire {

namespace detail {

[[nodiscard]] inline std::shared_ptr<const PolicyShape> share(PolicyShape shape) {
  return std::make_shared<const PolicyShape>(std::move(shape));
}

/// The form of each type of value. One struct, so that each overload sees all the others.
struct Shapes {
  template <class T>
  static PolicyShape of(const T& section)
    requires policy::Section<const T>;

  static PolicyShape of(const std::string&) { return {.form = Form::text}; }
  template <class Tag>
  static PolicyShape of(const Strong<std::string, Tag>&) {
    return {.form = Form::text};
  }
  static PolicyShape of(bool) { return {.form = Form::boolean}; }
  static PolicyShape of(std::int32_t) { return {.form = Form::integer}; }
  static PolicyShape of(double) { return {.form = Form::number}; }
  static PolicyShape of(Duration) { return {.form = Form::duration}; }
  static PolicyShape of(const Quantity&) { return {.form = Form::quantity}; }
  static PolicyShape of(const Node&) { return {.form = Form::manifest, .words = {"Node"}}; }
  static PolicyShape of(const ResourceSlice&) {
    return {.form = Form::manifest, .words = {"ResourceSlice"}};
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  static PolicyShape of(Enum value) {
    PolicyShape shape{.form = Form::word};
    for (const auto& word : words_of(value)) shape.words.push_back(word.text);
    return shape;
  }
  /// A key that may be absent, which says nothing about its value's form.
  template <class T>
  static PolicyShape of(const std::optional<T>&) {
    return of(T());
  }
  template <class T>
  static PolicyShape of(const std::vector<T>&) {
    return {.form = Form::list, .item = share(of(T()))};
  }
  template <class T>
  static PolicyShape of(const std::map<std::string, T, std::less<>>&) {
    return {.form = Form::map, .item = share(of(T()))};
  }
  static PolicyShape of(const policy::Bounds&) {
    return {.form = Form::map, .item = share({.form = Form::bound})};
  }
  static PolicyShape of(const policy::Weights& weights) {
    return {.form = Form::quantity, .alternative = share(of(weights.by_resource))};
  }
  static PolicyShape of(const std::vector<policy::CountedResource>&) {
    return {.form = Form::map, .item = share(of(policy::CountedResource().rules))};
  }
};

/// The default of a key as a file would say it; empty: its document says what absence means.
struct Defaults {
  template <class T>
  static std::string of(const T&) {
    return {};
  }
  static std::string of(bool value) { return value ? "true" : "false"; }
  static std::string of(std::int32_t value) { return fmt::format("{}", value); }
  static std::string of(double value) { return fmt::format("{}", value); }
  static std::string of(Duration value) { return format_duration(value); }
  static std::string of(const Quantity& value) { return value.to_string(); }
  static std::string of(const std::string& value) { return value; }
  static std::string of(const std::vector<std::string>& values) {
    return fmt::format("{}", fmt::join(values, ", "));
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  static std::string of(const Enum& value) {
    for (const auto& word : words_of(value)) {
      if (word.value == value) return std::string(word.text);
    }
    return {};
  }
};

/// Makes the fields of a section from its description.
class FieldMaker {
 public:
  template <class T>
  void key(std::string_view key, const T& value, std::string_view doc) {
    add(key, Shapes::of(value), with_default(doc, value), false, default_of(value));
  }
  template <class T>
  void key(std::string_view key, const T& value, policy::Range range, std::string_view doc) {
    auto shape = Shapes::of(value);
    if (shape.form == Form::integer) shape.minimum = static_cast<std::int32_t>(range.least);
    add(key, std::move(shape), with_default(doc, value), false, default_of(value));
  }
  template <class T>
  void required(std::string_view key, const T& value, std::string_view doc) {
    add(key, Shapes::of(value), std::string(doc), true);
  }
  void constant(std::string_view key, std::string_view word, std::string_view doc) {
    add(key, {.form = Form::word, .words = {word}}, std::string(doc), true);
  }

  [[nodiscard]] std::vector<PolicyField> take() && { return std::move(fields_); }

 private:
  template <class T>
  static std::string with_default(std::string_view doc, const T& value) {
    const auto absent = Defaults::of(value);
    return absent.empty() ? std::string(doc) : fmt::format("{} Default {}.", doc, absent);
  }
  /// As YAML.
  template <class T>
  static std::string default_of(const T& value) {
    const auto text = Defaults::of(value);
    const bool is_list = std::is_same_v<T, std::vector<std::string>>;
    return is_list && !text.empty() ? "[" + text + "]" : text;
  }
  void add(std::string_view key, PolicyShape shape, std::string doc, bool required,
           std::string absent = {}) {
    fields_.push_back({key, share(std::move(shape)), std::move(doc), required, std::move(absent)});
  }

  std::vector<PolicyField> fields_;
};

template <class T>
PolicyShape Shapes::of(const T& section)
  requires policy::Section<const T>
{
  FieldMaker maker;
  T::describe(maker, section);
  return {.form = Form::object, .fields = std::move(maker).take()};
}

}  // namespace detail

/// The shape of a section's values.
template <policy::Section T>
[[nodiscard]] PolicyShape shape_of() {
  return detail::Shapes::of(T());
}

}  // namespace dray::wire
