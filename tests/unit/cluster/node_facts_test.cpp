#include "dray/cluster/node_facts.h"

#include <catch2/catch.hpp>

#include "tests/objects/pods.h"

namespace dray::node_facts_test {

using namespace dray::testing;

namespace {

Container container(const char* cpu, bool sidecar = false) {
  Container made;
  made.requests = {{"cpu", quantity(cpu)}};
  made.restart_always = sidecar;
  return made;
}

}  // namespace

TEST_CASE("a pod asks for the larger of its containers and its init containers") {
  struct Row {
    const char* name;
    std::vector<Container> init;
    std::vector<Container> main;
    std::int64_t milli;
  };
  const auto row = GENERATE(
      Row{"containers are added", {}, {container("1"), container("500m")}, 1500},
      Row{"the largest init container counts alone",
          {container("2"), container("3")},
          {container("1")},
          3000},
      Row{"a sidecar runs beside the containers", {container("1", true)}, {container("1")}, 2000},
      Row{"a sidecar runs beside the init containers after it",
          {container("1", true), container("3")},
          {container("1")},
          4000},
      Row{"but not beside those before it",
          {container("3"), container("1", true)},
          {container("1")},
          3000});
  DYNAMIC_SECTION(row.name) {
    Pod made;
    made.init_containers = row.init;
    made.containers = row.main;
    CHECK(cluster::requests_of(made).milli_cpu == row.milli);
  }
}

TEST_CASE("overhead comes on top, pod-level requests in place of the containers'") {
  auto made = make_pod("p", {{"cpu", quantity("1")}});
  made.overhead = {{"cpu", quantity("250m")}};
  CHECK(cluster::requests_of(made).milli_cpu == 1250);
  made.pod_requests = ResourceList{{"cpu", quantity("4")}, {"example.com/gpu", quantity("3")}};
  const auto amounts = cluster::requests_of(made);
  CHECK(amounts.milli_cpu == 4250);
  CHECK(amounts.other("example.com/gpu") == 0);
  CHECK(amounts.pods == 1);
}

TEST_CASE("what devices stand for counts on the node of the pod, and not before it has one") {
  auto made = make_pod("p", {{"cpu", quantity("1")}});
  made.containers.front().name = "main";
  made.node_allocatable_claims = {{"c0", {"main"}, {{"cpu", quantity("15")}}, {}}};
  made.node_name.reset();
  CHECK(cluster::requests_of(made).milli_cpu == 1000);  // left by an attempt to bind it
  CHECK(cluster::use_of(made).requested.milli_cpu == 1000);
  made.node_name = NodeName("n0");
  CHECK(cluster::requests_of(made).milli_cpu == 16000);
  CHECK(cluster::use_of(made).requested.milli_cpu == 16000);
}

TEST_CASE("amounts are rounded up and saturate") {
  const auto amounts = cluster::amounts_of({{"memory", quantity("1500m")},
                                            {"cpu", quantity("1u")},
                                            {"example.com/a", quantity("9223372036854775807")}});
  CHECK(amounts.memory == 2);
  CHECK(amounts.milli_cpu == 1);
  auto sum = amounts;
  sum.add(amounts);
  CHECK(sum.other("example.com/a") == INT64_MAX);
}

TEST_CASE("pods that ask for more than can be leave a node as it was when they go") {
  const auto most = quantity("9223372036854775807");
  const auto huge =
      cluster::use_of(make_pod("h", {{"cpu", most}, {"memory", most}, {"example.com/a", most}}));
  const auto plain =
      cluster::use_of(make_pod("p", {{"cpu", quantity("2")}, {"memory", quantity("5")}}));
  cluster::NodeUse use;
  use.add(plain);
  for (int i = 0; i < 3; ++i) use.add(huge);
  CHECK(use.requested.memory > (std::int64_t{1} << 50));
  for (int i = 0; i < 3; ++i) use.subtract(huge);
  CHECK(use == plain);
}

TEST_CASE("subtracting what was added leaves nothing") {
  const auto need = cluster::use_of(make_pod("p", {{"cpu", quantity("2")}}));
  cluster::NodeUse use;
  use.add(need);
  use.add(need);
  use.subtract(need);
  CHECK(use == need);
}

TEST_CASE("host ports clash unless both have addresses of their own") {
  const HostPort any{"TCP", "0.0.0.0", 80};
  const HostPort one{"TCP", "10.0.0.1", 80};
  const HostPort other{"TCP", "10.0.0.2", 80};
  CHECK(cluster::ports_clash(any, one));
  CHECK_FALSE(cluster::ports_clash(one, other));
  CHECK_FALSE(cluster::ports_clash(any, {"UDP", "0.0.0.0", 80}));
  CHECK_FALSE(cluster::ports_clash(any, {"TCP", "0.0.0.0", 81}));
}

}  // namespace dray::node_facts_test
