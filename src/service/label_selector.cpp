#include "service/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dray::service {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// At the commas that stand in no parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

/// A label's name or value: Kubernetes' own rules are stricter, and what they refuse no node has.
bool is_word(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

Result<LabelRequirement> parse_requirement(std::string_view text) {
  const auto wrong = [&] {
    return fail(ErrorCode::invalid,
                fmt::format("\"{}\": expected KEY, !KEY, KEY=VALUE, KEY!=VALUE, KEY in (A, B) or "
                            "KEY notin (A, B)",
                            text));
  };
  LabelRequirement requirement;
  const auto set = [&](std::string_view key, const char* op,
                       const std::vector<std::string_view>& values) {
    requirement.key = trimmed(key);
    requirement.op = op;
    for (const auto value : values) requirement.values.emplace_back(trimmed(value));
  };
  if (text.ends_with(')')) {
    const auto open = text.find('(');
    const auto head = trimmed(text.substr(0, open));
    const auto space = head.find_last_of(" \t");
    if (open == std::string_view::npos || space == std::string_view::npos) return wrong();
    const auto word = head.substr(space + 1);
    if (word != "in" && word != "notin") return wrong();
    set(head.substr(0, space), word == "in" ? "In" : "NotIn",
        split(text.substr(open + 1, text.size() - open - 2)));
  } else if (const auto differs = text.find("!="); differs != std::string_view::npos) {
    set(text.substr(0, differs), "NotIn", {text.substr(differs + 2)});
  } else if (const auto equals = text.find('='); equals != std::string_view::npos) {
    const auto value = text.substr(equals + 1);
    set(text.substr(0, equals), "In", {value.starts_with('=') ? value.substr(1) : value});
  } else if (text.starts_with('!')) {
    set(text.substr(1), "DoesNotExist", {});
  } else {
    set(text, "Exists", {});
  }
  if (requirement.key.empty() || !is_word(requirement.key) ||
      !std::ranges::all_of(requirement.values, is_word)) {
    return wrong();
  }
  return requirement;
}

}  // namespace

Result<LabelSelector> parse_label_selector(std::string_view text) {
  LabelSelector selector;
  if (trimmed(text).empty()) return selector;
  for (const auto part : split(text)) {
    auto requirement = parse_requirement(part);
    if (!requirement) return std::unexpected(std::move(requirement.error()));
    selector.match_expressions.push_back(*std::move(requirement));
  }
  return selector;
}

}  // namespace dray::service
