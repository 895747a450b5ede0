#include "planner/place/gangs.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::gangs_test {

using namespace worlds;
namespace {

auto place(Parts& parts, const std::string& job, Room room = Room::idle,
           const std::vector<std::string>& among = {}) {
  const auto chunk = parts.job(job).next_chunk();
  return parts.placer.place(parts.job(job), chunk,
                            among.empty() ? parts.placer.fit().everywhere() : parts.nodes(among),
                            room);
}

/// Nodes of the members in their order, `-` where there is no room.
std::string nodes(Parts& parts, const std::string& job, Room room = Room::idle) {
  const auto made = place(parts, job, room);
  if (!made) return "-";
  std::map<std::string, std::string> by_pod;
  for (const auto& each : *made) by_pod[each.placement.pod.name] = each.placement.node.get();
  std::string names;
  for (const auto& [pod, node] : by_pod) names += node;
  return names;
}

TEST_CASE("a gang is placed whole, or the overlay is as it was") {
  World world;
  world.node("a", 2);
  world.node("b", 2);
  const int members = GENERATE(4, 5);
  auto& gang = world.gang("g", "a", members);
  world.members(gang, members, 1);
  Parts parts(world);
  const auto made = place(parts, "g");
  CHECK(made.has_value() == (members == 4));
  CHECK(parts.held("a") == (members == 4 ? 4 : 0));
  if (made) {
    std::set<DeviceId> taken;
    for (const auto& each : *made) {
      for (const auto& device : each.placement.claims[0].allocation.devices) {
        CHECK(taken.insert(device.device).second);
      }
    }
    return;
  }
  CHECK(made.error().placed == 4);
  CHECK(made.error().task == &parts.task("g", 4));
  CHECK(made.error().among.size() == 2);
  CHECK_FALSE(made.error().no_domain);
  CHECK(parts.job("g").placed == 0);
}

TEST_CASE("only the chunk is placed") {
  World world;
  world.node("a", 8);
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 3, 1);
  Parts parts(world);
  const auto made = place(parts, "g");
  REQUIRE(made);
  CHECK(made->size() == 2);
  CHECK(parts.task("g", 2).state == policy::TaskState::pending);
}

TEST_CASE("members with the least choice go first if the others are in their way") {
  // The first member takes the fuller node, which is the only one for the second.
  World world;
  world.node("a", 1, [](Node& node) { node.meta.labels["kind"] = "x"; });
  world.node("b", 2);
  auto& gang = world.gang("g", "a", 2);
  world.member(gang, "g0", 1);
  world.member(gang, "g1", 1, {}, 0, [](Pod& pod) { pod.node_selector["kind"] = "x"; });
  Parts parts(world);
  CHECK(nodes(parts, "g") == "ba");
}

TEST_CASE("a gang stays within one domain, and each set of pods within its own") {
  World world;
  world.config.topology = {"zone", "rack"};
  for (const auto* name : {"a1", "a2", "b1", "b2"}) {
    world.node(name, 2, [&](Node& node) {
      node.meta.labels["zone"] = std::string(1, name[0]);
      node.meta.labels["rack"] = name;
    });
  }
  world.running("r", "a1", 0, 1, "a");
  auto& gang = world.gang("g", "a", 4);
  world.members(gang, 4, 1);
  SECTION("the whole gang") {
    gang.gang.topology.required = "zone";
    Parts parts(world);
    CHECK(nodes(parts, "g") == "b1b1b2b2");
  }
  SECTION("no domain is large enough") {
    gang.gang.topology.required = "rack";
    Parts parts(world);
    const auto made = place(parts, "g");
    REQUIRE_FALSE(made);
    CHECK(made.error().no_domain);
  }
  SECTION("each set in a rack of its own") {
    auto second = gang.gang.pod_sets.front();
    gang.gang.pod_sets.front().tasks.resize(2);
    second.tasks.erase(second.tasks.begin(), second.tasks.begin() + 2);
    second.name = "second";
    gang.gang.pod_sets.push_back(second);
    for (auto& set : gang.gang.pod_sets) {
      set.min_member = 2;
      set.topology.required = "rack";
    }
    Parts parts(world);
    const auto made = nodes(parts, "g");
    REQUIRE(made.size() == 8);
    CHECK(made.substr(0, 2) == made.substr(2, 2));
    CHECK(made.substr(4, 2) == made.substr(6, 2));
    CHECK(made.substr(0, 2) != made.substr(4, 2));
  }
}

TEST_CASE("later members join the domain of those that run") {
  World world;
  world.config.topology = {"zone"};
  for (const auto* name : {"a", "b"}) {
    world.node(name, 4, [&](Node& node) { node.meta.labels["zone"] = name; });
  }
  world.running("r", "b", 0, 1, "a");
  auto& gang = world.gang("g", "a", 1);
  gang.gang.topology.required = "zone";
  world.member(gang, "g0", 1, "a", 0);
  world.member(gang, "g1", 1);
  Parts parts(world);
  // Alone it would go to the fuller b.
  CHECK(nodes(parts, "g") == "a");
}

TEST_CASE("a shared claim has at most so many users, those included that were just placed") {
  World world;
  world.node("a", 1);
  world.tell(claim_for_one_more("shared"));
  const int members = GENERATE(1, 2);
  auto& gang = world.gang("g", "a", members);
  for (int i = 0; i < members; ++i) {
    world.member(gang, "g" + std::to_string(i), 0, {}, 0, [](Pod& pod) {
      pod.resource_claims = {{.name = "s", .claim_name = "shared", .template_name = {}}};
    });
  }
  Parts parts(world);
  CHECK(place(parts, "g").has_value() == (members == 1));
}

TEST_CASE("members that the claim lists already, or that use it as one, need one place for all") {
  World world;
  world.node("a", 1);
  auto shared = claim_for_one_more("shared");
  const bool as_group = GENERATE(false, true);
  if (as_group) {
    shared.meta.owners.push_back({.api_version = "scheduling.k8s.io/v1beta1",
                                  .kind = "PodGroup",
                                  .name = "pg",
                                  .uid = Uid("pg"),
                                  .controller = true});
  } else {
    shared.reserved_for.back() = testing::consumer("g0", Uid("uid-g0"));
  }
  world.tell(shared);
  auto& gang = world.gang("g", "a", 2);
  for (int i = 0; i < 2; ++i) {
    world.member(gang, "g" + std::to_string(i), 0, {}, 0, [&](Pod& pod) {
      pod.resource_claims = {{.name = "s", .claim_name = "shared", .template_name = {}}};
      if (as_group) pod.pod_group = "pg";
    });
  }
  Parts parts(world);
  CHECK(place(parts, "g").has_value());
}

TEST_CASE("releasing room is for those who may wait for it") {
  World world;
  world.node("a", 2);
  world.running("r", "a", 0, 2, "a");
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 2, 1);
  Parts parts(world);
  parts.overlay.evict(parts.job("r"), parts.task("r"));
  CHECK(nodes(parts, "g") == "-");
  const auto made = place(parts, "g", Room::releasing);
  REQUIRE(made);
  CHECK((*made)[0].room == Room::releasing);
}

TEST_CASE("only the nodes that are asked for are used") {
  World world;
  world.node("a", 1);
  world.node("b", 1);
  world.waiting("p", 1, "a");
  Parts parts(world);
  const auto made = place(parts, "p", Room::idle, {"b"});
  REQUIRE(made);
  CHECK((*made)[0].placement.node == NodeName("b"));
  CHECK((*made)[0].chosen.among == 1);
}

TEST_CASE("members that together need other devices than one by one are placed jointly") {
  // Either member alone takes gpu-0; only one of them can do with gpu-1.
  World world;
  world.node("a", 0);
  auto slice = make_gpus("a", 2);
  slice.devices[0].attributes["good"] = true;
  slice.devices[1].attributes["good"] = false;
  world.tell(slice);
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 2, 1);
  auto picky = make_claim("c-g1", 1, "g1");
  picky.spec.requests[0].exactly->selectors.push_back(
      {.cel = R"(device.attributes["gpu.example.com"].good)"});
  world.tell(picky);
  Parts parts(world);
  const auto made = place(parts, "g");
  REQUIRE(made);
  CHECK(made->size() == 2);
}

TEST_CASE("members that share a claim are placed jointly where it is") {
  // The first alone goes to the smaller b, which has too little for both.
  World world;
  for (const auto* name : {"a", "b"}) {
    world.node(name, 0);
    auto slice = make_gpus(name, *name == 'a' ? 3 : 2);
    for (auto& device : slice.devices) device.attributes["good"] = &device == &slice.devices[0];
    world.tell(slice);
  }
  world.tell(make_claim("shared", 1));
  auto& gang = world.gang("g", "a", 2);
  for (const auto* name : {"g0", "g1"}) {
    world.member(gang, name, 1, {}, 0, [](Pod& pod) {
      pod.resource_claims.push_back({.name = "s", .claim_name = "shared", .template_name = {}});
    });
  }
  auto picky = make_claim("c-g1", 1, "g1");
  picky.spec.requests[0].exactly->selectors.push_back(
      {.cel = R"(device.attributes["gpu.example.com"].good)"});
  world.tell(picky);
  Parts parts(world);
  CHECK(nodes(parts, "g") == "aa");
}

/// Places both members of gang g on n1, of which that one has to leave n0 for it.
auto move_and_place(Parts& parts, std::size_t leaves) {
  auto& gang = parts.job("g");
  auto& task = gang.tasks.at(leaves);
  parts.overlay.evict(gang, task);
  task.shape = parts.memory.jobs().shape_of_victim(task);
  return parts.placer.place(gang, gang.next_chunk(true), parts.nodes({"n1"}), Room::releasing);
}

TEST_CASE("who moves beside a member that waits takes room where it goes") {
  const auto leaves = GENERATE(as<std::size_t>(), 0, 1);
  const int gpus = GENERATE(2, 4);
  World world;
  world.node("n0", 2);
  world.node("n1", gpus);
  auto& gang = world.gang("g", "a", 2);
  world.member(gang, "g0", 2, leaves == 0 ? "n0" : "");
  world.member(gang, "g1", 2, leaves == 1 ? "n0" : "");
  Parts parts(world);
  CAPTURE(leaves, gpus);
  CHECK(move_and_place(parts, leaves).has_value() == (gpus == 4));
}

TEST_CASE("who moves and is placed jointly with a member that waits leaves its devices") {
  // One by one the first takes gpu-0, and the second can do with no other.
  const auto leaves = GENERATE(as<std::size_t>(), 0, 1);
  World world;
  for (const auto* name : {"n0", "n1"}) {
    auto slice = make_gpus(name, 2);
    slice.devices[0].attributes["good"] = true;
    slice.devices[1].attributes["good"] = false;
    world.node(name, 0);
    world.tell(slice);
  }
  auto& gang = world.gang("g", "a", 2);
  world.member(gang, "g0", 1, leaves == 0 ? "n0" : "");
  world.member(gang, "g1", 1, leaves == 1 ? "n0" : "");
  auto picky = *Parts(world).task("g", 1).claims.front();
  picky.spec.requests[0].exactly->selectors.push_back(
      {.cel = R"(device.attributes["gpu.example.com"].good)"});
  world.tell(picky);
  Parts parts(world);
  CAPTURE(leaves);
  const auto made = move_and_place(parts, leaves);
  REQUIRE(made);
  for (const auto& each : *made) {
    CHECK(each.room == Room::releasing);
    CHECK(each.placement.claims[0].allocation.devices[0].device.pool == PoolName("n1"));
  }
}

TEST_CASE("a member whose claims are not there has no place, nor has its chunk") {
  World world;
  world.node("a", 2);
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 2, 1);
  world.state.apply(cluster::ObjectGone{Kind::resource_claim, "default", "c-g1", Uid("uid-c-g1")});
  Parts parts(world);
  const auto made = place(parts, "g");
  REQUIRE_FALSE(made);
  CHECK(made.error().task == &parts.task("g", 1));
}

TEST_CASE("subgroups are placed with their gang, each within a domain of its own") {
  World world;
  world.config.topology = {"zone"};
  for (const auto* name : {"a", "b"}) {
    world.node(name, 2, [&](Node& node) { node.meta.labels["zone"] = name; });
  }
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 4, 1);
  auto first = gang.gang;
  auto second = first;
  auto& tasks = first.pod_sets.front().tasks;
  second.pod_sets.front().tasks.assign(tasks.begin() + 2, tasks.end());
  tasks.resize(2);
  first.name = "first";
  second.name = "second";
  first.topology.required = second.topology.required = "zone";
  gang.gang.pod_sets.clear();
  gang.gang.sub_groups = {first, second};
  Parts parts(world);
  CHECK(nodes(parts, "g") == "aabb");
}

}  // namespace
}  // namespace dray::planner::gangs_test
