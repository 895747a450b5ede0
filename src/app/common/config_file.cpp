#include "app/common/config_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <set>
#include <vector>

#include "app/common/files.h"
#include "dray/base/suggest.h"
#include "wire/yaml/config_node.h"

namespace dray::app {
namespace {

using wire::ConfigNode;

/// The flags that are no fields.
bool is_field(std::string_view flag, const ConfigForm& form) {
  return flag != form.own_flag && flag != "help";
}

std::vector<std::string> fields_of(const CLI::App& command, const ConfigForm& form) {
  std::vector<std::string> fields;
  for (const auto* option : command.get_options()) {
    const auto& names = option->get_lnames();
    if (names.empty() || !is_field(names.front(), form)) continue;
    fields.push_back(field_name(names.front()));
  }
  return fields;
}

Error error_at(const std::string& path, wire::TextPlace place, std::string message) {
  return {ErrorCode::invalid, fmt::format("{}:{}:{}: {}", path, place.line, place.column, message)};
}

Result<void> expect_text(const ConfigNode& root, std::string_view key, std::string_view want,
                         const std::string& path) {
  const auto* node = root.find(key);
  if (node != nullptr && node->text == want) return {};
  const auto place = node == nullptr ? root.place : node->place;
  return std::unexpected(error_at(path, place, fmt::format("expected {}: {}", key, want)));
}

Result<void> set_option(CLI::App& command, const ConfigNode::Member& member,
                        const std::string& path, const ConfigForm& form) {
  const auto flag = flag_name(member.key);
  auto* option = command.get_option_no_throw("--" + flag);
  if (option == nullptr || !is_field(flag, form)) {
    return std::unexpected(error_at(path, member.place,
                                    fmt::format("no field \"{}\"{}", member.key,
                                                suggest(member.key, fields_of(command, form)))));
  }
  if (option->count() > 0) return {};  // the command line wins
  std::vector<std::string> values;
  if (member.value.kind == ConfigNode::Kind::scalar) values.push_back(member.value.text);
  for (const auto& item : member.value.items) {
    if (item.kind != ConfigNode::Kind::scalar) {
      return std::unexpected(error_at(path, item.place, "expected a plain value"));
    }
    values.push_back(item.text);
  }
  if (values.empty()) {
    // What is not there has its place at whatever comes next.
    const bool absent = member.value.kind == ConfigNode::Kind::null;
    return std::unexpected(error_at(path, absent ? member.place : member.value.place,
                                    fmt::format("{}: expected a value", member.key)));
  }
  try {
    for (const auto& value : values) {
      option->add_result(form.value_of ? form.value_of(flag, value) : value);
    }
    option->run_callback();
  } catch (const CLI::Error& error) {
    return std::unexpected(error_at(path, member.value.place, error.what()));
  }
  return {};
}

}  // namespace

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
    return std::unexpected(error_at(path, root->place, "expected a " + form.kind));
  }
  if (auto is = expect_text(*root, "apiVersion", "dray.dev/v1alpha1", path); !is) return is;
  if (auto is = expect_text(*root, "kind", form.kind, path); !is) return is;
  std::set<std::string_view> seen;
  for (const auto& member : root->members) {
    if (!seen.insert(member.key).second) {
      return std::unexpected(error_at(path, member.place, member.key + ": is there already"));
    }
    if (member.key == "apiVersion" || member.key == "kind") continue;
    if (auto set = set_option(command, member, path, form); !set) return set;
  }
  return {};
}

}  // namespace dray::app
