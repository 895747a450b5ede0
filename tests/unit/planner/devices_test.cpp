#include "planner/place/devices.h"

#include <catch2/catch.hpp>
#include <set>

#include "dray/model/claim_limits.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::devices_test {

using namespace worlds;
namespace {

struct Choosing {
  Parts parts;
  Devices devices;

  explicit Choosing(World& world)
      : parts(world), devices(*parts.input.snapshot, parts.memory.allocator()) {}

  auto choose(const std::vector<std::string>& jobs, const std::string& node) {
    std::vector<const Task*> tasks;
    for (const auto& job : jobs) tasks.push_back(&parts.task(job));
    return devices.choose(parts.overlay.idle(), tasks, parts.node(node));
  }
  Reason given_elsewhere(const std::string& job, const std::string& node) {
    return devices.given_elsewhere(parts.overlay.idle(), parts.task(job), parts.node(node));
  }
};

/// A claim that was allocated on the node before, for whoever names it.
ResourceClaim allocated(const std::string& name, const std::string& node) {
  auto claim = make_claim(name, 1);
  auto& result = claim.allocation.emplace();
  auto& device = result.devices.emplace_back();
  device.request = "gpu";
  device.device = {DriverName("gpu.example.com"), PoolName(node), DeviceName("gpu-0")};
  result.node_selector.emplace().terms.emplace_back().match_fields.push_back(
      {.key = "metadata.name", .op = "In", .values = {node}});
  return claim;
}

const Edit<Pod> uses_shared = [](Pod& pod) {
  pod.resource_claims = {{.name = "gpus", .claim_name = "shared", .template_name = {}}};
};

TEST_CASE("members on one node get devices together, each its own") {
  World world;
  world.node("n0", 3);
  world.waiting("p", 1, "a");
  world.waiting("q", 2, "a");
  world.waiting("r", 1, "a");
  Choosing c(world);
  const auto made = c.choose({"p", "q"}, "n0");
  REQUIRE(made);
  REQUIRE(made->placements.size() == 2);
  CHECK(made->placements[0].pod_uid == Uid("uid-p"));
  CHECK(made->placements[1].claims.at(0).claim == ClaimKey{"default", "c-q"});
  CHECK_FALSE(made->placements[1].claims[0].already_allocated);
  std::set<DeviceId> taken;
  for (const auto& placement : made->placements) {
    CHECK(placement.node == NodeName("n0"));
    for (const auto& device : placement.claims[0].allocation.devices) {
      CHECK(taken.insert(device.device).second);
    }
  }
  CHECK(taken.size() == 3);
  const auto none = c.choose({"p", "q", "r"}, "n0");
  REQUIRE_FALSE(none);
  CHECK(none.error().reason != Reason::none);
}

TEST_CASE("members that share a claim get the same devices, once") {
  World world;
  world.node("n0", 1);
  world.tell(make_claim("shared", 1));
  world.waiting("p", 0, "a", uses_shared);
  world.waiting("q", 0, "a", uses_shared);
  Choosing c(world);
  const auto made = c.choose({"p", "q"}, "n0");
  REQUIRE(made);
  CHECK(made->placements[0].claims[0].allocation == made->placements[1].claims[0].allocation);
}

TEST_CASE("a claim with devices is used where these are, and by so many at most") {
  World world;
  world.node("n0", 1);
  world.node("n1", 1);
  auto shared = allocated("shared", "n0");
  struct Row {
    std::size_t others;
    bool listed;  ///< the pod itself, by an earlier attempt
    bool full;
  };
  const auto [others, listed, full] =
      GENERATE(Row{max_consumers - 1, false, false}, Row{max_consumers, false, true},
               Row{max_consumers - 1, true, false});
  const auto users = others;
  for (std::size_t i = 0; i < users; ++i) {
    const auto name = "u" + std::to_string(i);
    shared.reserved_for.push_back(
        {.api_group = {}, .resource = "pods", .name = name, .uid = Uid(name)});
  }
  if (listed) {
    shared.reserved_for.push_back(
        {.api_group = {}, .resource = "pods", .name = "p", .uid = Uid("uid-p")});
  }
  world.tell(shared);
  world.waiting("p", 0, "a", uses_shared);
  Choosing c(world);
  CHECK(c.given_elsewhere("p", "n0") == (full ? Reason::claim_consumers : Reason::none));
  if (full) return;
  CHECK(c.given_elsewhere("p", "n1") == Reason::claim_elsewhere);
  const auto made = c.choose({"p"}, "n0");
  REQUIRE(made);
  CHECK(made->placements[0].claims[0].already_allocated);
  CHECK(made->placements[0].claims[0].allocation == *shared.allocation);
  CHECK(c.devices.check(c.parts.overlay.idle(), c.parts.task("p"), c.parts.node("n1")).reason ==
        Reason::claim_elsewhere);
}

TEST_CASE("open claims are those without devices") {
  World world;
  world.node("n0", 1);
  world.tell(allocated("shared", "n0"));
  world.waiting("p", 1, "a", [](Pod& pod) {
    pod.resource_claims.push_back({.name = "s", .claim_name = "shared", .template_name = {}});
  });
  Choosing c(world);
  const auto& claims = c.parts.task("p").claims;
  REQUIRE(claims.size() == 2);
  const auto open = open_claims(c.parts.overlay.idle(), claims);
  REQUIRE(open.size() == 1);
  CHECK(open[0]->meta.name == "c-p");
}

TEST_CASE("what devices take of the node itself has to be there, for all members together") {
  World world;
  world.options.features.node_allocatable_resources = true;
  world.node("n0", 0, [](Node& node) { node.allocatable["cpu"] = Quantity(10); });
  auto slice = make_gpus("n0", 2);
  for (auto& device : slice.devices) {
    device.node_allocatable_resources["cpu"].mapping.emplace().device_multiplier = Quantity(5);
  }
  world.tell(slice);
  const Edit<Pod> refers = [](Pod& pod) {
    pod.containers[0].claims = {"gpus"};
    pod.containers[0].requests["cpu"] = Quantity::parse("100m").value();
  };
  world.waiting("p", 1, "a", refers);
  world.waiting("q", 1, "a", refers);
  Choosing c(world);
  CHECK(c.devices.counts_node_allocatable());
  const auto one = c.choose({"p"}, "n0");
  REQUIRE(one);
  REQUIRE(one->placements[0].node_allocatable.size() == 1);
  CHECK(one->placements[0].node_allocatable[0].claim == "c-p");
  const auto both = c.choose({"p", "q"}, "n0");
  REQUIRE_FALSE(both);
  CHECK(both.error().reason == Reason::node_resources);
  CHECK(both.error().lack == cluster::NodeAllocatableLack{
                                 .resource = "cpu", .wanted = 5100, .devices = 5000, .left = 4900});
}

TEST_CASE("a claim that stands for the node's own resources is one pod's alone") {
  World world;
  world.options.features.node_allocatable_resources = true;
  world.node("n0", 0);
  auto slice = make_gpus("n0", 1);
  slice.devices[0].node_allocatable_resources["cpu"].mapping.emplace().device_multiplier =
      Quantity(5);
  world.tell(slice);
  auto shared = allocated("shared", "n0");
  const auto user = GENERATE(as<std::string>{}, "", "p", "other");
  if (!user.empty()) {
    shared.reserved_for.push_back(
        {.api_group = {}, .resource = "pods", .name = user, .uid = Uid("uid-" + user)});
  }
  world.tell(shared);
  world.waiting("p", 0, "a", uses_shared);
  Choosing c(world);
  CHECK(c.given_elsewhere("p", "n0") == (user == "other" ? Reason::claim_consumers : Reason::none));
}

TEST_CASE("the claim that an earlier attempt made for extended resources is used again") {
  World world;
  auto behind = make_class();
  behind.extended_resource_name = "example.com/gpu";
  world.tell(behind);
  world.node("n0", 2);
  world.waiting("p", 0, "a",
                [](Pod& pod) { pod.containers[0].requests["example.com/gpu"] = Quantity(1); });
  const auto earlier = [&](std::int64_t count, bool deleted) {
    Choosing before(world);
    auto made = alloc::extended_resource_claim(
        before.parts.task("p").pod(), *before.parts.input.snapshot, before.parts.node("n0"));
    REQUIRE(made);
    auto claim = made->claim;
    claim.meta.uid = Uid("made-before");
    claim.spec.requests[0].exactly->count = count;
    if (deleted) claim.meta.deleted = start;
    world.tell(claim);
  };
  SECTION("none was made") {
    Choosing c(world);
    const auto made = c.choose({"p"}, "n0");
    REQUIRE(made);
    CHECK(made->placements[0].claims.at(0).claim_uid.get().empty());
    CHECK(made->placements[0].claims[0].extended);
  }
  SECTION("the same") {
    earlier(1, false);
    Choosing c(world);
    const auto made = c.choose({"p"}, "n0");
    REQUIRE(made);
    CHECK(made->placements[0].claims.at(0).claim_uid == Uid("made-before"));
  }
  SECTION("another, or one that is being deleted, has to go first") {
    const bool deleted = GENERATE(true, false);
    earlier(deleted ? 1 : 2, deleted);
    Choosing c(world);
    const auto made = c.choose({"p"}, "n0");
    REQUIRE_FALSE(made);
    CHECK(made.error().reason == Reason::claim_elsewhere);
  }
}

}  // namespace
}  // namespace dray::planner::devices_test
