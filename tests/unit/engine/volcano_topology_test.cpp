#include "engine/books/volcano_topology.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/engine/gangs_on_shelf.h"

namespace dray::engine::volcano_topology_test {
namespace {

struct Row {
  std::string name;
  VolcanoNetworkTopology wanted;
  std::vector<std::string> levels;
  policy::TopologyConstraint want;
  std::string problem;
};

TEST_CASE("tiers of Volcano are levels of the policy, the last of them is tier 1") {
  const std::vector<std::string> levels{"zone", "block", "rack"};
  const auto row = GENERATE_COPY(
      Row{"hard, the narrowest", {"hard", 1, ""}, levels, {"", "rack", ""}, ""},
      Row{"hard is the default, and tier 1", {"", {}, ""}, levels, {"", "rack", ""}, ""},
      Row{"a wider one, and a narrower one if it can be",
          {"hard", 2, ""},
          levels,
          {"", "block", "rack"},
          ""},
      Row{"by name", {"hard", {}, "zone"}, levels, {"", "zone", "rack"}, ""},
      Row{"soft", {"soft", {}, ""}, levels, {"", "", "rack"}, ""},
      Row{"more tiers than levels",
          {"hard", 4, ""},
          levels,
          {},
          "networkTopology of Volcano's PodGroup: highestTierAllowed 4, and the policy's topology "
          "has 3 levels"},
      Row{"a name that is no level",
          {"hard", {}, "spine"},
          levels,
          {},
          "networkTopology of Volcano's PodGroup: highestTierName spine is none of the policy's "
          "topology"},
      Row{"a policy without levels",
          {"hard", 1, ""},
          {},
          {},
          "networkTopology of Volcano's PodGroup: the policy's topology names no node labels (the "
          "last is tier 1)"});
  DYNAMIC_SECTION(row.name) {
    const auto made = volcano_constraint(row.wanted, row.levels);
    REQUIRE(made.has_value() == row.problem.empty());
    if (made) {
      CHECK(*made == row.want);
    } else {
      CHECK(made.error().reason == Reason::unsupported);
      CHECK(made.error().detail == row.problem);
    }
  }
}

TEST_CASE("a group of Volcano's agrees in its tier, or waits with the reason") {
  VolcanoGroup group;
  group.meta = testing::default_meta("g");
  group.min_member = 2;
  group.network_topology = {.mode = "hard", .highest_tier = 1, .highest_tier_name = {}};
  Shelf shelf;
  shelf.observe(group);
  auto pod = make_pod("p", "");
  pod.meta.annotations = {{"scheduling.k8s.io/group-name", "g"}};
  put_all(shelf, {pod});
  CHECK(unformed_in(shelf).starts_with("networkTopology of Volcano's PodGroup: the policy's"));

  auto config = policy::Policy::open().config;
  config.topology = {"rack"};
  auto made = policy::compile(config);
  REQUIRE(made);
  shelf.book.set_policy(std::make_shared<const policy::Policy>(*std::move(made)), true);
  shelf.look_again();
  REQUIRE(shelf.book.jobs(start).size() == 1);
  CHECK(shelf.book.jobs(start)[0]->gang.topology == policy::TopologyConstraint{"", "rack", ""});
}

}  // namespace
}  // namespace dray::engine::volcano_topology_test
