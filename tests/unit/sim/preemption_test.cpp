#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/objects/pods.h"
#include "tests/unit/sim/scheduler_world.h"

namespace dray::sim::preemption_test {

using namespace dray::testing;

TEST_CASE("preemption") {
  SchedulerWorld c;
  c.nodes(2, 2);
  for (int i = 0; i < 4; ++i) {
    c.add(make_pod("low" + std::to_string(i)));
    c.settle();
  }
  auto high = make_pod("high");
  high.priority = 100;
  high.containers.front().requests["cpu"] = Quantity(1);
  SECTION("the fewest victims; the extender may drop nodes") {
    std::size_t candidates = 0;
    c.preempt = [&](const auto& request) {
      candidates = request.victims.size();
      extender::PreemptResponse response;
      response.victims.insert(*request.victims.rbegin());
      return response;
    };
    c.add(high);
    c.settle();
    CHECK(candidates == 2);
    int marked = 0;
    for (int i = 0; i < 4; ++i) {
      const auto& victim = c.pod("low" + std::to_string(i));
      if (!victim.meta.deleted) continue;
      ++marked;
      CHECK(victim.node_name == NodeName("n1"));
    }
    CHECK(marked == 1);
    CHECK(c.pod("high").nominated_node == NodeName("n1"));
  }
  SECTION("a veto") {
    c.preempt = [](const auto&) { return extender::PreemptResponse(); };
    c.add(high);
    c.settle();
    CHECK(c.message("high").ends_with("preemption: no candidate node for preemption"));
  }
  SECTION("nobody is lower") {
    high.priority = 0;
    c.add(high);
    c.settle();
    CHECK(c.message("high").starts_with("0/2 nodes are available: 2 Insufficient cpu."));
  }
}

namespace {

/// One node with two CPUs, both taken.
struct FullNode : SchedulerWorld {
  explicit FullNode(KubeSchedulerOptions options = {}) : SchedulerWorld(std::move(options)) {}

  /// A pod that runs already.
  Pod running(const std::string& name, const std::string& node, std::int32_t priority,
              std::int64_t cpus = 1) {
    auto made = make_pod(name);
    made.priority = priority;
    made.containers.front().requests["cpu"] = Quantity(cpus);
    made.node_name = NodeName(node);
    return add(made);
  }
  /// A pod of priority 100 that does not fit.
  void waiting(std::int64_t cpus, const std::string& policy = "") {
    auto made = make_pod("high");
    made.priority = 100;
    made.preemption_policy = policy;
    made.containers.front().requests["cpu"] = Quantity(cpus);
    add(made);
    settle();
  }
  [[nodiscard]] bool marked(const std::string& name) const {
    const auto* found = server.find<Pod>("default", name);
    return found == nullptr || found->meta.deleted.has_value();
  }
};

}  // namespace

TEST_CASE("as few pods as possible are victims, the most important are spared") {
  FullNode c;
  c.nodes(1, 3);
  c.running("a", "n0", 1);
  c.running("b", "n0", 3);
  c.running("c", "n0", 2);
  c.waiting(2);
  CHECK(c.marked("a"));
  CHECK(c.marked("c"));
  CHECK_FALSE(c.marked("b"));
}

TEST_CASE("pods of the same priority and of higher ones are no victims") {
  FullNode c;
  c.nodes(1, 2);
  c.running("same", "n0", 100);
  c.running("higher", "n0", 101);
  c.waiting(1);
  CHECK_FALSE(c.marked("same"));
  CHECK_FALSE(c.marked("higher"));
  CHECK_FALSE(c.pod("high").nominated_node);
}

TEST_CASE("a pod that never preempts says so") {
  FullNode c;
  c.nodes(1, 1);
  c.running("low", "n0", 1);
  c.waiting(1, "Never");
  CHECK_FALSE(c.marked("low"));
  CHECK(c.message("high").ends_with("preemption: not eligible due to preemptionPolicy=Never."));
}

TEST_CASE("without the extender's preempt verb nobody is asked") {
  FullNode c({.preempts = false});
  c.preempt = [](const auto&) -> extender::PreemptResponse {
    FAIL("asked");
    return {};
  };
  c.nodes(1, 1);
  c.running("low", "n0", 1);
  c.waiting(1);
  CHECK(c.marked("low"));
}

TEST_CASE("of several nodes the cheapest is taken") {
  FullNode c;
  c.nodes(3, 2);
  SECTION("without a violated budget") {
    c.running("a", "n0", 1, 2);
    c.running("b", "n1", 50, 2);
    c.preempt = [](const auto& request) {
      auto victims = request.victims;
      victims.at(NodeName("n0")).pdb_violations = 1;
      victims.erase(NodeName("n2"));
      return extender::PreemptResponse{victims};
    };
    c.running("c", "n2", 100, 2);
    c.waiting(2);
    CHECK(c.marked("b"));
    CHECK_FALSE(c.marked("a"));
  }
  SECTION("with the least important of the most important victims") {
    c.running("a", "n0", 1);
    c.running("a2", "n0", 9);
    c.running("b", "n1", 5);
    c.running("b2", "n1", 5);
    c.running("c", "n2", 100, 2);
    c.waiting(2);
    CHECK(c.marked("b"));
    CHECK(c.marked("b2"));
    CHECK_FALSE(c.marked("a2"));
  }
  SECTION("with the smaller sum of priorities: fewer pods") {
    c.running("a", "n0", 5);
    c.running("a2", "n0", 5);
    c.running("b", "n1", 5, 2);
    c.running("c", "n2", 100, 2);
    c.waiting(2);
    CHECK(c.marked("b"));
    CHECK_FALSE(c.marked("a"));
  }
}

TEST_CASE("an error of the extender is part of the message") {
  FullNode c;
  c.nodes(1, 1);
  c.running("low", "n0", 1);
  SchedulerCommands commands;
  auto made = make_pod("high");
  made.priority = 100;
  c.add(made);
  for (auto& watch : c.watches) {
    for (auto events = c.server.poll(watch, 9).value(); const auto& event : events) {
      for (const auto& command : c.scheduler.step(event, c.now)) {
        const auto* call = std::get_if<CallPreempt>(&command);
        if (call == nullptr) continue;
        c.step(PreemptAnswered{call->id, fail(ErrorCode::unavailable, "timeout")});
      }
    }
  }
  CHECK(c.message("high").ends_with("preemption: timeout"));
  CHECK_FALSE(c.marked("low"));
}

}  // namespace dray::sim::preemption_test
