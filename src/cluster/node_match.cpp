#include "dray/cluster/node_match.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace dray::cluster {
namespace {

/// strconv.ParseInt(text, 10, 64): one sign, digits only.
std::optional<std::int64_t> parse_int(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// The name part of a qualified name and a label value: at most 63 of [-_.A-Za-z0-9], an
/// alphanumeric at both ends.
bool is_label_text(std::string_view text) {
  if (text.empty() || text.size() > 63) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_dns_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  const auto lower = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool at_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool at_end = i + 1 == text.size() || text[i + 1] == '.';
    if (c == '.' ? at_start : !(lower(c) || (c == '-' && !at_start && !at_end))) return false;
    at_start = c == '.';
  }
  return !at_start;
}

bool is_label_key(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return is_label_text(key);
  return is_dns_subdomain(key.substr(0, slash)) && is_label_text(key.substr(slash + 1));
}

constexpr std::string_view must_be_integer =
    "for 'Gt', 'Lt' operators, the value must be an integer";

std::string quoted_list(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    text += fmt::format("\"{}\"", value);
  }
  return text + "]";
}

std::unexpected<Error> invalid(std::string_view path, std::string_view value,
                               std::string_view why) {
  return fail(ErrorCode::invalid, fmt::format("{}: Invalid value: {}: {}", path, value, why));
}

}  // namespace

Result<NodeMatcher::Requirement> NodeMatcher::compile_label(const NodeSelectorRequirement& given) {
  static constexpr std::pair<std::string_view, Op> ops[] = {
      {"In", Op::in},         {"NotIn", Op::not_in},
      {"Exists", Op::exists}, {"DoesNotExist", Op::does_not_exist},
      {"Gt", Op::greater},    {"Lt", Op::less}};
  const auto* op = std::ranges::find(ops, given.op, &std::pair<std::string_view, Op>::first);
  if (op == std::end(ops)) {
    return fail(
        ErrorCode::invalid,
        fmt::format("operator: Unsupported value: \"{}\": supported values: \"DoesNotExist\", "
                    "\"Exists\", \"Gt\", \"In\", \"Lt\", \"NotIn\"",
                    given.op));
  }
  Requirement made{.key = given.key, .op = op->second, .values = given.values};
  if (!is_label_key(given.key)) {
    return invalid("key", fmt::format("\"{}\"", given.key), "not a label key");
  }
  const auto values = quoted_list(given.values);
  switch (made.op) {
    case Op::in:
    case Op::not_in:
      if (!given.values.empty()) break;
      return invalid("values", values, "for 'in', 'notin' operators, values set can't be empty");
    case Op::exists:
    case Op::does_not_exist:
      if (given.values.empty()) break;
      return invalid("values", values, "values set must be empty for exists and does not exist");
    case Op::greater:
    case Op::less:
      if (given.values.size() != 1) {
        return invalid("values", values, "for 'Gt', 'Lt' operators, exactly one value is required");
      }
      const auto number = parse_int(given.values.front());
      if (!number) {
        return invalid("values[0]", fmt::format("\"{}\"", given.values.front()), must_be_integer);
      }
      made.number = *number;
  }
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    const auto& value = given.values[i];
    if (value.empty() || is_label_text(value)) continue;
    return invalid(fmt::format("values[{}]", i), fmt::format("\"{}\"", value), "not a label value");
  }
  return made;
}

Result<NodeMatcher::Requirement> NodeMatcher::compile_field(const NodeSelectorRequirement& given) {
  if (given.op != "In" && given.op != "NotIn") {
    return fail(ErrorCode::invalid,
                fmt::format("operator: Unsupported value: \"{}\": supported values: \"In\", "
                            "\"NotIn\"",
                            given.op));
  }
  if (given.values.size() != 1) {
    return invalid("values", quoted_list(given.values), "must have one element");
  }
  return Requirement{.key = given.key,
                     .op = given.op == "In" ? Op::in : Op::not_in,
                     .values = given.values,
                     .field = true};
}

Result<NodeMatcher::Term> NodeMatcher::compile_term(const NodeSelectorTerm& given) {
  Term term;
  const auto add = [&](std::string_view list, const auto& requirements, auto compile) {
    for (std::size_t i = 0; i < requirements.size(); ++i) {
      auto made = compile(requirements[i]);
      if (!made) {
        made.error().message.insert(0, fmt::format("{}[{}].", list, i));
        return std::optional(std::move(made.error()));
      }
      term.push_back(std::move(*made));
    }
    return std::optional<Error>();
  };
  if (auto error = add("matchExpressions", given.match_expressions, compile_label)) {
    return std::unexpected(std::move(*error));
  }
  if (auto error = add("matchFields", given.match_fields, compile_field)) {
    return std::unexpected(std::move(*error));
  }
  return term;
}

Result<NodeMatcher> NodeMatcher::compile(const NodeSelector& selector) {
  NodeMatcher matcher;
  for (std::size_t i = 0; i < selector.terms.size(); ++i) {
    const auto& given = selector.terms[i];
    if (given.match_expressions.empty() && given.match_fields.empty()) continue;
    auto term = compile_term(given);
    if (!term) {
      term.error().message.insert(0, fmt::format("nodeSelectorTerms[{}].", i));
      return std::unexpected(std::move(term.error()));
    }
    matcher.terms_.push_back(std::move(*term));
  }
  return matcher;
}

NodeMatcher NodeMatcher::compile_lazily(const NodeSelector& selector) {
  NodeMatcher matcher;
  for (const auto& given : selector.terms) {
    if (given.match_expressions.empty() && given.match_fields.empty()) continue;
    if (auto term = compile_term(given)) matcher.terms_.push_back(std::move(*term));
  }
  return matcher;
}

bool NodeMatcher::holds(const Requirement& requirement, const NodeFacts& node) {
  static const std::string nothing;
  const std::string* value = nullptr;
  if (requirement.field) {
    value = requirement.key == "metadata.name" ? &node.name.get() : &nothing;
  } else {
    value = node.label(requirement.key);
  }
  const auto listed = [&] {
    return std::ranges::find(requirement.values, *value) != requirement.values.end();
  };
  switch (requirement.op) {
    case Op::in:
      return value != nullptr && listed();
    case Op::not_in:
      return value == nullptr || !listed();
    case Op::exists:
      return value != nullptr;
    case Op::does_not_exist:
      return value == nullptr;
    case Op::greater:
    case Op::less: {
      const auto number = value == nullptr ? std::nullopt : parse_int(*value);
      if (!number) return false;
      return requirement.op == Op::greater ? *number > requirement.number
                                           : *number < requirement.number;
    }
  }
  return false;
}

bool NodeMatcher::matches(const NodeFacts& node) const {
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return std::ranges::all_of(term, [&](const auto& each) { return holds(each, node); });
  });
}

std::string go_string(const NodeSelector& selector) {
  const auto list = [](const std::vector<NodeSelectorRequirement>& requirements) {
    std::string text = "[]NodeSelectorRequirement{";
    for (const auto& each : requirements) {
      text += fmt::format("NodeSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},", each.key,
                          each.op, fmt::join(each.values, " "));
    }
    return text + "}";
  };
  std::string text = "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{";
  for (const auto& term : selector.terms) {
    text += fmt::format("NodeSelectorTerm{{MatchExpressions:{},MatchFields:{},}},",
                        list(term.match_expressions), list(term.match_fields));
  }
  return text + "},}";
}

bool tolerates(const NodeToleration& toleration, const NodeTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  // Lt and Gt are behind TaintTolerationComparisonOperators, which is off in 1.37.
  return toleration.op == "Exists";
}

}  // namespace dray::cluster
