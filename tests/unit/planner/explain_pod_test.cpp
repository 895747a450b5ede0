#include <catch2/catch.hpp>

#include "dray/planner/explanation.h"
#include "tests/unit/planner/explained.h"

namespace dray::planner::explain_pod_test {

using namespace worlds;
namespace {

TEST_CASE("whose pod it is comes first") {
  World world;
  world.node("n0", 1);
  world.waiting("p", 1, "a");
  auto question = question_of(world, "p");
  auto pod = *question.pod;
  pod.scheduler_name = "other";
  question.pod = std::make_shared<const Pod>(pod);
  question.decider = Decider::other_scheduler;
  auto made = explain(question, {});
  CHECK(made.standing == Standing::not_ours);
  CHECK(made.helps ==
        Names{"if dray is to place it, make it anew with spec.schedulerName: dray-scheduler"});
  CHECK(made.summary == "it is of scheduler \"other\", not of dray's \"dray-scheduler\"");
  question.decider = Decider::nobody_needed;
  made = explain(question, {});
  CHECK(made.standing == Standing::bypasses);
  CHECK(made.summary.starts_with("it asks for no devices"));
}

TEST_CASE("a pod that runs says where, and with which devices") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 1, 1, "a");
  const auto made = explained(world, "r");
  CHECK(made.standing == Standing::runs);
  CHECK(made.summary == "runs on n0");
  CHECK(made.devices == Names{"gpu: gpu.example.com/n0/gpu-1"});
  CHECK(made.helps.empty());
}

TEST_CASE("a pod that has room says where it would go") {
  World world;
  world.node("n0", 2);
  world.waiting("p", 2, "a");
  const auto made = explained(world, "p");
  CHECK(made.standing == Standing::starts);
  CHECK(made.summary == "would start now on n0: the only node");
  CHECK(made.node == "n0");
  CHECK(made.devices.size() == 2);
}

TEST_CASE("a pod that waits says which node groups can grow for it") {
  World world;
  world.node("n0", 1);
  world.config.budgets.exposed_jobs = 1;
  auto& group = world.config.node_groups.emplace_back();
  group.name = "pool";
  group.like = NodeName("n0");
  world.waiting("p", 2, "a");
  CHECK_THAT(explained(world, "p").summary, Catch::Contains("no node group can grow to fit: pool"));
  group.node = make_node("pool");
  group.slices.emplace({make_gpus("pool", 2)});
  CHECK_THAT(explained(world, "p").summary, Catch::EndsWith("; pool can grow to fit"));
}

TEST_CASE("what devices take of the node is told with the numbers, and what the pod may ask for") {
  World world;
  world.options.features.node_allocatable_resources = true;
  world.node("n0", 0, [](Node& node) { node.allocatable["cpu"] = Quantity(6); });
  world.node("n1", 0, [](Node& node) { node.allocatable["cpu"] = Quantity(7); });
  for (const auto* node : {"n0", "n1"}) {
    auto slice = make_gpus(node, 1);
    slice.devices[0].node_allocatable_resources["cpu"].mapping.emplace().device_multiplier =
        Quantity(5);
    world.tell(slice);
  }
  world.waiting("p", 1, "a", [](Pod& pod) {
    pod.containers[0].claims = {"gpus"};
    pod.containers[0].requests["cpu"] = Quantity(3);
  });
  const auto made = explained(world, "p");
  CHECK(made.summary ==
        "wants 8 of cpu, 5 of it for its devices; the most that a node has left is 7 (n1; 2 of 2 "
        "nodes)");
  CHECK(made.nodes.size() == 1);
  CHECK(says(made.helps, "ask for at most 2 of cpu: it then goes to n1"));
}

TEST_CASE("a pool that its driver publishes wrongly is named") {
  World world;
  world.node("n0", 0);
  auto slice = make_gpus("n0", 2);
  slice.devices[1].name = slice.devices[0].name;
  world.tell(slice);
  world.waiting("p", 1, "a");
  const auto made = explained(world, "p");
  CHECK(made.reason == Reason::pool_invalid);
  CHECK(made.summary ==
        "pool gpu.example.com/n0 has two devices named gpu-0, so its devices do not count (n0)");
  slice = make_gpus("n0", 2);
  slice.pool_slice_count = 2;
  world.tell(slice);
  CHECK(explained(world, "p").summary ==
        "no node has a device of class gpu (n0); pool gpu.example.com/n0 has 1 slice of generation "
        "1, of which there are to be 2, so its devices do not count");
}

TEST_CASE("nodes are grouped by what keeps the pod out, the largest group first") {
  World world;
  world.node("a", 1);
  world.node("b", 2);
  world.node("c", 8, [](Node& node) { node.unschedulable = true; });
  world.node("d", 8, [](Node& node) {
    node.taints.push_back({.key = "k", .value = "v", .effect = "NoSchedule"});
  });
  world.node("e", 8, [](Node& node) { node.meta.labels["zone"] = "x"; });
  world.running("r", "b", 0, 1, "a");
  world.waiting("p", 2, "a", [](Pod& pod) {
    pod.required_node_affinity.emplace();
    NodeSelectorTerm term;
    term.match_expressions.push_back({.key = "zone", .op = "DoesNotExist", .values = {}});
    pod.required_node_affinity->terms.push_back(term);
  });
  const auto made = explained(world, "p");
  CHECK(made.standing == Standing::waits);
  CHECK(made.reason == Reason::devices_in_use);
  CHECK(made.summary ==
        "wants 2 devices of class gpu on one node; the most that a node has left is 1 of 2: 1 in "
        "use (b)");
  REQUIRE(made.nodes.size() == 4);
  CHECK(made.nodes[0].count == 2);
  CHECK(made.nodes[0].text == made.summary);
  CHECK(made.nodes[0].names == Names{"a", "b"});
  CHECK(made.nodes[1].text == "the node is cordoned");
  CHECK(made.nodes[2].text ==
        "the node has the taint k=v:NoSchedule, which the pod does not tolerate");
  CHECK(made.nodes[3].text == "the pod's required node affinity does not match the node");
  CHECK(made.helps ==
        Names{"uncordon c: it then goes to c",
              "let the pod tolerate the taint k=v:NoSchedule: it then goes to d",
              "drop the pod's required node affinity, or label the node so: it then goes to e",
              "it starts once one of these has ended: default/r",
              "consolidation is off in the policy; with it on default/r would move for it"});
  CHECK(made.nearest == "b: it would fit there if default/r ended, which has 1 device (gpu-0)");
}

TEST_CASE("a label that no node has, and a request that is too large") {
  World world;
  world.node("a", 1);
  world.waiting("p", 1, "a", [](Pod& pod) { pod.node_selector["zone"] = "x"; });
  world.waiting("q", 1, "a",
                [](Pod& pod) { pod.containers.front().requests["cpu"] = Quantity(65); });
  auto made = explained(world, "p");
  CHECK(made.summary == "the pod wants the label zone=x, the node does not have it (1 of 1 node)");
  REQUIRE(made.nodes.size() == 1);
  CHECK(made.nodes[0].text == "the pod wants the label zone=x, the node does not have it");
  CHECK(made.helps ==
        Names{"drop zone=x from the pod's nodeSelector, or label the node so: it then goes to a"});
  made = explained(world, "q");
  REQUIRE(made.nodes.size() == 1);
  CHECK(made.nodes[0].text == "wants 65 of cpu; the most that a node has left is 64 (a)");
  CHECK(made.helps == Names{"ask for at most 64 of cpu: it then goes to a"});
}

TEST_CASE("what no node has ever is said to be so") {
  World world;
  world.node("a", 8);
  world.fill("r", 2, "a", "a");
  world.waiting("p", 9, "a");
  const auto made = explained(world, "p");
  CHECK(made.summary ==
        "wants 9 devices of class gpu on one node; the most that a node has is 8 (a)");
  REQUIRE(made.helps.size() == 1);
  CHECK(made.helps[0].starts_with("nobody's end helps, because nodes have too few such devices"));
  CHECK(made.nearest.empty());
}

TEST_CASE("groups beyond the first few are counted") {
  World world;
  for (int i = 0; i < 9; ++i) {
    world.node("n" + std::to_string(i), 1, [&](Node& node) {
      node.taints.push_back({.key = "k" + std::to_string(i), .value = {}, .effect = "NoExecute"});
    });
  }
  world.waiting("p", 1, "a");
  const auto made = explained(world, "p");
  CHECK(made.nodes.size() == 6);
  CHECK(made.nodes_left_out == 3);
}

TEST_CASE("a queue's limit: the numbers, and how far it has to be raised") {
  World world;
  world.node("n0", 4);
  world.queue("top", 0).limit["gpu"] = Quantity(3);
  world.queue("a", 0, "top").limit["gpu"] = Quantity(2);
  world.fill("r", 2, "n0", "a");
  world.waiting("p", 2, "a");
  auto made = explained(world, "p");
  CHECK(made.reason == Reason::queue_limit);
  CHECK(made.summary == "queue a holds 2 of its limit of 2 GPUs, and the job asks for 2 more");
  REQUIRE(made.queue);
  CHECK(made.queue->position == 1);
  REQUIRE(made.queue->levels.size() == 2);
  CHECK(made.queue->levels[0].queue == "a");
  CHECK(made.queue->levels[0].used == 2);
  CHECK(made.queue->levels[0].asked == 2);
  CHECK(made.queue->levels[1].queue == "top");
  CHECK(made.queue->levels[1].limit == 3);
  CHECK(made.helps == Names{"raise the limit of queue a from 2 to 4 GPUs and the limit of queue "
                            "top from 3 to 4 GPUs: it then goes to n0"});
  world.waiting("q", 9, "a");
  made = explained(world, "q");
  REQUIRE(made.helps.size() == 1);
  CHECK(made.helps[0].contains("; but then it still waits: wants 9 devices of class gpu"));
}

TEST_CASE("a quota keeps out what may not be preempted") {
  World world;
  world.node("n0", 4);
  world.queue("a", 1);
  world.waiting("p", 2, "a").preemptible = false;
  const auto made = explained(world, "p");
  CHECK(made.summary ==
        "queue a holds 0 of its quota of 1 GPUs in jobs that may not be preempted, and the job "
        "asks for 2 more");
  CHECK(made.helps == Names{"raise the quota of queue a from 1 to 2 GPUs: it then goes to n0",
                            "make the job preemptible, which may go over the quota: it then goes "
                            "to n0"});
}

TEST_CASE("those ahead are named in the own queue, and counted in others") {
  World world;
  world.node("n0", 1);
  world.queue("a", 0);
  world.queue("b", 1);
  world.running("r", "n0", 0, 1, "a");
  for (int i = 0; i < 7; ++i) world.waiting("a" + std::to_string(i), 1, "a");
  world.waiting("b0", 1, "b");
  const auto made = explained(world, "a6");
  REQUIRE(made.queue);
  CHECK(made.queue->position == 7);
  CHECK(made.queue->waiting == 7);
  CHECK(made.queue->ahead ==
        Names{"default/a0", "default/a1", "default/a2", "default/a3", "default/a4"});
  CHECK(made.queue->more_ahead == 1);
  CHECK(made.queue->others_ahead == 1);
}

TEST_CASE("a gang says how many have room, and what the next one lacks") {
  World world;
  world.node("n0", 2);
  world.node("n1", 1);
  auto& gang = world.gang("g", "a", 4);
  world.members(gang, 5, 1);
  const auto made = explained(world, "g", 2);
  CHECK(made.reason == Reason::gang_no_room);
  CHECK(made.summary ==
        "room for 3 of 4 pods, which start together or not at all; no room is left on the 2 nodes "
        "that would take one more");
  REQUIRE(made.nodes.size() == 1);
  CHECK(made.nodes[0].count == 2);
  CHECK(made.nodes[0].text == "the node takes such a pod, but others of the job go there already");
  CHECK(made.helps == Names{"let the gang start with 3 pods (its minimum is 4): it then starts, "
                            "with room for 3 pods"});
  REQUIRE(made.job);
  CHECK(made.job->name == "default/g");
  CHECK(made.job->members == 5);
  CHECK(made.job->minimum == 4);
  CHECK(made.job->have_room == 3);
}

TEST_CASE("a pod whose job starts without it is told what it lacks") {
  World world;
  world.node("n0", 2);
  world.members(world.gang("g", "a", 1), 3, 1);
  const auto rest = explained(world, "g", 2);
  CHECK(rest.standing == Standing::waits);
  CHECK_THAT(rest.summary, Catch::StartsWith("wants 1 device of class"));
  CHECK(explained(world, "g", 0).standing == Standing::starts);
}

TEST_CASE("what is missing before anything can be planned is named") {
  World world;
  world.node("n0", 2);
  auto& job = world.waiting("p", 0, "a", [](Pod& pod) {
    pod.resource_claims.push_back({.name = "gpus", .claim_name = {}, .template_name = "three"});
  });
  auto made = explained(world, "p");
  CHECK(made.reason == Reason::claim_missing);
  CHECK(says(made.helps, "ResourceClaimTemplate default/three"));
  job.members[0].state = MemberState::blocked;
  made = explained(world, "p");
  CHECK(made.reason == Reason::claim_missing);
  auto& gated = world.waiting("g", 1, "a", [](Pod& pod) {
    pod.scheduling_gates = {"dray.dev/admission", "example.com/quota"};
  });
  gated.members[0].state = MemberState::blocked;
  made = explained(world, "g");
  CHECK(made.summary == "the scheduling gate example.com/quota keeps it, which is not dray's");
}

TEST_CASE("a pod whose group is not there says what it waits for") {
  World world;
  world.node("n0", 2);
  world.waiting("p", 1, "a");
  auto question = question_of(world, "p");
  question.job.reset();
  question.lacks = NotReady{Reason::gang_incomplete, "PodGroup default/g is not there"};
  const auto made = explain(question, {});
  CHECK(made.reason == Reason::gang_incomplete);
  CHECK(made.summary ==
        "fewer pods of the gang are there than it needs: PodGroup default/g is not there");
}

TEST_CASE("what others last said of a pod that waits is told") {
  World world;
  world.node("n0", 2);
  world.waiting("p", 9, "a", [](Pod& pod) {
    pod.conditions = {{.type = "PodScheduled",
                       .status = "False",
                       .reason = "Unschedulable",
                       .message = "0/1 nodes",
                       .last_transition = {}}};
  });
  CHECK(explained(world, "p").notes == Names{"kube-scheduler last said: 0/1 nodes"});
}

}  // namespace
}  // namespace dray::planner::explain_pod_test
