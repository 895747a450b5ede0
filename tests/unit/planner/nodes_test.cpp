#include "planner/state/nodes.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::nodes_test {

using namespace worlds;
namespace {

TEST_CASE("a node's row says what it has and what is free") {
  World world;
  world.node("n0", 4);
  world.running("r0", "n0", 0, 1, "a");
  Parts parts(world);
  const auto& nodes = parts.memory.nodes();
  const auto node = parts.node("n0");
  CHECK(nodes.capacity(node)[nodes.devices_column()] == 4);
  CHECK(nodes.free(node)[nodes.devices_column()] == 3);
  CHECK(nodes.capacity(node)[nodes.cpu_column()] == 64'000);
  CHECK(nodes.free(node)[nodes.cpu_column()] == 63'000);
  CHECK(nodes.free(node)[parts.gpu()] == 3);
  CHECK(nodes.columns() == nodes.cpu_column() + 1);
}

TEST_CASE("devices of a plugin count as devices") {
  World world;
  world.node("n0", 0, [](Node& node) { node.allocatable["nvidia.com/gpu"] = Quantity(8); });
  world.running("r0", "n0", 0, 0, "a",
                [](Pod& pod) { pod.containers[0].requests["nvidia.com/gpu"] = Quantity(3); });
  Parts parts(world);
  const auto& nodes = parts.memory.nodes();
  CHECK(nodes.capacity(parts.node("n0"))[nodes.devices_column()] == 8);
  CHECK(nodes.free(parts.node("n0"))[nodes.devices_column()] == 5);
}

TEST_CASE("a part of a device takes that part of what it counts for") {
  World world;
  world.node("n0", 0);
  auto slice = make_gpus("n0", 1);
  slice.devices[0].allow_multiple_allocations = true;
  slice.devices[0].capacity["memory"].value = Quantity(80);
  slice.devices[0].capacity["cores"].value = Quantity(100);
  world.tell(slice);
  auto claim = make_claim("c", 1, "p");
  auto& device = claim.allocation.emplace().devices.emplace_back();
  device.request = "gpu";
  device.device = {DriverName("gpu.example.com"), PoolName("n0"), DeviceName("gpu-0")};
  device.share_id = "share";
  device.consumed_capacity = {{"memory", Quantity(20)}, {"cores", Quantity(50)}};
  world.tell(claim);
  Parts parts(world);
  const auto& nodes = parts.memory.nodes();
  CHECK(nodes.free(parts.node("n0"))[parts.gpu()] == 0.5);
  CHECK(nodes.free(parts.node("n0"))[nodes.devices_column()] == 0);
}

/// What is free for somebody, and what of it is in the fair shares of a plan.
double usable_gpus(World& world) {
  Parts parts(world);
  const auto total = parts.begin.total[parts.gpu()];
  CHECK(total == world.plan().total[parts.gpu()]);
  return total;
}

Edit<Node> tainted(const std::string& key, const std::string& effect = "NoSchedule") {
  return [=](Node& node) { node.taints.push_back({.key = key, .value = "", .effect = effect}); };
}

TEST_CASE("what is free on nodes that nobody can use is in no share") {
  struct Row {
    const char* name;
    Edit<Node> edit;
    double free;
  };
  const auto row = GENERATE(values<Row>({
      {"a node like any other", [](Node&) {}, 6},
      {"a cordoned node", [](Node& node) { node.unschedulable = true; }, 4},
      {"a node that is not ready", tainted("node.kubernetes.io/not-ready", "NoSchedule"), 4},
      {"a node of which nothing is heard", tainted("node.kubernetes.io/unreachable", "NoExecute"),
       4},
      {"a taint that nobody tolerates", tainted("example.com/team"), 4},
      {"a taint that only says what is preferred", tainted("k", "PreferNoSchedule"), 6},
  }));
  DYNAMIC_SECTION(row.name) {
    World world;
    world.node("n0", 4);
    world.node("n1", 2, row.edit);
    world.waiting("p", 1, "a", [](Pod& pod) {
      pod.tolerations = {
          {.key = "another", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}}};
    });
    CHECK(usable_gpus(world) == row.free);
  }
}

TEST_CASE("a taint that some job tolerates hides nothing; not ready does, whoever tolerates it") {
  World world;
  world.node("n0", 4);
  const bool not_ready = GENERATE(true, false);
  world.node("n1", 2,
             not_ready ? tainted("node.kubernetes.io/not-ready", "NoSchedule")
                       : tainted("example.com/team"));
  world.waiting("p", 1, "a");
  world.waiting("q", 1, "a", [](Pod& pod) {
    pod.tolerations = {
        {.key = {}, .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}}};
  });
  CHECK(usable_gpus(world) == (not_ready ? 4 : 6));
}

TEST_CASE("without any job it is not known who tolerates what, and all counts") {
  World world;
  world.node("n0", 4, tainted("example.com/team"));
  CHECK(usable_gpus(world) == 4);
}

TEST_CASE("what runs on a node that nobody can use is its queue's, and part of the whole") {
  World world;
  world.node("n0", 4);
  world.node("n1", 2, tainted("node.kubernetes.io/not-ready", "NoSchedule"));
  world.running("r", "n1", 0, 1, "a");
  CHECK(usable_gpus(world) == 5);
}

TEST_CASE("free devices behind a taint that no claim tolerates are in no share") {
  World world;
  auto slice = make_gpus("n0", 4);
  slice.devices[3].taints = {
      {.key = "broken", .value = "", .effect = "NoSchedule", .time_added = {}}};
  slice.devices[2].taints = {{.key = "broken", .value = "", .effect = "None", .time_added = {}}};
  world.node("n0", 0);
  world.tell(slice);
  const bool by_rule = GENERATE(false, true);
  if (by_rule) {
    DeviceTaintRule rule;
    rule.meta = testing::cluster_meta("rule");
    rule.has_selector = true;
    rule.device = DeviceName("gpu-0");
    rule.taint = {.key = "broken", .value = "", .effect = "NoExecute", .time_added = {}};
    world.tell(rule);
  }
  world.waiting("p", 1, "a");
  CHECK(usable_gpus(world) == (by_rule ? 2 : 3));
  auto claim = make_claim("c-p", 1, "p");
  claim.spec.requests.front().exactly->tolerations = {
      {.key = "broken", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}}};
  world.tell(claim);
  CHECK(usable_gpus(world) == 4);
}

TEST_CASE("what is usable follows nodes and jobs from plan to plan") {
  World world;
  world.node("n0", 4);
  world.node("n1", 2, tainted("example.com/team"));
  world.waiting("p", 1, "a");
  auto input = world.make_input();
  Planner memory;
  const auto total = [&] {
    input.snapshot = world.state.snapshot();
    const auto made = memory.plan(input).total;
    CHECK(made == Planner().plan(input).total);
    return made[0];
  };
  CHECK(total() == 4);
  auto tolerant = *input.jobs.find(Uid("uid-p"));
  auto pod = std::make_shared<Pod>(tolerant.first());
  pod->tolerations = {{.key = "example.com/team",
                       .op = "Exists",
                       .value = {},
                       .effect = {},
                       .toleration_seconds = {}}};
  tolerant.members.front().pod = pod;
  const auto before = input.jobs.find(Uid("uid-p"));
  input.jobs.put(std::make_shared<const Job>(tolerant));
  CHECK(total() == 6);
  input.jobs.put(before);
  CHECK(total() == 4);
  world.state.apply(cluster::ObjectGone{Kind::node, "", "n0", Uid("uid-n0")});
  CHECK(total() == 0);
  world.tell(make_node("n1"));
  CHECK(total() == 2);
}

TEST_CASE("nodes stand in the order of their names") {
  World world;
  for (const auto* name : {"b", "c", "a"}) world.node(name, 1);
  Parts parts(world);
  const auto& nodes = parts.memory.nodes();
  std::vector<std::string> names;
  for (const auto node : nodes.by_name()) names.push_back(parts.name(node));
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
  CHECK(nodes.rank(parts.node("c")) == 2);
}

TEST_CASE("a node is found by its name, whoever had its index before") {
  World world;
  world.node("a", 1);
  world.node("b", 1);
  auto input = world.make_input();
  NodeTable nodes;
  nodes.update(input.snapshot, *input.policy);
  const auto first = nodes.find(NodeName("a"));
  CHECK(first == input.snapshot->node(NodeName("a")));
  CHECK_FALSE(nodes.find(NodeName("c")));
  world.state.apply(cluster::ObjectGone{Kind::node, "", "a", Uid("uid-a")});
  world.node("0", 1);
  const auto snapshot = world.state.snapshot();
  nodes.update(snapshot, *input.policy);
  CHECK_FALSE(nodes.find(NodeName("a")));
  CHECK(nodes.find(NodeName("0")) == snapshot->node(NodeName("0")));
  CHECK(nodes.find(NodeName("b")) == snapshot->node(NodeName("b")));
}

TEST_CASE("the nodes of a list are found in the order of names, whatever list came before") {
  World world;
  for (const auto* name : {"a", "b", "c", "d", "e"}) world.node(name, 1);
  const auto input = world.make_input();
  NodeTable nodes;
  nodes.update(input.snapshot, *input.policy);
  for (const std::string list : {"abcde", "dbeac", "dbeac", "eac", "ca", "", "xd", "dxb", "axe",
                                 "bbadd", "e", "dbeac", "abcde", "zyx"}) {
    std::vector<NodeName> names;
    for (const char name : list) names.emplace_back(std::string(1, name));
    std::string found;
    for (const auto node : nodes.find_all(names)) found += input.snapshot->name(node).get();
    std::string expected;
    for (const char name : {'a', 'b', 'c', 'd', 'e'}) {
      if (list.find(name) != std::string::npos) expected += name;
    }
    CAPTURE(list);
    CHECK(found == expected);
  }
  // An index, and a place in the order, may be another node's by now.
  world.state.apply(cluster::ObjectGone{Kind::node, "", "b", Uid("uid-b")});
  world.node("0", 1);
  const auto snapshot = world.state.snapshot();
  nodes.update(snapshot, *input.policy);
  const std::vector names{NodeName("a"), NodeName("b"), NodeName("c"), NodeName("0")};
  std::string found;
  for (const auto node : nodes.find_all(names)) found += snapshot->name(node).get();
  CHECK(found == "0ac");
}

TEST_CASE("only a node that changed is measured again") {
  World world;
  world.node("n0", 4);
  world.node("n1", 4);
  auto input = world.make_input();
  NodeTable nodes;
  nodes.update(input.snapshot, *input.policy);
  const auto n0 = *input.snapshot->node(NodeName("n0"));
  const auto n1 = *input.snapshot->node(NodeName("n1"));
  const auto before = nodes.stamp(n0);
  const auto before_other = nodes.stamp(n1);
  world.running("r0", "n0", 0, 1, "a");
  input = world.make_input();
  const auto same_policy = input.policy;
  nodes.update(input.snapshot, *same_policy);
  nodes.update(input.snapshot, *same_policy);
  const auto changed = nodes.stamp(n0);
  CHECK(changed != before);
  world.running("r1", "n1", 0, 1, "a");
  nodes.update(world.state.snapshot(), *same_policy);
  CHECK(nodes.stamp(n0) == changed);
  CHECK(nodes.stamp(n1) != before_other);
  CHECK(nodes.free(n1)[nodes.devices_column()] == 3);
  nodes.renew_all();
  CHECK(nodes.stamp(n0) != changed);
}

TEST_CASE("what was read ahead is not looked at again, but for what changed since") {
  World world;
  constexpr std::size_t count = 1'000;
  for (std::size_t i = 0; i < count; ++i) world.node("n" + std::to_string(10'000 + i), 1);
  auto input = world.make_input();
  const auto& policy = *input.policy;
  NodeTable nodes;
  while (nodes.read_ahead(input.snapshot, policy, 200)) {
  }
  // A slice ends where it finds one more; that chunk is looked at twice.
  constexpr auto chunk = cluster::Chunked<cluster::NodeEntry>::chunk_size;
  CHECK(nodes.nodes_read() <= count + count / 200 * chunk);
  const auto read = nodes.nodes_read();
  nodes.update(input.snapshot, policy);
  CHECK(nodes.nodes_read() == read);
  // One that a slice has passed changes before the next one.
  NodeTable anew;
  CHECK(anew.read_ahead(input.snapshot, policy, 500));
  world.running("r", "n10003", 0, 1, "a");
  const auto snapshot = world.state.snapshot();
  const auto node = *snapshot->node(NodeName("n10003"));
  CHECK(anew.read_ahead(snapshot, policy, 100));
  CHECK(anew.free(node)[anew.devices_column()] == 0);
  anew.update(snapshot, policy);
  CHECK(anew.nodes_read() <= count + 4 * chunk);
}

TEST_CASE("a change costs the nodes near it, however many there are") {
  World world;
  constexpr std::size_t count = 2'000;
  for (std::size_t i = 0; i < count; ++i) world.node("n" + std::to_string(10'000 + i), 1);
  auto input = world.make_input();
  const auto policy = input.policy;
  NodeTable nodes;
  nodes.update(input.snapshot, *policy);
  CHECK(nodes.nodes_read() == count);
  nodes.update(input.snapshot, *policy);
  CHECK(nodes.nodes_read() == count);
  const auto seen = nodes.changes();
  world.running("r", "n11000", 0, 1, "a");
  const auto snapshot = world.state.snapshot();
  nodes.update(snapshot, *policy);
  CHECK(nodes.nodes_read() - count <= cluster::Chunked<cluster::NodeEntry>::chunk_size);
  const auto node = *snapshot->node(NodeName("n11000"));
  CHECK(nodes.free(node)[nodes.devices_column()] == 0);
  const auto changed = nodes.changed_since(seen);
  REQUIRE(changed);
  CHECK(std::vector(changed->begin(), changed->end()) == std::vector{node});
}

TEST_CASE("who follows changes begins anew when nodes came or went, or too much changed") {
  World world;
  for (const auto* name : {"a", "b"}) world.node(name, 1);
  auto input = world.make_input();
  NodeTable nodes;
  nodes.update(input.snapshot, *input.policy);
  auto seen = nodes.changes();
  CHECK(nodes.changed_since(seen)->empty());
  world.node("0", 1);
  const auto snapshot = world.state.snapshot();
  nodes.update(snapshot, *input.policy);
  CHECK_FALSE(nodes.changed_since(seen));
  seen = nodes.changes();
  for (int i = 0; i < 3; ++i) nodes.renew_all();
  REQUIRE(nodes.changed_since(seen));
  CHECK(nodes.changed_since(seen)->size() == 9);
  nodes.update(snapshot, *input.policy);
  CHECK_FALSE(nodes.changed_since(seen));
}

/// A slice of pool "p" on the node, with a device that takes the only unit of the pool's counter.
ResourceSlice of_pool(const std::string& node, bool with_counter = true) {
  auto slice = make_gpus(node, 1);
  slice.pool = PoolName("p");
  slice.pool_slice_count = 3;
  slice.devices.front().name = DeviceName("gpu-of-" + node);
  if (with_counter) {
    slice.devices.front().consumes_counters = {
        {.counter_set = "c", .counters = {{"units", Quantity(1)}}, .compatibility_groups = {}}};
  }
  return slice;
}

TEST_CASE("what changes on one node of a pool changes all that judge the pool as well") {
  World world;
  for (const auto* name : {"a", "b", "beside"}) world.node(name, 0);
  const bool counters = GENERATE(true, false);
  if (counters) {
    auto set = of_pool("a");
    set.meta = testing::cluster_meta("counters");
    set.devices.clear();
    set.shared_counters = {{.name = "c", .counters = {{"units", Quantity(1)}}}};
    world.tell(set);
  }
  for (const auto* name : {"a", "b"}) world.tell(of_pool(name, counters));
  auto input = world.make_input();
  NodeTable nodes;
  nodes.update(input.snapshot, *input.policy);
  const auto stamp = [&](const char* name) { return nodes.stamp(*nodes.find(NodeName(name))); };
  const auto before = stamp("a");
  const auto beside = stamp("beside");
  bool moves = true;
  SECTION("a slice of another node is of a newer generation") {
    auto newer = of_pool("b", counters);
    newer.pool_generation = 2;
    world.tell(newer);
  }
  SECTION("the slice of another node is gone, and the pool is of one node now") {
    world.state.apply(cluster::ObjectGone{Kind::resource_slice, "", "b-gpus", Uid("uid-b-gpus")});
  }
  SECTION("a device of another node is taken, and the counter with it") {
    auto claim = testing::make_claim("taken", 1);
    claim.allocation = testing::allocation({testing::device_id("p", "gpu-of-b")});
    world.tell(claim);
    moves = counters;
  }
  nodes.update(world.state.snapshot(), *input.policy);
  CHECK((stamp("a") != before) == moves);
  CHECK(stamp("beside") == beside);
}

}  // namespace
}  // namespace dray::planner::nodes_test
