#pragma once

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dray/policy/config.h"
#include "wire/policy/policy_form.h"
#include "wire/policy/policy_manifest.h"
#include "wire/policy/section_shape.h"
#include "wire/yaml/config_node.h"
#include "wire/yaml/duration.h"

// Reads a file, or a part of one, by the description of its keys.

namespace dray::wire {

namespace detail {

/// Reads a tree whose form is right. One struct, so that each overload sees all the others.
struct Reading {
  static void read(const ConfigNode& in, std::string& out) { out = in.text; }
  static void read(const ConfigNode& in, bool& out) { out = in.text == "true"; }
  template <class T>
    requires std::is_arithmetic_v<T>
  static void read(const ConfigNode& in, T& out) {
    std::from_chars(in.text.data(), in.text.data() + in.text.size(), out);
  }
  static void read(const ConfigNode& in, Quantity& out) {
    out = Quantity::parse(in.text).value_or(Quantity());
  }
  static void read(const ConfigNode& in, Duration& out) {
    out = parse_duration(in.text).value_or(Duration());
  }
  template <class Tag>
  static void read(const ConfigNode& in, Strong<std::string, Tag>& out) {
    out = Strong<std::string, Tag>(in.text);
  }
  static void read(const ConfigNode& in, Node& out) { read_object(in, "Node", out); }
  static void read(const ConfigNode& in, ResourceSlice& out) {
    read_object(in, "ResourceSlice", out);
  }
  template <class T>
  static void read_object(const ConfigNode& in, std::string_view kind, T& out) {
    if (auto read = read_manifest(in, kind)) out = std::get<T>(*std::move(read));
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  static void read(const ConfigNode& in, Enum& out) {
    for (const auto& word : words_of(out)) {
      if (word.text == in.text) out = word.value;
    }
  }

  template <class T>
  static void read(const ConfigNode& in, std::optional<T>& out) {
    read(in, out.emplace());
  }
  static void read(const ConfigNode& in, policy::Bound& out) {
    out.reset();
    if (in.text != "unlimited") read(in, out.emplace());
  }
  template <class T>
  static void read(const ConfigNode& in, std::vector<T>& out) {
    out.clear();
    for (const auto& item : in.items) read(item, out.emplace_back());
  }
  template <class T>
  static void read(const ConfigNode& in, std::map<std::string, T, std::less<>>& out) {
    out.clear();
    for (const auto& member : in.members) read(member.value, out[member.key]);
  }

  static void read(const ConfigNode& in, std::vector<policy::CountedResource>& out) {
    for (const auto& member : in.members) {
      out.push_back({member.key, {}});
      read(member.value, out.back().rules);
    }
  }
  static void read(const ConfigNode& in, policy::Weights& out) {
    if (in.kind == ConfigNode::Kind::scalar) {
      read(in, out.all);
    } else {
      read(in, out.by_resource);
    }
  }

  template <policy::Section T>
  static void read(const ConfigNode& in, T& out);
};

/// Reads the keys of a section, as its description names them.
struct SectionReading {
  const ConfigNode& in;

  void key(std::string_view key, auto& out, std::string_view /*doc*/) const {
    if (const auto* value = in.find(key)) Reading::read(*value, out);
  }
  void key(std::string_view key, auto& out, policy::Range /*range*/, std::string_view doc) const {
    this->key(key, out, doc);
  }
  void required(std::string_view key, auto& out, std::string_view doc) const {
    this->key(key, out, doc);
  }
  void constant(std::string_view /*key*/, std::string_view /*word*/,
                std::string_view /*doc*/) const {}
};

/// `root` is a word for having no parent.
inline void settle(policy::QueueConfig& queue) {
  if (queue.parent && queue.parent->get() == policy::root_queue) queue.parent.reset();
}
template <class T>
void settle(T& /*section*/) {}

template <policy::Section T>
void Reading::read(const ConfigNode& in, T& out) {
  const SectionReading keys{in};
  T::describe(keys, out);
  settle(out);
}

/// The problem that an error of parse_yaml tells.
[[nodiscard]] PolicyProblem syntax_problem(const std::string& message);

}  // namespace detail

/// A file that is one section: what it says, if its form is right, and else what is wrong.
template <policy::Section T>
struct SectionFile {
  std::optional<T> value;
  PolicyForm form;  ///< knows where each value stands

  [[nodiscard]] std::vector<PolicyProblem>& problems() { return form.problems(); }
};

/// Reads such a file. All problems of its form are found at once.
template <policy::Section T>
[[nodiscard]] SectionFile<T> read_section(std::string_view yaml) {
  SectionFile<T> file;
  const auto root = parse_yaml(yaml);
  if (!root) {
    file.problems().push_back(detail::syntax_problem(root.error().message));
    return file;
  }
  file.form.check(*root, shape_of<T>(), "");
  if (file.problems().empty()) detail::Reading::read(*root, file.value.emplace());
  return file;
}

}  // namespace dray::wire
