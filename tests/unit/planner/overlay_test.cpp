#include "planner/state/overlay.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::overlay_test {

using namespace worlds;
namespace {

double free_gpus(Parts& parts, const std::string& node) {
  auto& nodes = parts.overlay.nodes();
  return nodes.free(parts.node(node))[nodes.devices_column()];
}

bool fits(Parts& parts, const std::string& job, const std::string& node, Room room) {
  const auto& task = parts.task(job);
  return parts.placer.fit().verdict(task, parts.node(node)).in(room) == Reason::none;
}

/// Whether the node has devices for the task, whatever is remembered of it.
bool has_devices(Parts& parts, const std::string& job, const std::string& node, Room room) {
  Devices devices(*parts.input.snapshot, parts.memory.allocator());
  const Task* const task = &parts.task(job);
  return devices.choose(parts.overlay.view(room), std::span(&task, 1), parts.node(node))
      .has_value();
}

/// The task with devices of the node as the allocator finds them.
void place(Parts& parts, const std::string& job, const std::string& node, Room room) {
  Devices devices(*parts.input.snapshot, parts.memory.allocator());
  const Task* const task = &parts.task(job);
  const auto found =
      devices.choose(parts.overlay.view(room), std::span(&task, 1), parts.node(node));
  REQUIRE(found);
  parts.overlay.place(parts.job(job), parts.task(job), parts.node(node), found->placements[0],
                      room);
}

TEST_CASE("what is placed takes devices, room of its node, and counts in its queues") {
  World world;
  world.node("n0", 2);
  world.queue("top", 0);
  world.queue("leaf", 0, "top");
  world.waiting("w0", 1, "leaf");
  world.waiting("w1", 2, "leaf").preemptible = false;
  Parts parts(world);
  const auto mark = parts.overlay.mark();
  place(parts, "w0", "n0", Room::idle);
  CHECK(free_gpus(parts, "n0") == 1);
  CHECK(parts.held("leaf") == 1);
  CHECK(parts.held("top") == 1);
  CHECK(parts.task("w0").state == policy::TaskState::placed);
  CHECK(parts.task("w0").node == parts.node("n0"));
  CHECK_FALSE(fits(parts, "w1", "n0", Room::idle));
  CHECK_FALSE(fits(parts, "w1", "n0", Room::releasing));
  parts.overlay.undo(mark);
  CHECK(free_gpus(parts, "n0") == 2);
  CHECK(parts.held("leaf") == 0);
  CHECK(parts.held("top") == 0);
  CHECK(parts.task("w0").state == policy::TaskState::pending);
  CHECK_FALSE(parts.task("w0").node);
  CHECK(fits(parts, "w1", "n0", Room::idle));
  place(parts, "w1", "n0", Room::idle);
  const auto& leaf = parts.overlay.queues()[parts.queue("leaf")];
  CHECK(leaf.allocated_nonpreemptible[parts.gpu()] == 2);
  parts.overlay.undo(mark);
  CHECK(leaf.allocated_nonpreemptible[parts.gpu()] == 0);
}

TEST_CASE("who is evicted leaves releasing room, not idle room") {
  World world;
  world.node("n0", 2);
  world.node("n1", 1);
  world.running("r0", "n0", 0, 2, "a");
  world.waiting("w0", 2, "a");
  Parts parts(world);
  const auto mark = parts.overlay.mark();
  parts.overlay.evict(parts.job("r0"), parts.task("r0"));
  CHECK(parts.overlay.split(parts.node("n0")));
  CHECK_FALSE(parts.overlay.split(parts.node("n1")));
  CHECK(fits(parts, "w0", "n0", Room::releasing));
  CHECK_FALSE(fits(parts, "w0", "n0", Room::idle));
  CHECK(parts.held("a") == 0);
  CHECK(parts.task("r0").state == policy::TaskState::yielding);
  place(parts, "w0", "n0", Room::releasing);
  CHECK(parts.overlay.from_releasing({"default", "c-w0"}));
  CHECK(free_gpus(parts, "n0") == 0);
  parts.overlay.undo(mark);
  CHECK_FALSE(parts.overlay.from_releasing({"default", "c-w0"}));
  CHECK_FALSE(parts.overlay.split(parts.node("n0")));
  CHECK(parts.held("a") == 2);
  CHECK_FALSE(fits(parts, "w0", "n0", Room::releasing));
}

TEST_CASE("who is evicted and stays after all has what it had") {
  World world;
  world.node("n0", 2);
  world.running("r0", "n0", 0, 2, "a");
  world.waiting("w0", 1, "a");
  Parts parts(world);
  parts.overlay.evict(parts.job("r0"), parts.task("r0"));
  const auto& claim = *parts.task("r0").claims[0];
  const Placement placement{.pod = parts.task("r0").pod().key(),
                            .pod_uid = parts.task("r0").pod().meta.uid,
                            .node = NodeName("n0"),
                            .claims = {{.claim = claim.key(),
                                        .claim_uid = claim.meta.uid,
                                        .allocation = *claim.allocation,
                                        .already_allocated = true}}};
  parts.overlay.reprieve(parts.job("r0"), parts.task("r0"), placement);
  CHECK(parts.held("a") == 2);
  CHECK(free_gpus(parts, "n0") == 0);
  CHECK_FALSE(parts.overlay.split(parts.node("n0")));
  CHECK_FALSE(fits(parts, "w0", "n0", Room::releasing));
  CHECK(parts.task("r0").state == policy::TaskState::placed);
}

TEST_CASE("what only this plan placed leaves idle room") {
  World world;
  world.node("n0", 2);
  world.waiting("w0", 2, "a");
  world.waiting("w1", 2, "a");
  Parts parts(world);
  place(parts, "w0", "n0", Room::idle);
  parts.overlay.evict(parts.job("w0"), parts.task("w0"));
  CHECK(fits(parts, "w1", "n0", Room::idle));
  CHECK(parts.held("a") == 0);
  parts.overlay.return_to_waiting(parts.job("w0"), parts.task("w0"));
  CHECK(parts.task("w0").state == policy::TaskState::pending);
  CHECK_FALSE(parts.task("w0").node);
  CHECK(parts.job("w0").waiting == 1);
}

TEST_CASE("who is evicted, moved and evicted again leaves idle what it was moved to alone") {
  World world;
  const bool elsewhere = GENERATE(true, false);
  world.node("n0", 2);
  world.node("n1", 2);
  world.running("r0", "n0", 0, 2, "a");
  world.waiting("w0", 2, "a");
  world.waiting("w1", 2, "a");
  Parts parts(world);
  auto& r0 = parts.task("r0");
  const auto before = parts.overlay.mark();
  parts.overlay.evict(parts.job("r0"), r0);
  r0.shape = parts.memory.jobs().shape_of_victim(r0);
  place(parts, "r0", elsewhere ? "n1" : "n0", Room::releasing);
  CHECK(r0.moved);
  CHECK(fits(parts, "w0", "n0", Room::releasing) == elsewhere);
  CHECK(fits(parts, "w1", "n1", Room::idle) == !elsewhere);
  const auto moved = parts.overlay.mark();
  parts.overlay.evict(parts.job("r0"), r0);
  CHECK(parts.held("a") == 0);
  CHECK(fits(parts, "w0", "n0", Room::releasing));
  CHECK_FALSE(fits(parts, "w0", "n0", Room::idle));
  CHECK_FALSE(has_devices(parts, "w0", "n0", Room::idle));
  CHECK(fits(parts, "w1", "n1", Room::idle));
  CHECK(has_devices(parts, "w1", "n1", Room::idle));
  CHECK(free_gpus(parts, "n1") == 2);
  parts.overlay.undo(moved);
  CHECK(r0.state == policy::TaskState::placed);
  CHECK(r0.moved);
  parts.overlay.undo(before);
  CHECK_FALSE(r0.moved);
}

TEST_CASE("a claim that others use keeps its devices when one of its pods goes") {
  World world;
  world.node("n0", 1);
  auto& job = world.running("r0", "n0", 0, 1, "a");
  auto claim = make_claim("c-r0", 1);
  claim.allocation = world.state.snapshot()->claim({"default", "c-r0"})->allocation;
  for (const auto* name : {"r0", "other"}) {
    claim.reserved_for.push_back({.api_group = {},
                                  .resource = "pods",
                                  .name = name,
                                  .uid = Uid(std::string("uid-") + name)});
  }
  const bool alone = GENERATE(true, false);
  if (!alone) world.tell(make_pod("other", "c-r0"));
  world.tell(claim);
  world.waiting("w0", 1, "a");
  job.priority = 0;
  Parts parts(world);
  parts.overlay.evict(parts.job("r0"), parts.task("r0"));
  CHECK(fits(parts, "w0", "n0", Room::releasing) == alone);
}

TEST_CASE("pods and claims that are leaving give room that is releasing") {
  World world;
  world.node("n0", 1);
  world.node("n1", 1);
  world.running("r0", "n0", 0, 1, "a").members[0].state = MemberState::leaving;
  world.waiting("w0", 1, "a");
  auto gone = make_claim("gone", 1, "nobody");
  auto& device = gone.allocation.emplace().devices.emplace_back();
  device.request = "gpu";
  device.device = {DriverName("gpu.example.com"), PoolName("n1"), DeviceName("gpu-0")};
  world.tell(gone);
  Parts parts(world);
  CHECK_FALSE(fits(parts, "w0", "n0", Room::releasing));
  parts.overlay.release_leaving(parts.task("r0"));
  CHECK(fits(parts, "w0", "n0", Room::releasing));
  CHECK_FALSE(fits(parts, "w0", "n0", Room::idle));
  CHECK(parts.task("r0").state == policy::TaskState::other);
  PodDemand demand;
  demand.counts = demand.stays = policy::Amounts(parts.begin.queues.resources());
  demand.devices = 1;
  CHECK_FALSE(fits(parts, "w0", "n1", Room::releasing));
  parts.overlay.release_claim({"default", "gone"}, parts.node("n1"), demand);
  CHECK(fits(parts, "w0", "n1", Room::releasing));
  CHECK_FALSE(fits(parts, "w0", "n1", Room::idle));
  CHECK(free_gpus(parts, "n1") == 1);
}

/// Nodes n0 and n1 with a device each that takes the only unit of a counter of their pool.
World one_counter_for_two_nodes() {
  World world;
  for (const auto* node : {"n0", "n1"}) {
    world.node(node, 0);
    auto slice = make_gpus(node, 1);
    slice.pool = PoolName("p");
    slice.pool_slice_count = 3;
    slice.devices[0].name = DeviceName(std::string("gpu-of-") + node);
    slice.devices[0].consumes_counters = {
        {.counter_set = "c", .counters = {{"units", Quantity(1)}}, .compatibility_groups = {}}};
    world.tell(slice);
  }
  auto set = make_gpus("n0", 0);
  set.meta = testing::cluster_meta("counters");
  set.pool = PoolName("p");
  set.pool_slice_count = 3;
  set.shared_counters = {{.name = "c", .counters = {{"units", Quantity(1)}}}};
  world.tell(set);
  return world;
}

TEST_CASE("a device that takes a counter of several nodes' pool takes it on all of them") {
  auto world = one_counter_for_two_nodes();
  world.waiting("w0", 1, "a");
  world.waiting("w1", 1, "a");
  Parts parts(world);
  CHECK(fits(parts, "w1", "n1", Room::idle));
  const auto mark = parts.overlay.mark();
  place(parts, "w0", "n0", Room::idle);
  CHECK_FALSE(fits(parts, "w1", "n1", Room::idle));
  parts.overlay.evict(parts.job("w0"), parts.task("w0"));
  CHECK(fits(parts, "w1", "n1", Room::idle));
  parts.overlay.undo(mark);
  CHECK(fits(parts, "w1", "n1", Room::idle));
}

TEST_CASE("a counter that somebody on another node is releasing is not idle") {
  auto world = one_counter_for_two_nodes();
  auto& job = world.running("r", "n0", 0, 1, "a");
  auto claim = make_claim("c-r", 1, "r");
  claim.allocation = testing::allocation({testing::device_id("p", "gpu-of-n0")});
  claim.reserved_for = {testing::consumer("r", job.first().meta.uid)};
  world.tell(claim);
  world.waiting("w", 1, "a");
  Parts parts(world);
  CHECK_FALSE(fits(parts, "w", "n1", Room::releasing));
  const auto mark = parts.overlay.mark();
  parts.overlay.evict(parts.job("r"), parts.task("r"));
  CHECK(fits(parts, "w", "n1", Room::releasing));
  CHECK_FALSE(fits(parts, "w", "n1", Room::idle));
  parts.overlay.undo(mark);
  CHECK_FALSE(fits(parts, "w", "n1", Room::releasing));
}

TEST_CASE("steps are undone to a mark, one in the other") {
  World world;
  world.node("n0", 3);
  for (const auto* name : {"w0", "w1", "w2"}) world.waiting(name, 1, "a");
  Parts parts(world);
  place(parts, "w0", "n0", Room::idle);
  const auto mark = parts.overlay.mark();
  place(parts, "w1", "n0", Room::idle);
  place(parts, "w2", "n0", Room::idle);
  CHECK(free_gpus(parts, "n0") == 0);
  parts.overlay.undo(mark);
  CHECK(free_gpus(parts, "n0") == 2);
  CHECK(parts.held("a") == 1);
  CHECK(parts.task("w1").state == policy::TaskState::pending);
  CHECK(parts.task("w0").state == policy::TaskState::placed);
}

}  // namespace
}  // namespace dray::planner::overlay_test
