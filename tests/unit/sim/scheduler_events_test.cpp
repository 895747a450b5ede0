#include <catch2/catch.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/objects/claims.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"
#include "tests/unit/sim/scheduler_world.h"

namespace dray::sim::scheduler_events_test {

using namespace dray::testing;

TEST_CASE("a pod that the extender refuses is tried twice, then wakes on almost anything") {
  SchedulerWorld c;
  c.nodes(2);
  c.filter = [](const auto& request) { return none_of(request); };
  const auto pod = c.add(make_pod("p0"));
  c.run(at(0.5));
  // The second attempt is the scheduler's own doing: it wakes on its PodScheduled=False.
  CHECK(c.offered.size() == 2);
  CHECK(c.message("p0").starts_with("0/2 nodes are available: 2 dray: no devices. preemption: "));
  SECTION("silence") {
    c.run(at(299));
    CHECK(c.offered.size() == 2);
    c.run(at(400));
    CHECK(c.offered.size() == 3);  // after five minutes
  }
  SECTION("a condition of the pod") {
    c.run(at(20));
    REQUIRE(c.server.write(
        engine::SetPodCondition{pod.key(), pod.meta.uid, {"DrayAdmitted", "False", "R", "", {}}},
        c.now));
    c.settle();
    CHECK(c.offered.size() == 3);
  }
  SECTION("somebody's claim") {
    c.run(at(20));
    c.add(make_claim("c0", 1));
    c.settle();
    CHECK(c.offered.size() == 3);
  }
  SECTION("but not a ResourceSlice") {
    c.run(at(20));
    ResourceSlice slice;
    slice.meta.name = "s0";
    c.add(slice);
    c.run(at(100));
    CHECK(c.offered.size() == 2);
  }
}

TEST_CASE("texts that change make a hot loop") {
  SchedulerWorld c;
  c.nodes(2);
  int calls = 0;
  c.filter = [&](const auto& request) {
    return none_of(request, ++calls < 50 ? "waited " + std::to_string(calls) : "waited long");
  };
  c.add(make_pod("p0"));
  c.run(at(0.5));
  CHECK(calls == 51);
}

namespace {

/// A world with a pod that some in-tree plugin refuses, and how often it was tried.
struct Waiting : SchedulerWorld {
  [[nodiscard]] std::size_t attempts() const {
    std::size_t count = 0;
    for (const auto& event : server.events()) {
      count += event.event.reason == "FailedScheduling" ? 1U : 0U;
    }
    return count;
  }
  void change_node(const std::string& name, const std::function<void(Node&)>& change) {
    REQUIRE(server.patch(
        Kind::node, "", name, Endpoint::main,
        [&](KubeObject& o) -> Result<void> {
          change(std::get<Node>(o));
          return {};
        },
        now));
    settle();
  }
  void finish(const std::string& name) {
    REQUIRE(server.patch(
        Kind::pod, "default", name, Endpoint::status,
        [&](KubeObject& o) -> Result<void> {
          std::get<Pod>(o).phase = "Succeeded";
          return {};
        },
        now));
    settle();
  }
};

}  // namespace

TEST_CASE("a pod for which there was no CPU wakes when some is given back") {
  Waiting c;
  c.nodes(1, 1);
  auto running = make_pod("running");
  running.node_name = NodeName("n0");
  c.add(running);
  auto waiting = make_pod("p0");
  waiting.preemption_policy = "Never";
  c.add(waiting);
  c.settle();
  REQUIRE(c.attempts() == 1);
  c.run(at(20));
  SECTION("the pod is gone") {
    REQUIRE(c.server.remove(Kind::pod, "default", "running",
                            {.uid = {}, .resource_version = {}, .grace_seconds = 0}, c.now));
    c.settle();
    CHECK(c.node_of("p0") == "n0");
  }
  SECTION("the pod has ended, which its informer takes for the same") {
    c.finish("running");
    CHECK(c.node_of("p0") == "n0");
  }
  SECTION("a node that is as small does not") {
    c.add(make_node("n1", 0));
    c.settle();
    CHECK(c.attempts() == 1);
  }
  SECTION("nor the end of a pod that never had a node") {
    c.add(of_scheduler("default-scheduler", make_pod("other")));
    c.settle();
    REQUIRE(c.server.remove(Kind::pod, "default", "other", {}, c.now));
    c.settle();
    CHECK(c.attempts() == 1);
  }
  SECTION("nor somebody's claim: that is the extender's affair") {
    c.add(make_claim("c0", 1));
    c.settle();
    CHECK(c.attempts() == 1);
  }
}

TEST_CASE("a pod that a taint keeps away wakes when it tolerates more, or the taint goes") {
  Waiting c;
  auto tainted = make_node("n0");
  tainted.taints = {{"gpu", "", "NoSchedule"}};
  c.add(tainted);
  const auto pod = c.add(make_pod("p0"));
  c.settle();
  REQUIRE(c.attempts() == 1);
  c.run(at(20));
  SECTION("a toleration") {
    REQUIRE(c.server.patch(
        Kind::pod, "default", "p0", Endpoint::main,
        [](KubeObject& o) -> Result<void> {
          std::get<Pod>(o).tolerations.push_back({"gpu", "Exists", "", "", std::nullopt});
          return {};
        },
        c.now));
    c.settle();
    CHECK(c.node_of("p0") == "n0");
  }
  SECTION("a label of the pod does not") {
    REQUIRE(c.server.patch(
        Kind::pod, "default", "p0", Endpoint::main,
        [](KubeObject& o) -> Result<void> {
          meta_of(o).labels["x"] = "y";
          return {};
        },
        c.now));
    c.settle();
    CHECK(c.attempts() == 1);
  }
  SECTION("the node loses it") {
    c.change_node("n0", [](Node& node) { node.taints.clear(); });
    CHECK(c.node_of("p0") == "n0");
  }
  SECTION("a label of the node does not") {
    c.change_node("n0", [](Node& node) { node.meta.labels["x"] = "y"; });
    CHECK(c.attempts() == 1);
  }
  SECTION("the end of another pod does not") {
    auto other = make_pod("other");
    other.node_name = NodeName("n0");
    c.add(other);
    c.settle();
    c.finish("other");
    CHECK(c.attempts() == 1);
  }
}

TEST_CASE("a pod of the same name is another pod") {
  Waiting c;
  c.nodes(1, 1);
  c.add(make_pod("p0"));
  c.settle();
  REQUIRE(c.node_of("p0") == "n0");
  REQUIRE(c.server.remove(Kind::pod, "default", "p0",
                          {.uid = {}, .resource_version = {}, .grace_seconds = 0}, c.now));
  c.add(make_pod("p0"));
  c.settle();
  CHECK(c.node_of("p0") == "n0");
}

TEST_CASE("a node that is gone is offered no more") {
  Waiting c;
  c.nodes(2);
  c.settle();
  REQUIRE(c.server.remove(Kind::node, "", "n0", {}, c.now));
  c.add(make_pod("p0"));
  c.settle();
  REQUIRE(c.offered.size() == 1);
  CHECK(c.offered.front() == std::vector{NodeName("n1")});
}

}  // namespace dray::sim::scheduler_events_test
