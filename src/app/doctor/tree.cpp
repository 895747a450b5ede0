#include "app/doctor/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "wire/yaml/yaml_json.h"

namespace dray::app {
namespace {

using TreeKind = Tree::Kind;

std::string shown(const Tree& tree) {
  constexpr std::size_t most = 80;
  switch (tree.kind) {
    case TreeKind::null:
      return "null";
    case TreeKind::list:
      return fmt::format("a list of {}", tree.items.size());
    case TreeKind::map:
      return "an object";
    case TreeKind::scalar:
      break;
  }
  auto text = tree.text.size() > most ? tree.text.substr(0, most) + "…" : tree.text;
  return tree.quoted ? '"' + text + '"' : text;
}

bool is_empty_value(const Tree& tree) {
  return tree.kind == TreeKind::null || (tree.kind == TreeKind::scalar && tree.text.empty()) ||
         (tree.kind == TreeKind::list && tree.items.empty()) ||
         (tree.kind == TreeKind::map && tree.members.empty());
}

/// What kube-apiserver fills in by itself in policies, their bindings and flow schemas.
bool is_default(std::string_view key, const Tree& value) {
  constexpr auto defaults = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"matchPolicy", "Equivalent"},
      {"scope", "*"},
      {"failurePolicy", "Fail"},
      {"reinvocationPolicy", "Never"},
      {"clusterScope", "false"},
  });
  return value.kind == TreeKind::scalar &&
         std::ranges::find(defaults, std::pair(key, std::string_view(value.text))) !=
             defaults.end();
}

std::optional<std::string> member_difference(const Tree& want, const Tree& have,
                                             const std::string& path) {
  for (const auto& member : want.members) {
    const auto below = path + "." + member.key;
    const auto* there = have.find(member.key);
    if (there == nullptr) {
      if (is_empty_value(member.value)) continue;
      return below + " is missing";
    }
    if (auto found = difference(member.value, *there, below)) return found;
  }
  for (const auto& member : have.members) {
    if (want.find(member.key) != nullptr || is_empty_value(member.value)) continue;
    if (is_default(member.key, member.value)) continue;
    return fmt::format("{}.{} was added: {}", path, member.key, shown(member.value));
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<Tree>> read_trees(std::string_view yaml) {
  const auto documents = wire::read_yaml(yaml);
  if (!documents) {
    return fail(ErrorCode::invalid,
                fmt::format("line {}: {}", documents.error().line, documents.error().text));
  }
  std::vector<Tree> trees;
  trees.reserve(documents->size());
  for (const auto& document : *documents) {
    auto tree = wire::parse_yaml(document.json);
    if (!tree) return std::unexpected(std::move(tree.error()));
    trees.push_back(*std::move(tree));
  }
  return trees;
}

Result<Tree> read_tree(std::string_view text) {
  auto trees = read_trees(text);
  if (!trees) return std::unexpected(std::move(trees.error()));
  if (trees->empty()) return Tree();
  if (trees->size() > 1) return fail(ErrorCode::invalid, "several documents; expected one");
  return std::move(trees->front());
}

const Tree* at(const Tree& tree, std::initializer_list<std::string_view> path) {
  const auto* found = &tree;
  for (const auto key : path) {
    found = found->find(key);
    if (found == nullptr) return nullptr;
  }
  return found;
}

std::string text_at(const Tree& tree, std::initializer_list<std::string_view> path) {
  const auto* found = at(tree, path);
  return found != nullptr && found->kind == TreeKind::scalar ? found->text : "";
}

bool true_at(const Tree& tree, std::initializer_list<std::string_view> path) {
  const auto* found = at(tree, path);
  return found != nullptr && found->kind == TreeKind::scalar && !found->quoted &&
         found->text == "true";
}

const std::vector<Tree>& items_at(const Tree& tree, std::initializer_list<std::string_view> path) {
  static const std::vector<Tree> none;
  const auto* found = at(tree, path);
  return found == nullptr ? none : found->items;
}

std::optional<std::string> difference(const Tree& want, const Tree& have, const std::string& path) {
  if (want.kind != have.kind) {
    if (is_empty_value(want) && is_empty_value(have)) return std::nullopt;
    return fmt::format("{} is {}, not {}", path, shown(have), shown(want));
  }
  switch (want.kind) {
    case TreeKind::null:
      return std::nullopt;
    case TreeKind::scalar:
      if (want.text == have.text && want.quoted == have.quoted) return std::nullopt;
      if (shown(want) == shown(have)) return path + " is another text";
      return fmt::format("{} is {}, not {}", path, shown(have), shown(want));
    case TreeKind::list: {
      if (want.items.size() != have.items.size()) {
        return fmt::format("{} has {} items, not {}", path, have.items.size(), want.items.size());
      }
      for (std::size_t i = 0; i < want.items.size(); ++i) {
        if (auto found = difference(want.items[i], have.items[i], fmt::format("{}[{}]", path, i))) {
          return found;
        }
      }
      return std::nullopt;
    }
    case TreeKind::map:
      return member_difference(want, have, path);
  }
  return std::nullopt;
}

}  // namespace dray::app
