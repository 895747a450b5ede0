#include "wire/yaml/json_yaml.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <ranges>

namespace dray::wire {
namespace {

using Json = nlohmann::ordered_json;

/// A plain scalar that means the same string in YAML 1.1 and 1.2.
bool is_plain(const std::string& text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  const bool safe = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./").find(c) != std::string_view::npos;
  });
  if (!safe) return false;
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view words[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};
  return std::ranges::find(words, lower) == std::end(words);
}

std::string scalar(const Json& value) {
  if (value.is_string() && is_plain(value.get_ref<const std::string&>())) {
    return value.get<std::string>();
  }
  return value.dump();
}

void emit(const Json& value, std::size_t depth, bool in_line, std::string& out);

void emit_member(const Json& value, std::size_t depth, std::string& out) {
  if (value.is_structured() && !value.empty()) {
    emit(value, depth, false, out);
  } else {
    out += ' ' + scalar(value) + '\n';
  }
}

/// `in_line`: the first member goes on the line that `- ` began.
void emit(const Json& value, std::size_t depth, bool in_line, std::string& out) {
  if (!value.is_structured() || value.empty()) {
    out += scalar(value) + '\n';
    return;
  }
  if (!in_line) out += '\n';
  bool first = in_line;
  const auto begin_line = [&] {
    if (!first) out.append(depth * 2, ' ');
    first = false;
  };
  if (value.is_array()) {
    for (const auto& item : value) {
      begin_line();
      out += "- ";
      emit(item, depth + 1, true, out);
    }
    return;
  }
  for (const auto& [key, member] : value.items()) {
    begin_line();
    out += scalar(Json(key)) + ':';
    emit_member(member, member.is_array() ? depth : depth + 1, out);
  }
}

}  // namespace

std::string json_to_yaml(std::string_view json) {
  const auto value = Json::parse(json, nullptr, false);
  if (value.is_discarded()) return std::string(json);
  std::string out;
  emit(value, 0, true, out);
  return out;
}

}  // namespace dray::wire
