#include "dray/sim/kube_scheduler.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tests/objects/pods.h"
#include "tests/unit/sim/scheduler_world.h"

namespace dray::sim::kube_scheduler_test {

using namespace dray::testing;

TEST_CASE("a pod goes through filter and bind") {
  SchedulerWorld c;
  c.nodes(3);
  c.filter = [](const auto&) { return only("n1"); };
  c.add(make_pod("p0"));
  c.settle();
  CHECK(c.node_of("p0") == "n1");
  CHECK(c.offered.size() == 1);
  CHECK(c.offered.front().size() == 3);
  REQUIRE(!c.server.events().empty());
  CHECK(c.server.events().back().event.note == "Successfully assigned default/p0 to n1");
}

TEST_CASE("a pod is kept off nodes without its volumes, and the extender is not asked for them") {
  SchedulerWorld c;
  c.nodes(3);
  auto pod = make_pod("p0");
  const bool anywhere = GENERATE(true, false);
  pod.meta.annotations[volume_node_annotation] = anywhere ? "n2" : "nowhere";
  const bool nominated = GENERATE(true, false);
  if (nominated) pod.nominated_node = NodeName("n1");
  c.add(pod);
  c.settle();
  if (anywhere) {
    CHECK(c.node_of("p0") == "n2");
    return;
  }
  CHECK(c.node_of("p0").empty());
  CHECK(c.offered.empty());
  REQUIRE(!c.server.events().empty());
  CHECK(c.server.events().back().event.note ==
        "0/3 nodes are available: 3 node(s) didn't match PersistentVolume's node affinity. "
        "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.");
}

TEST_CASE("other schedulers' and gated pods are left alone") {
  SchedulerWorld c;
  c.nodes(1);
  c.add(of_scheduler("default-scheduler", make_pod("other")));
  auto gated = make_pod("gated");
  gated.scheduling_gates = {"dray.dev/admission"};
  gated = c.add(gated);
  c.run(at(600));
  CHECK(c.offered.empty());
  CHECK(c.scheduler.queues().gated == 1);
  REQUIRE(c.server.write(engine::LiftGate{gated.key(), gated.meta.uid, {}}, c.now));
  c.settle();
  CHECK(c.node_of("gated") == "n0");
}

namespace {

/// One CPU, two pods that want it, and binds that stay open until the test answers them.
struct OpenBinds : SchedulerWorld {
  std::vector<CallBind> held;

  OpenBinds() {
    nodes(1, 1);
    add(make_pod("p0"));
    add(make_pod("p1"));
    tell();
    tell();
  }
  void keep(const SchedulerCommands& commands) {
    for (const auto& command : commands) {
      if (const auto* asks_bind = std::get_if<CallBind>(&command)) {
        held.push_back(*asks_bind);
      } else if (const auto* asks = std::get_if<CallFilter>(&command)) {
        keep(scheduler.step(FilterAnswered{asks->id, filter(asks->request)}, now));
      } else {
        carry_out(command, server, now);
      }
    }
  }
  /// Tells the scheduler what happened.
  void tell() {
    for (auto& watch : watches) {
      for (auto events = server.poll(watch, 9).value(); const auto& event : events) {
        keep(scheduler.step(event, now));
      }
    }
  }
  void fail_first(const char* why) {
    keep(scheduler.step(BindAnswered{held.front().id, fail(ErrorCode::unavailable, why)}, now));
  }
  void wait_a_minute() {
    now = at(60);
    keep(scheduler.step(TimePassed{}, now));
  }
};

}  // namespace

TEST_CASE("assumed pods hold their node's resources until the bind fails") {
  OpenBinds c;
  REQUIRE(c.held.size() == 1);
  CHECK(c.held.front().request.pod.name == "p0");
  CHECK(c.message("p1").starts_with("0/1 nodes are available: 1 Insufficient cpu."));
  SECTION("failed: the other pod gets it") {
    c.fail_first("timeout");
    c.tell();
    REQUIRE(c.held.size() == 2);
    CHECK(c.held.back().request.pod.name == "p1");
  }
  SECTION("deleted meanwhile: the same") {
    REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, c.now));
    c.tell();
    REQUIRE(c.held.size() == 2);
    CHECK(c.held.back().request.pod.name == "p1");
    c.fail_first("gone");
    c.wait_a_minute();
    CHECK(c.held.size() == 2);
  }
  SECTION("bound after all, though the answer was lost: not tried again") {
    const auto& request = c.held.front().request;
    REQUIRE(c.server.bind(request.pod, request.uid, request.node, c.now));
    c.tell();
    c.fail_first("timeout");
    c.wait_a_minute();
    CHECK(c.held.size() == 1);
  }
}

TEST_CASE("prioritize decides, and is skipped with one node") {
  SchedulerWorld c;
  c.nodes(4);
  int calls = 0;
  c.prioritize = [&](const auto& request) {
    ++calls;
    extender::PrioritizeResponse scores;
    for (const auto& node : *request.node_names)
      scores.push_back({node, node.get() == "n2" ? 3 : 1});
    return scores;
  };
  c.add(make_pod("p0"));
  c.settle();
  CHECK(c.node_of("p0") == "n2");
  CHECK(calls == 1);
  c.filter = [](const auto&) { return only("n1"); };
  c.add(make_pod("p1"));
  c.settle();
  CHECK(calls == 1);
}

TEST_CASE("ties break at random, the same with the same seed") {
  const auto run = [](std::uint64_t seed) {
    SchedulerWorld c({.seed = seed});
    c.nodes(5);
    std::string nodes;
    for (int i = 0; i < 8; ++i) {
      c.add(make_pod("p" + std::to_string(i)));
      c.settle();
      nodes += c.node_of("p" + std::to_string(i));
    }
    return nodes;
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("full nodes are sent where the extender keeps no cache") {
  SchedulerWorld c({.node_cache_capable = false});
  c.nodes(2);
  std::size_t sent = 0;
  c.filter = [&](const auto& request) {
    CHECK(!request.node_names);
    sent = request.nodes->size();
    return only("n1");
  };
  c.add(make_pod("p0"));
  c.settle();
  CHECK(sent == 2);
  CHECK(c.node_of("p0") == "n1");
}

}  // namespace dray::sim::kube_scheduler_test
