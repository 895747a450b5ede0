#include "app/policy/config_changes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace dray::app::config_changes_test {
namespace {

policy::PolicyConfig with_group(const std::string& name, std::int32_t most, int slices) {
  policy::PolicyConfig config;
  auto& group = config.node_groups.emplace_back();
  group.name = name;
  group.max_nodes = most;
  group.slices.emplace(static_cast<std::size_t>(slices));
  return config;
}

std::vector<std::string> texts(const policy::PolicyConfig& was, const policy::PolicyConfig& would) {
  std::vector<std::string> texts;
  for (const auto& change : changes_between(was, would)) texts.push_back(change.to_string());
  return texts;
}

TEST_CASE("node groups are told apart by name, their manifests in short") {
  using Texts = std::vector<std::string>;
  const auto was = with_group("a", 2, 1);
  CHECK(texts(was, was).empty());
  CHECK(texts(was, with_group("b", 3, 1)) == Texts{"node group b: added, at most 3 nodes",
                                                   "node group a: removed, had at most 2 nodes"});
  CHECK(texts(was, with_group("a", 3, 2)) ==
        Texts{"node group a: maxNodes 2 → 3", "node group a: slices 1 of them → 2 of them"});
  auto other = was;
  other.node_groups[0].slices->at(0).driver = DriverName("gpu.example.com");
  CHECK(texts(was, other) == Texts{"node group a: slices 1 of them → other: 1 of them"});
}

}  // namespace
}  // namespace dray::app::config_changes_test
