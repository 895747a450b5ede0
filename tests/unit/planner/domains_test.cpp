#include "planner/place/domains.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::domains_test {

using namespace worlds;
namespace {

/// Zone z1: racks r1 (a, b) and r2 (c); zone z2: rack r3 (d). Four GPUs each, and a node without
/// labels.
World racks() {
  World world;
  world.config.topology = {"zone", "rack"};
  const auto at = [&](const char* name, const char* zone, const char* rack) {
    world.node(name, 4, [=](Node& node) {
      node.meta.labels["zone"] = zone;
      node.meta.labels["rack"] = rack;
    });
  };
  at("a", "z1", "r1");
  at("b", "z1", "r1");
  at("c", "z1", "r2");
  at("d", "z2", "r3");
  world.node("e", 4);
  return world;
}

struct Asking {
  Parts parts;

  explicit Asking(World& world) : parts(world) {}
  std::vector<Task*> tasks(const std::string& job) {
    std::vector<Task*> all;
    for (auto& task : parts.job(job).tasks) all.push_back(&task);
    return all;
  }
  /// Each set as the names of its nodes.
  std::vector<std::string> sets(const policy::TopologyConstraint& constraint,
                                const std::string& job, const std::vector<std::string>& taken = {},
                                std::optional<std::vector<std::string>> among = {}) {
    const auto nodes = among ? parts.nodes(*among) : parts.placer.fit().everywhere();
    std::vector<std::string> found;
    for (const auto& set :
         parts.placer.domains().sets(constraint, tasks(job), parts.nodes(taken).nodes, nodes)) {
      auto& text = found.emplace_back();
      for (const auto node : set.nodes) text += parts.name(node);
    }
    return found;
  }
};

policy::TopologyConstraint required(const std::string& level, const std::string& preferred = {}) {
  return {.topology = "", .required = level, .preferred = preferred};
}

TEST_CASE("a gang goes into one domain of the required level, the fullest that may take it") {
  auto world = racks();
  world.running("r", "b", 0, 2, "a");
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 2, 2);
  Asking c(world);
  using Sets = std::vector<std::string>;
  CHECK(c.sets({}, "g") == Sets{"abcde"});
  CHECK(c.sets(required("rack"), "g") == Sets{"d", "c", "ab"});
  CHECK(c.sets(required("zone"), "g") == Sets{"d", "abc"});
  CHECK(c.sets(required("rack"), "g", {}, std::vector<std::string>{"a", "d"}) == Sets{"a", "d"});
}

TEST_CASE("domains that cannot take all of the gang are none") {
  auto world = racks();
  auto& gang = world.gang("g", "a", 3);
  world.members(gang, 3, 2);
  Asking c(world);
  CHECK(c.sets(required("rack"), "g") == std::vector<std::string>{"ab"});
}

TEST_CASE("members that have their nodes pin the domain") {
  auto world = racks();
  auto& gang = world.gang("g", "a", 1);
  world.members(gang, 1, 2);
  Asking c(world);
  CHECK(c.sets(required("rack"), "g", {"c"}) == std::vector<std::string>{"c"});
  CHECK(c.sets(required("zone"), "g", {"c"}) == std::vector<std::string>{"abc"});
  // What is only preferred pins nothing.
  CHECK(c.sets(required("", "rack"), "g", {"c"}).size() > 1);
}

TEST_CASE("a preferred level is tried first, then the wider ones") {
  auto world = racks();
  auto& gang = world.gang("g", "a", 3);
  world.members(gang, 3, 2);
  Asking c(world);
  CHECK(c.sets(required("zone", "rack"), "g") == std::vector<std::string>{"ab", "abc"});
  CHECK(c.sets(required("", "rack"), "g") == std::vector<std::string>{"ab", "abc", "abcd"});
  const auto sets = c.parts.placer.domains().sets(required("", "rack"), c.tasks("g"), {},
                                                  c.parts.placer.fit().everywhere());
  REQUIRE_FALSE(sets.empty());
  const auto& bonus = sets[0].bonus;
  REQUIRE_FALSE(bonus.empty());
  CHECK(bonus[c.parts.node("a").get()] > 0);
  CHECK(bonus[c.parts.node("e").get()] == 0);
  CHECK(bonus[c.parts.node("a").get()] == bonus[c.parts.node("b").get()]);
}

TEST_CASE("a level or a topology that is not there has no domains") {
  auto world = racks();
  auto& gang = world.gang("g", "a", 1);
  world.members(gang, 1, 1);
  Asking c(world);
  CHECK(c.sets(required("block"), "g").empty());
  CHECK(c.sets(required("", "block"), "g").empty());
  CHECK(c.sets({.topology = "other", .required = "rack", .preferred = {}}, "g").empty());
}

TEST_CASE("how many members a node has room for is bounded by devices and CPU") {
  auto world = racks();
  auto& gang = world.gang("g", "a", 1);
  world.member(gang, "g0", 2);
  auto& hungry = world.gang("h", "a", 1);
  world.member(hungry, "h0", 1, {}, 0,
               [](Pod& pod) { pod.containers[0].requests["cpu"] = Quantity(33); });
  auto& picky = world.gang("k", "a", 1);
  world.member(picky, "k0", 1, {}, 0, [](Pod& pod) { pod.node_selector["rack"] = "r1"; });
  world.input.refused = {{Uid("uid-g0"), NodeName("b")}};
  Asking c(world);
  auto& domains = c.parts.placer.domains();
  CHECK(domains.room_for(c.parts.task("g"), c.parts.node("a")) == 2);
  CHECK(domains.room_for(c.parts.task("g"), c.parts.node("b")) == 0);
  CHECK(domains.room_for(c.parts.task("h"), c.parts.node("a")) == 1);
  CHECK(domains.room_for(c.parts.task("k"), c.parts.node("a")) == 4);
  CHECK(domains.room_for(c.parts.task("k"), c.parts.node("d")) == 0);
}

TEST_CASE("whether nodes might take all is a bound, also for members of several kinds") {
  auto world = racks();
  auto& gang = world.gang("g", "a", 3);
  world.members(gang, 3, 2);
  auto& mixed = world.gang("m", "a", 2);
  world.member(mixed, "m0", 1);
  world.member(mixed, "m1", 2);
  world.running("r", "d", 0, 4, "a");
  Asking c(world);
  auto& domains = c.parts.placer.domains();
  CHECK_FALSE(domains.may_take(c.tasks("g"), c.parts.nodes({"a"}).nodes));
  CHECK(domains.may_take(c.tasks("g"), c.parts.nodes({"a", "b"}).nodes));
  CHECK(domains.may_take(c.tasks("m"), c.parts.nodes({"a"}).nodes));
  CHECK_FALSE(domains.may_take(c.tasks("m"), c.parts.nodes({"d"}).nodes));
  CHECK(domains.may_take({}, {}));
}

}  // namespace
}  // namespace dray::planner::domains_test
