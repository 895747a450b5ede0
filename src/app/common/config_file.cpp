#include "app/common/config_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <vector>

#include "app/common/files.h"
#include "wire/yaml/config_node.h"

namespace dray::app {
namespace {

using wire::ConfigNode;

/// How many letters two words differ by (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string field_name(std::string_view flag) {
  std::string field;
  bool upper = false;
  for (const char c : flag) {
    if (c == '-') {
      upper = true;
    } else {
      field += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = false;
    }
  }
  return field;
}

/// The flags that are no fields.
bool is_field(std::string_view flag, const ConfigForm& form) {
  return flag != form.own_flag && flag != "help";
}

std::string nearest_field(const CLI::App& command, std::string_view field, const ConfigForm& form) {
  std::string best;
  std::size_t least = SIZE_MAX;
  for (const auto* option : command.get_options()) {
    if (option->get_lnames().empty() || !is_field(option->get_lnames().front(), form)) continue;
    const auto candidate = field_name(option->get_lnames().front());
    const auto far = distance(candidate, field);
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

Error at(const std::string& path, wire::TextPlace place, std::string message) {
  return {ErrorCode::invalid, fmt::format("{}:{}:{}: {}", path, place.line, place.column, message)};
}

Result<void> expect_text(const ConfigNode& root, std::string_view key, std::string_view want,
                         const std::string& path) {
  const auto* node = root.find(key);
  if (node != nullptr && node->text == want) return {};
  const auto place = node == nullptr ? root.place : node->place;
  return std::unexpected(at(path, place, fmt::format("expected {}: {}", key, want)));
}

Result<void> set_option(CLI::App& command, const ConfigNode::Member& member,
                        const std::string& path, const ConfigForm& form) {
  const auto flag = flag_name(member.key);
  auto* option = command.get_option_no_throw("--" + flag);
  if (option == nullptr || !is_field(flag, form)) {
    return std::unexpected(at(path, member.place,
                              fmt::format("no field \"{}\"; did you mean \"{}\"?", member.key,
                                          nearest_field(command, member.key, form))));
  }
  if (option->count() > 0) return {};  // the command line wins
  std::vector<std::string> values;
  if (member.value.kind == ConfigNode::Kind::scalar) values.push_back(member.value.text);
  for (const auto& item : member.value.items) {
    if (item.kind != ConfigNode::Kind::scalar) {
      return std::unexpected(at(path, item.place, "expected a plain value"));
    }
    values.push_back(item.text);
  }
  if (values.empty()) {
    // What is not there has its place at whatever comes next.
    const bool absent = member.value.kind == ConfigNode::Kind::null;
    return std::unexpected(at(path, absent ? member.place : member.value.place,
                              fmt::format("{}: expected a value", member.key)));
  }
  try {
    for (const auto& value : values) {
      option->add_result(form.value_of ? form.value_of(flag, value) : value);
    }
    option->run_callback();
  } catch (const CLI::Error& error) {
    return std::unexpected(at(path, member.value.place, error.what()));
  }
  return {};
}

}  // namespace

std::string flag_name(std::string_view field) {
  std::string flag;
  for (const char c : field) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) flag += '-';
    flag += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return flag;
}

Result<void> apply_config_file(CLI::App& command, const std::string& path, const ConfigForm& form) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  auto root = wire::parse_yaml(*text);
  if (!root) return std::unexpected(Error(root.error()).within(path));
  if (root->kind != ConfigNode::Kind::map) {
    return std::unexpected(at(path, root->place, "expected a " + form.kind));
  }
  if (auto is = expect_text(*root, "apiVersion", "dray.dev/v1alpha1", path); !is) return is;
  if (auto is = expect_text(*root, "kind", form.kind, path); !is) return is;
  std::set<std::string_view> seen;
  for (const auto& member : root->members) {
    if (!seen.insert(member.key).second) {
      return std::unexpected(at(path, member.place, member.key + ": is there already"));
    }
    if (member.key == "apiVersion" || member.key == "kind") continue;
    if (auto set = set_option(command, member, path, form); !set) return set;
  }
  return {};
}

}  // namespace dray::app
