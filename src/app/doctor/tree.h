#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "wire/yaml/config_node.h"

namespace dray::app {

/// An object of whatever kind, as its JSON or YAML has it.
using Tree = wire::ConfigNode;

/// From JSON, or one YAML document as Kubernetes reads it. Scalars that are text are `quoted`.
[[nodiscard]] Result<Tree> read_tree(std::string_view text);
/// Every document that is not empty.
[[nodiscard]] Result<std::vector<Tree>> read_trees(std::string_view yaml);

/// The value at a path of keys below it, or nullptr: `at(policy, {"spec", "paramRef", "name"})`.
[[nodiscard]] const Tree* at(const Tree& tree, std::initializer_list<std::string_view> path);
/// The text of the scalar there; empty where there is none.
[[nodiscard]] std::string text_at(const Tree& tree, std::initializer_list<std::string_view> path);
/// The scalar there is the boolean true.
[[nodiscard]] bool true_at(const Tree& tree, std::initializer_list<std::string_view> path);
/// The items of the list there; none where there is no list.
[[nodiscard]] const std::vector<Tree>& items_at(const Tree& tree,
                                                std::initializer_list<std::string_view> path);

/// Where `have` says other than `want`: the path of the first difference and what it is, as
/// `spec.failurePolicy is "Ignore", not "Fail"`. What `have` has beyond `want` is a difference too,
/// unless it is empty or a default of the API server's.
[[nodiscard]] std::optional<std::string> difference(const Tree& want, const Tree& have,
                                                    const std::string& path);

}  // namespace dray::app
