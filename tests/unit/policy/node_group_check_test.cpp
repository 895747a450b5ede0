#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "dray/policy/config.h"

namespace dray::policy::node_group_check_test {
namespace {

PolicyConfig sound() {
  PolicyConfig config;
  config.budgets.exposed_jobs = 1;
  auto& group = config.node_groups.emplace_back();
  group.name = "pool";
  group.node.emplace().allocatable = {
      {"cpu", Quantity(8)}, {"memory", Quantity(1 << 30)}, {"pods", Quantity(110)}};
  auto& slice = group.slices.emplace().emplace_back();
  slice.driver = DriverName("gpu.example.com");
  slice.pool = PoolName("gpus");
  return config;
}

TEST_CASE("a node group says what its nodes are like") {
  struct Row {
    std::string name;
    std::function<void(PolicyConfig&)> spoil;
    std::string path, text;
  };
  const auto row = GENERATE(values<Row>({
      {"no name", [](auto& c) { c.node_groups[0].name = "A b"; }, "nodeGroups[0].name",
       "is no name"},
      {"a name twice", [](auto& c) { c.node_groups.push_back(c.node_groups[0]); },
       "nodeGroups[1].name", "there is a node group pool already"},
      {"no node", [](auto& c) { c.node_groups[0].node.reset(); }, "nodeGroups[0]",
       "give node, or like"},
      {"no pods", [](auto& c) { c.node_groups[0].node->allocatable.erase("pods"); },
       "nodeGroups[0].node", "status.allocatable has no pods"},
      {"no driver", [](auto& c) { c.node_groups[0].slices->at(0).driver = DriverName(); },
       "nodeGroups[0].slices[0]", "is no name of a driver"},
      {"no pool", [](auto& c) { c.node_groups[0].slices->at(0).pool = PoolName(); },
       "nodeGroups[0].slices[0]", "spec.pool.name is missing"},
      {"a slice of all nodes",
       [](auto& c) { c.node_groups[0].slices->at(0).scope.all_nodes = true; },
       "nodeGroups[0].slices[0]", "leave out allNodes"},
      {"a slice of the nodes that a selector takes",
       [](auto& c) { c.node_groups[0].slices->at(0).scope.node_selector.emplace(); },
       "nodeGroups[0].slices[0]", "leave out nodeSelector"},
      {"a slice whose devices say their nodes",
       [](auto& c) { c.node_groups[0].slices->at(0).per_device_node_selection = true; },
       "nodeGroups[0].slices[0]", "leave out perDeviceNodeSelection"},
      {"fewer nodes than none", [](auto& c) { c.node_groups[0].max_nodes = -1; },
       "nodeGroups[0].maxNodes", "must not be below 0"},
      {"no class of requests",
       [](auto& c) { c.provisioning = {.class_name = "Atomic Scale", .parameters = {}}; },
       "provisioningRequests.class", "is no name of a class"},
      {"a long parameter",
       [](auto& c) {
         c.provisioning = {.class_name = "a.b", .parameters = {{"k", std::string(256, 'v')}}};
       },
       "provisioningRequests.parameters.k", "256 characters, and the API server takes 255"},
      {"nothing is asked for",
       [](auto& c) {
         c.node_groups.clear();
         c.provisioning = {.class_name = "a.b", .parameters = {}};
         c.budgets.exposed_jobs = 0;
       },
       "provisioningRequests", "while budgets.exposedJobs is 0"},
      {"nothing is shown", [](auto& c) { c.budgets.exposed_jobs = 0; }, "nodeGroups",
       "while budgets.exposedJobs is 0"},
  }));
  DYNAMIC_SECTION(row.name) {
    auto config = sound();
    CHECK(validate(config).empty());
    row.spoil(config);
    const auto problems = validate(config);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].path == row.path);
    CHECK_THAT(problems[0].text, Catch::Contains(row.text));
  }
}

}  // namespace
}  // namespace dray::policy::node_group_check_test
