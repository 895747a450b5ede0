#include "planner/place/feasibility.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/objects/gpus.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::feasibility_test {
namespace {

using worlds::World;
using namespace std::chrono_literals;

const JobOutcome* find(const Plan& made, const std::string& name) {
  const auto at = std::ranges::find(made.jobs, Uid("uid-" + name), &JobOutcome::job);
  return at == made.jobs.end() ? nullptr : &*at;
}

bool is_infeasible(const Plan& made, const std::string& name) {
  const auto* outcome = find(made, name);
  return outcome != nullptr && outcome->reason == Reason::no_node_fits && !outcome->detail.empty();
}

void never(Pod& pod) {
  pod.node_selector = {{"zone", "nowhere"}};
}

/// Plans of one world, each with what the one before hands on; its jobs stay the same objects.
class Row {
 public:
  explicit Row(World& world) : world_(world), planner_(world.options), input_(world.make_input()) {}

  Plan plan() {
    input_.snapshot = world_.state.snapshot();
    auto made = planner_.plan(input_);
    input_.progress = made.progress;
    return made;
  }
  /// The same by a planner that remembers nothing.
  Plan plan_anew() {
    input_.snapshot = world_.state.snapshot();
    return Planner(world_.options).plan(input_);
  }

 private:
  World& world_;
  Planner planner_;
  PlanInput input_;
};

}  // namespace

TEST_CASE("what no node could take even if it were empty is said to be so") {
  World world;
  world.node("n0", 2);
  world.node("n1", 2, [](Node& node) { node.unschedulable = true; });
  SECTION("more devices than a node has") {
    world.waiting("w", 3, "a");
  }
  SECTION("a selector that no node matches") {
    world.waiting("w", 1, "a", never);
  }
  SECTION("more cpu than a node has") {
    world.waiting("w", 1, "a",
                  [](Pod& pod) { pod.containers.front().requests["cpu"] = Quantity(1'000'000); });
  }
  SECTION("a gang that is larger than the cluster") {
    world.members(world.gang("w", "a", 5), 5, 1);
  }
  SECTION("a gang with such a pod") {
    auto& gang = world.gang("w", "a", 2);
    world.member(gang, "w0", 1);
    world.member(gang, "w1", 3);
  }
  world.running("r", "n0", 0, 2, "a");
  const auto made = world.plan();
  INFO(made.jobs.front().detail);
  CHECK(is_infeasible(made, "w"));
  CHECK_FALSE(reason_info(Reason::no_node_fits).eviction_helps);
}

TEST_CASE("what others keep from a pod is not infeasible") {
  World world;
  world.node("n0", 2);
  SECTION("devices") {
    world.running("r", "n0", 0, 2, "a");
  }
  SECTION("cpu") {
    world.running("r", "n0", 0, 1, "a",
                  [](Pod& pod) { pod.containers.front().requests["cpu"] = Quantity(64); });
  }
  world.waiting("w", 2, "a",
                [](Pod& pod) { pod.containers.front().requests["cpu"] = Quantity(1); });
  CHECK_FALSE(is_infeasible(world.plan(), "w"));
}

TEST_CASE("a counter that a pod of another node has taken makes no pod infeasible") {
  World world;
  for (const auto* node : {"n0", "n1"}) {
    world.node(node, 0, [&](Node& made) { made.meta.labels["zone"] = node; });
    auto slice = testing::make_gpus(node, 1);
    slice.pool = PoolName("p");
    slice.pool_slice_count = 3;
    slice.devices[0].name = DeviceName(std::string("gpu-of-") + node);
    slice.devices[0].consumes_counters = {
        {.counter_set = "c", .counters = {{"units", Quantity(1)}}, .compatibility_groups = {}}};
    world.tell(slice);
  }
  auto set = testing::make_gpus("n0", 0);
  set.meta = testing::cluster_meta("counters");
  set.pool = PoolName("p");
  set.pool_slice_count = 3;
  set.shared_counters = {{.name = "c", .counters = {{"units", Quantity(1)}}}};
  world.tell(set);
  auto& job = world.running("r", "n0", 0, 1, "a");
  auto claim = testing::make_claim("c-r", 1, "r");
  claim.allocation = testing::allocation({testing::device_id("p", "gpu-of-n0")});
  claim.reserved_for = {testing::consumer("r", job.first().meta.uid)};
  world.tell(claim);
  world.waiting("w", 1, "a", [](Pod& pod) { pod.node_selector = {{"zone", "n1"}}; });
  const auto made = world.plan();
  REQUIRE(find(made, "w") != nullptr);
  CHECK(find(made, "w")->placements.empty());
  CHECK_FALSE(is_infeasible(made, "w"));
}

TEST_CASE("an infeasible job is reported once, and again when that has changed") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 0, 2, "a");
  world.waiting("w", 1, "a", never);
  Row row(world);
  CHECK(is_infeasible(row.plan(), "w"));
  CHECK(find(row.plan(), "w") == nullptr);
  world.node("n1", 1);
  CHECK(find(row.plan(), "w") == nullptr);
  world.node("n2", 1, [](Node& node) { node.meta.labels["zone"] = "nowhere"; });
  const auto placed = row.plan();
  REQUIRE(find(placed, "w") != nullptr);
  CHECK(find(placed, "w")->placements.size() == 1);
  world.node("n2", 0);
  CHECK(is_infeasible(row.plan(), "w"));
  CHECK(find(row.plan(), "w") == nullptr);
}

TEST_CASE("what a planner remembers of infeasible jobs changes no answer") {
  World world;
  world.node("n0", 2);
  world.node("n1", 1);
  world.waiting("w0", 3, "a");
  world.waiting("w1", 1, "a", never);
  world.members(world.gang("w2", "a", 4), 4, 1);
  Row row(world);
  for (int i = 0; i < 6; ++i) {
    auto anew = row.plan_anew();
    auto made = row.plan();
    anew.nodes_tried = made.nodes_tried = 0;
    CHECK(anew == made);
    if (i == 2) world.node("n1", 1, [](Node& node) { node.meta.labels["zone"] = "nowhere"; });
    if (i == 3) world.node("n1", 2);
    if (i == 4) world.node("n1", 3);
  }
}

TEST_CASE("an infeasible job counts neither as one that was looked at nor as one that asks") {
  World world;
  world.queue("a", 0);
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  for (int i = 0; i < 8; ++i) world.waiting("never" + std::to_string(i), 1, "a", never);
  world.waiting("w", 1, "a").priority = -1;
  world.input.budget.jobs = 1;
  Row row(world);
  const auto first = row.plan();
  CHECK(gets_something(first.jobs.front()));
  CHECK_FALSE(first.exhausted);
  const auto second = row.plan();
  CHECK(second.jobs.size() == 1);
  CHECK(second.queues.front().requested[0] == 2);
}

TEST_CASE("a node that went and comes back as it was takes what was infeasible without it") {
  World world;
  world.node("n0", 1);
  world.node("n1", 2);
  world.waiting("w", 2, "a");
  Row row(world);
  CHECK(gets_something(row.plan().jobs.front()));
  world.state.apply(cluster::ObjectGone{Kind::node, "", "n1", Uid("uid-n1")});
  CHECK(row.plan().jobs.front().reason == Reason::no_node_fits);
  world.node("n1", 0);  // its slices are there still
  CHECK(gets_something(row.plan().jobs.front()));
}

TEST_CASE("a gang is infeasible by its first pod though another one has no claim yet") {
  World world;
  world.node("n0", 2);
  auto& gang = world.gang("g", "a", 2);
  world.member(gang, "g0", 1, {}, 0, never);
  world.member(gang, "g1", 1);
  world.state.apply(cluster::ObjectGone{Kind::resource_claim, "default", "c-g1", {}});
  Row row(world);
  for (int i = 0; i < 2; ++i) {
    const auto made = row.plan();
    REQUIRE(made.jobs.size() == 1);
    CHECK_FALSE(gets_something(made.jobs.front()));
  }
}

TEST_CASE("infeasible jobs cost later plans nothing") {
  World world;
  for (int i = 0; i < 4; ++i) world.node("n" + std::to_string(i), 2);
  for (int i = 0; i < 4; ++i)
    world.running("r" + std::to_string(i), "n" + std::to_string(i), 0, 2, "a");
  for (int i = 0; i < 200; ++i) world.waiting("never" + std::to_string(i), 1, "a", never);
  for (int i = 0; i < 10; ++i) world.waiting("w" + std::to_string(i), 1, "a");
  Row row(world);
  CHECK(row.plan().jobs.size() == 210);
  for (int i = 0; i < 3; ++i) {
    const auto made = row.plan();
    CHECK(made.jobs.size() == 10);
    CHECK(made.nodes_tried == 0);
  }
}

TEST_CASE("one look finds all infeasible jobs that are alike, whatever the budget") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  for (int i = 0; i < 40; ++i) {
    world.waiting("w" + std::to_string(i), 2, "a").priority = 1;
    world.waiting("never" + std::to_string(i), 1, "a", never).priority = i == 0 ? 2 : 0;
  }
  world.input.budget.jobs = 2;
  Row row(world);
  const auto first = row.plan();
  CHECK(std::ranges::count(first.jobs, Reason::no_node_fits, &JobOutcome::reason) == 40);
  CHECK(row.plan().queues.front().requested[0] == 81);
}

TEST_CASE("nobody is evicted for an infeasible job") {
  World world;
  world.allow_all_actions();
  world.queue("a", 0);
  world.queue("b", 4);
  world.node("n0", 4);
  world.fill("a", 4, "n0", "a");
  world.waiting("w", 1, "b", never);
  const auto made = world.plan();
  CHECK(is_infeasible(made, "w"));
  CHECK(made.evictions.empty());
  CHECK(made.scenarios == 0);
}

TEST_CASE("a gang that can never start keeps no node from others") {
  World world;
  world.config.gangs.reserve_after = Duration{0};
  world.queue("a", 0);
  world.queue("b", 0);
  world.node("n0", 2);
  auto& gang = world.gang("g", "a", 2);
  gang.priority = 9;
  gang.queued = worlds::start - 24h;
  for (const auto* name : {"g0", "g1"}) world.member(gang, name, 1, {}, 0, never);
  world.waiting("w", 2, "b");
  const auto made = world.plan();
  CHECK(is_infeasible(made, "g"));
  REQUIRE(find(made, "w") != nullptr);
  CHECK(gets_something(*find(made, "w")));
}

}  // namespace dray::planner::feasibility_test
