#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"
#include "tests/unit/sim/scheduler_world.h"

namespace dray::sim::scheduling_cycle_test {

using namespace dray::testing;

TEST_CASE("in-tree filters come first, and the extender is not called for nothing") {
  SchedulerWorld c;
  auto cordoned = make_node("n0");
  cordoned.unschedulable = true;
  c.add(cordoned);
  auto tainted = make_node("n1");
  tainted.taints = {{"gpu", "", "NoSchedule"}};
  c.add(tainted);
  c.add(make_node("n2", 0));
  SECTION("no node is left") {
    c.add(make_pod("p0"));
    c.settle();
    CHECK(c.offered.empty());
    CHECK(c.message("p0") ==
          "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
          "1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not "
          "helpful for scheduling.");
    CHECK(c.pod("p0").conditions.back().reason == "Unschedulable");
    SECTION("a node that fits wakes it, and not before its time") {
      c.add(make_node("n3"));
      c.settle();
      CHECK(c.node_of("p0") == "n3");
    }
    SECTION("its own condition does not") {
      c.run(at(200));
      CHECK(c.server.events().size() == 1);
    }
  }
  SECTION("the extender gets the rest") {
    c.add(make_node("n3"));
    c.add(make_pod("p0"));
    c.settle();
    REQUIRE(c.offered.size() == 1);
    CHECK(c.offered.front() == std::vector<NodeName>{NodeName("n3")});
  }
}

TEST_CASE("the nominated node is asked alone, first") {
  SchedulerWorld c;
  c.nodes(3);
  auto gated = make_pod("p0");
  gated.scheduling_gates = {"dray.dev/admission"};
  gated = c.add(gated);
  REQUIRE(c.server.write(engine::NominateNode{gated.key(), gated.meta.uid, NodeName("n2")}, c.now));
  REQUIRE(c.server.write(engine::LiftGate{gated.key(), gated.meta.uid, {}}, c.now));
  SECTION("and taken") {
    c.settle();
    REQUIRE(c.offered.size() == 1);
    CHECK(c.offered.front() == std::vector<NodeName>{NodeName("n2")});
    CHECK(c.node_of("p0") == "n2");
    CHECK(!c.pod("p0").nominated_node);
  }
  SECTION("then all are") {
    c.filter = [](const auto& request) {
      return request.node_names->size() == 1 ? none_of(request) : only("n0");
    };
    c.settle();
    REQUIRE(c.offered.size() == 2);
    CHECK(c.offered.back().size() == 3);
    CHECK(c.node_of("p0") == "n0");
  }
  SECTION("a failed cycle clears it") {
    c.filter = [](const auto& request) { return none_of(request); };
    c.settle();
    CHECK(!c.pod("p0").nominated_node);
    CHECK(c.offered.size() == 3);  // nominated, all; then all once more
  }
}

}  // namespace dray::sim::scheduling_cycle_test
