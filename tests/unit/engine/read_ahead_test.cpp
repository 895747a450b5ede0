#include <catch2/catch.hpp>

#include "engine/plan_cycle.h"
#include "tests/unit/engine/fixture.h"

// The planner of the strand reads what a pod that is asked for is planned by, bit by bit, while
// plans of all are made elsewhere.

namespace dray::engine::read_ahead_test {
namespace {

struct Large : Bench {
  static constexpr int nodes = 4 * static_cast<int>(PlanCycle::slice_pods);

  Large() : Bench({}, true) {
    add_nodes(nodes, 1);
    tell(make_claim("c-p", 1, "p"));
    tell(make_pod("p", "c-p"));
  }
  /// Steps that are due now.
  int go_on() {
    int steps = 0;
    for (; engine.next_tick() && *engine.next_tick() <= now; ++steps) tick();
    return steps;
  }
  /// Where a pod goes that kube-scheduler asks for before it was planned.
  std::string asked_for() {
    tell(make_claim("c-q", 1, "q"));
    auto pod = make_pod("q", "c-q", false);
    tell(pod);
    const auto answer = filter(pod, {"n3", "n4"});
    return answer.node_names.size() == 1 ? answer.node_names.front().get() : "none";
  }
};

TEST_CASE("a plan that is asked for is followed by steps of reading, and these end") {
  Large bench;
  REQUIRE_FALSE(bench.wanted.empty());
  const auto steps = bench.go_on();
  CHECK(steps >= Large::nodes / static_cast<int>(PlanCycle::slice_pods));
  CHECK(steps <= 2 * Large::nodes / static_cast<int>(PlanCycle::slice_pods));
  CHECK(bench.asked_for() == "n3");
}

TEST_CASE("a pod is asked for between two steps of reading, and after any change") {
  Large bench;
  bench.tick();
  SECTION("nothing else") {
    CHECK(bench.engine.next_tick() == bench.now);
  }
  SECTION("a node goes and another comes") {
    bench.apply(cluster::ObjectGone{Kind::node, "", "n7", Uid("uid-n7")});
    bench.tell(make_node("n9999"));
  }
  SECTION("other rules are in force") {
    auto policy = std::make_shared<policy::PolicyConfig>();
    policy::QueueConfig queue;
    queue.name = policy::QueueName("research");
    policy->queues.push_back(queue);
    policy->pod_queues.otherwise = queue.name;
    bench.apply(PolicyChanged{policy});
    bench.tick();
  }
  SECTION("leadership goes and comes back") {
    bench.apply(LeadershipChanged{false, 3});
    CHECK(bench.go_on() <= 1);
    bench.apply(LeadershipChanged{true, 5});
  }
  CHECK(bench.asked_for() == "n3");
  bench.go_on();
}

TEST_CASE("a small cluster takes no steps for it") {
  Bench bench({}, true);
  bench.add_nodes(3, 1);
  bench.tell(make_claim("c-p", 1, "p"));
  bench.tell(make_pod("p", "c-p"));
  REQUIRE_FALSE(bench.wanted.empty());
  const auto next = bench.engine.next_tick();
  CHECK((!next || *next > bench.now));
}

}  // namespace
}  // namespace dray::engine::read_ahead_test
