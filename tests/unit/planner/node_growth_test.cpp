#include "planner/node_growth.h"

#include <catch2/catch.hpp>
#include <string>

#include "dray/model/reason.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::node_growth_test {

using namespace worlds;
namespace {

policy::NodeGroup group(const std::string& name, int gpus, std::optional<std::int32_t> most = {}) {
  policy::NodeGroup made;
  made.name = name;
  made.max_nodes = most;
  made.node = make_node(name);
  made.node->meta.labels = {{"pool", name}};
  made.slices.emplace();
  if (gpus > 0) made.slices->push_back(make_gpus(name, gpus));
  return made;
}

/// One node with 2 GPUs, and groups that can grow.
struct Growing : World {
  explicit Growing(std::vector<policy::NodeGroup> groups, std::int32_t jobs = 8) {
    node("n0", 2);
    config.node_groups = std::move(groups);
    config.budgets.exposed_jobs = jobs;
  }
};

TEST_CASE("a job without room names the first group whose node would take it") {
  Growing world({group("small", 1), group("mid", 4), group("large", 8)});
  world.waiting("w", 3, "a");
  const auto made = world.plan();
  CHECK(outcome(made, "w").node_groups == Names{"mid"});
  CHECK_THAT(outcome(made, "w").detail, Catch::EndsWith("; mid can grow to fit"));
}

TEST_CASE("what no group can take says what each of them lacks") {
  Growing world({group("small", 1), group("full", 8, 0)});
  world.waiting("w", 3, "a");
  const auto& made = world.plan();
  const auto& of = outcome(made, "w");
  CHECK(of.node_groups.empty());
  CHECK(of.reason != Reason::none);
  CHECK_THAT(of.detail, Catch::Contains("no node group can grow to fit: small: ") &&
                            Catch::EndsWith("; full: it may have 0 nodes at most"));
}

TEST_CASE("labels, taints and resources of the node count") {
  auto tainted = group("tainted", 8);
  tainted.node->taints = {{.key = "gpu", .value = "yes", .effect = "NoSchedule"}};
  auto weak = group("weak", 8);
  weak.node->allocatable["cpu"] = Quantity::from_milli(500);
  Growing world({tainted, weak, group("other", 8), group("right", 8)});
  world.waiting("w", 3, "a", [](Pod& pod) { pod.node_selector["pool"] = "right"; });
  world.waiting("bears", 3, "a", [](Pod& pod) {
    pod.tolerations.push_back(
        {.key = "gpu", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}});
  });
  const auto made = world.plan();
  CHECK(outcome(made, "w").node_groups == Names{"right"});
  CHECK(outcome(made, "bears").node_groups == Names{"tainted"});
}

TEST_CASE("a group does not grow beyond its nodes, those that it has counted") {
  Growing world({group("pool", 4, 3)});
  world.node("old", 0, [](Node& node) { node.meta.labels = {{"pool", "pool"}}; });
  for (const auto* name : {"w0", "w1", "w2"}) world.waiting(name, 4, "a");
  const auto made = world.plan();
  CHECK(outcome(made, "w0").node_groups == Names{"pool"});
  CHECK(outcome(made, "w1").node_groups == Names{"pool"});
  CHECK(outcome(made, "w2").node_groups.empty());
  CHECK_THAT(outcome(made, "w2").detail, Catch::EndsWith("pool: it may have 3 nodes at most"));
}

TEST_CASE("jobs share the nodes that would come") {
  Growing world({group("pool", 6, 1)});
  world.waiting("w0", 3, "a");
  world.waiting("w1", 3, "a");
  world.waiting("w2", 3, "a");
  const auto made = world.plan();
  CHECK(outcome(made, "w1").node_groups == Names{"pool"});
  CHECK(outcome(made, "w2").node_groups.empty());
}

TEST_CASE("of a gang those count that find no room among the nodes that there are") {
  Growing world({group("pool", 2, 1)});
  auto& fits = world.gang("fits", "a", 2);
  world.members(fits, 2, 2);
  const auto made = world.plan();
  CHECK(outcome(made, "fits").node_groups == Names{"pool"});
}

TEST_CASE("a gang that no groups can take takes nothing from others") {
  Growing world({group("pool", 2, 2)});
  auto& large = world.gang("large", "a", 4);
  world.members(large, 4, 2);
  auto& small = world.gang("small", "a", 3);
  world.members(small, 3, 2);
  const auto made = world.plan();
  CHECK(outcome(made, "large").node_groups.empty());
  CHECK(outcome(made, "small").node_groups == Names{"pool"});
}

TEST_CASE("nor from a node that another job shares") {
  Growing world({group("pool", 4, 1)});
  world.waiting("first", 3, "a", [](Pod& pod) { pod.priority = 2; });
  auto& large = world.gang("large", "a", 2);
  for (const auto* name : {"large0", "large1"}) {
    world.member(large, name, 1, {}, 0, [](Pod& pod) {
      pod.priority = 1;
      pod.node_selector["pool"] = "pool";
    });
  }
  world.waiting("last", 1, "a", [](Pod& pod) { pod.node_selector["pool"] = "pool"; });
  const auto made = world.plan();
  CHECK(outcome(made, "first").node_groups == Names{"pool"});
  CHECK(outcome(made, "large").node_groups.empty());
  CHECK(outcome(made, "last").node_groups == Names{"pool"});
}

TEST_CASE("nor a shared claim's last place") {
  Growing world({group("pool", 4)});
  world.running("r", "n0", 0, 2, "a");
  world.tell(claim_for_one_more("shared"));
  const auto shares = [](Pod& pod) {
    pod.resource_claims = {{.name = "s", .claim_name = "shared", .template_name = {}}};
  };
  auto& gang = world.gang("g", "a", 2);
  for (const auto* name : {"g0", "g1"}) {
    world.member(gang, name, 0, {}, 0, [&](Pod& pod) {
      shares(pod);
      pod.priority = 1;
    });
  }
  world.waiting("w", 0, "a", shares);
  const auto made = world.plan();
  CHECK(outcome(made, "g").node_groups.empty());
  CHECK(outcome(made, "w").node_groups == Names{"pool"});
}

TEST_CASE("members of a gang may need different groups") {
  Growing world({group("cpu", 0), group("gpu", 4)});
  world.running("r", "n0", 0, 2, "a");
  auto& gang = world.gang("g", "a", 2);
  world.member(gang, "head", 0, {}, 0, [](Pod& pod) { pod.node_selector["pool"] = "cpu"; });
  world.member(gang, "worker", 4);
  const auto made = world.plan();
  CHECK(outcome(made, "g").node_groups == Names{"cpu", "gpu"});
}

TEST_CASE("a node of the cluster stands for new ones") {
  policy::NodeGroup like;
  like.name = "like";
  like.like = NodeName("model");
  policy::NodeGroup gone;
  gone.name = "gone";
  gone.like = NodeName("nowhere");
  Growing world({gone, like});
  world.node("model", 4, [](Node& node) {
    node.unschedulable = true;
    node.taints = {
        {.key = "node.kubernetes.io/unschedulable", .value = {}, .effect = "NoSchedule"}};
  });
  world.waiting("w", 4, "a");
  world.waiting("large", 5, "a");
  const auto made = world.plan();
  CHECK(outcome(made, "w").node_groups == Names{"like"});
  CHECK_THAT(outcome(made, "large").detail,
             Catch::Contains("gone: there is no node nowhere to be like; like: "));
}

TEST_CASE("a queue's bound keeps a job from every group") {
  Growing world({group("pool", 8)});
  world.queue("x", 1).limit["gpu"] = Quantity(1);
  world.waiting("w", 3, "x");
  const auto made = world.plan();
  CHECK(outcome(made, "w").reason == Reason::queue_limit);
  CHECK(outcome(made, "w").node_groups.empty());
}

TEST_CASE("no more jobs are looked at than may be shown") {
  Growing world({group("small", 1), group("pool", 8)}, 1);
  world.waiting("w0", 9, "a");
  world.waiting("w1", 8, "a");
  world.waiting("w2", 8, "a");
  const auto made = world.plan();
  CHECK(outcome(made, "w1").node_groups == Names{"pool"});
  CHECK(outcome(made, "w2").node_groups.empty());
  CHECK_THAT(outcome(made, "w2").detail, !Catch::Contains("group"));
}

TEST_CASE("new nodes have to suit the policy's required alignment as well") {
  auto scattered = group("scattered", 0);
  auto together = group("together", 0);
  for (auto* each : {&scattered, &together}) {
    auto slice = make_gpus("x", 2);
    for (std::size_t i = 0; i < 2; ++i) {
      slice.devices[i].attributes["numa"] =
          each == &scattered ? static_cast<std::int64_t>(i) : std::int64_t{0};
    }
    each->slices = {slice};
  }
  for (const bool both : {false, true}) {
    Growing world(both ? std::vector{together} : std::vector{scattered});
    world.running("r", "n0", 0, 2, "a");
    world.options.mode = alloc::Mode::best;
    world.config.alignment.require = {"gpu.example.com/numa"};
    world.waiting("w", 2, "a");
    const auto made = world.plan();
    CHECK(outcome(made, "w").node_groups.empty() != both);
  }
}

}  // namespace
}  // namespace dray::planner::node_growth_test
