#include "wire/policy/policy_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "wire/policy/policy_form.h"
#include "wire/policy/policy_shape.h"
#include "wire/yaml/duration.h"

namespace dray::wire {

namespace {

using policy::ConfigProblem;

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
void settle(policy::QueueConfig& queue) {
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

bool is_error(const PolicyProblem& problem) {
  return problem.severity == ConfigProblem::Severity::error;
}

/// The place and the text of an error of parse_yaml, which begins with `LINE:COLUMN: `.
PolicyProblem syntax_problem(const std::string& message) {
  PolicyProblem problem;
  const auto* at = message.data();
  const auto* end = at + message.size();
  at = std::from_chars(at, end, problem.place.line).ptr;
  if (at != end) at = std::from_chars(at + 1, end, problem.place.column).ptr;
  problem.text = std::string(at, end);
  if (problem.text.starts_with(": ")) problem.text.erase(0, 2);
  return problem;
}

}  // namespace

std::string PolicyProblem::to_string() const {
  return fmt::format("{}:{}: {}{}{}", place.line, place.column, path, path.empty() ? "" : ": ",
                     text);
}

PolicyFile read_policy(std::string_view yaml) {
  PolicyFile file;
  auto root = parse_yaml(yaml);
  if (!root) {
    file.problems.push_back(syntax_problem(root.error().message));
    return file;
  }
  PolicyForm form;
  form.check(*root, policy_shape(), "");
  file.problems = std::move(form.problems());
  if (file.problems.empty()) {
    Reading::read(*root, file.config.emplace());
    for (auto& problem : policy::validate(*file.config)) {
      const auto place = form.place_of(problem.path);
      file.problems.push_back(
          {problem.severity, place, std::move(problem.path), std::move(problem.text)});
    }
  }
  std::ranges::sort(file.problems, {}, [](const PolicyProblem& problem) {
    return std::tie(problem.place, problem.path, problem.text);
  });
  if (std::ranges::any_of(file.problems, is_error)) file.config.reset();
  return file;
}

Result<policy::PolicyConfig> decode_policy(std::string_view yaml) {
  auto file = read_policy(yaml);
  if (file.config) return std::move(*file.config);
  std::string text;
  for (const auto& problem : file.problems) {
    if (!is_error(problem)) continue;
    if (!text.empty()) text += '\n';
    text += problem.to_string();
  }
  return fail(ErrorCode::invalid, std::move(text));
}

}  // namespace dray::wire
