#include "wire/policy/policy_writer.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "wire/json/json_writer.h"
#include "wire/object/object_codec.h"
#include "wire/yaml/duration.h"

namespace dray::wire {
namespace {

/// Writes values as a policy file has them. One struct, so that each overload sees all the others.
struct Writing {
  JsonWriter& out;

  void value(const std::string& text) const { out.string(text); }
  void value(bool flag) const { out.boolean(flag); }
  template <class T>
    requires std::is_arithmetic_v<T>
  void value(T number) const {
    out.raw(fmt::format("{}", number));
  }
  void value(const Quantity& quantity) const { out.string(quantity.to_string()); }
  void value(Duration duration) const { out.string(format_duration(duration)); }
  template <class Tag>
  void value(const Strong<std::string, Tag>& name) const {
    out.string(name.get());
  }
  void value(const Node& node) const { out.raw(encode_object(node)); }
  void value(const ResourceSlice& slice) const { out.raw(encode_object(slice)); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void value(Enum given) const {
    for (const auto& word : words_of(given)) {
      if (word.value == given) return out.string(word.text);
    }
  }
  template <class T>
  void value(const std::optional<T>& given) const {
    value(*given);
  }
  void value(const policy::Bound& bound) const {
    if (!bound) return out.string("unlimited");
    value(*bound);
  }
  template <class T>
  void value(const std::vector<T>& list) const {
    out.begin_list();
    for (const auto& each : list) value(each);
    out.end_list();
  }
  template <class T>
  void value(const std::map<std::string, T, std::less<>>& entries) const {
    out.begin_object();
    for (const auto& [key, each] : entries) {
      out.key(key);
      value(each);
    }
    out.end_object();
  }
  void value(const std::vector<policy::CountedResource>& resources) const {
    out.begin_object();
    for (const auto& resource : resources) {
      out.key(resource.name);
      value(resource.rules);
    }
    out.end_object();
  }
  void value(const policy::Weights& weights) const {
    if (weights.by_resource.empty()) return value(weights.all);
    value(weights.by_resource);
  }
  template <policy::Section T>
  void value(const T& section) const;
};

/// The keys of a section that have a value.
struct SectionWriting {
  Writing writing;

  template <class T>
  void key(std::string_view key, const T& value, std::string_view /*doc*/) const {
    if constexpr (requires { value.has_value(); }) {
      if (!value.has_value()) return;
    }
    if constexpr (std::is_same_v<T, std::string>) {
      if (value.empty()) return;  // not given, where one of two is
    } else if constexpr (requires { value.get().empty(); }) {
      if (value.get().empty()) return;
    }
    writing.out.key(key);
    writing.value(value);
  }
  template <class T>
  void key(std::string_view key, const T& value, policy::Range /*range*/,
           std::string_view doc) const {
    this->key(key, value, doc);
  }
  template <class T>
  void required(std::string_view key, const T& value, std::string_view doc) const {
    this->key(key, value, doc);
  }
  void constant(std::string_view key, std::string_view word, std::string_view /*doc*/) const {
    writing.out.key(key);
    writing.out.string(word);
  }
};

template <policy::Section T>
void Writing::value(const T& section) const {
  out.begin_object();
  const SectionWriting keys{*this};
  T::describe(keys, section);
  out.end_object();
}

}  // namespace

std::string encode_policy(const policy::PolicyConfig& config) {
  JsonWriter out;
  Writing{out}.value(config);
  return std::move(out).take();
}

}  // namespace dray::wire
