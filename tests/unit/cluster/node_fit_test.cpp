#include "dray/cluster/node_fit.h"

#include <catch2/catch.hpp>

#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::node_fit_test {

using namespace dray::testing;
using cluster::AllocatedState;
using cluster::ClusterState;

namespace {

Reason fit(ClusterState& cluster, const Pod& asked) {
  const AllocatedState state(cluster.snapshot());
  return cluster::node_fit(state, *state.snapshot().node(NodeName("n1")), asked);
}

}  // namespace

TEST_CASE("what kube-scheduler's filters would say of a node") {
  ClusterState cluster;
  auto host = make_node("n1", 8);
  host.meta.labels = {{"zone", "a"}};
  auto asked = make_pod("p");
  auto want = Reason::none;
  SECTION("it fits") {}
  SECTION("unschedulable") {
    host.unschedulable = true;
    want = Reason::node_unschedulable;
  }
  SECTION("unschedulable, but tolerated") {
    host.unschedulable = true;
    asked.tolerations.push_back({"node.kubernetes.io/unschedulable", "Exists", "", "", {}});
  }
  SECTION("another zone") {
    asked.node_selector = {{"zone", "b"}};
    want = Reason::node_selector;
  }
  SECTION("affinity to another node") {
    NodeSelectorTerm term;
    term.match_fields.push_back({"metadata.name", "In", {"n2"}});
    asked.required_node_affinity = NodeSelector{{term}};
    want = Reason::node_selector;
  }
  SECTION("a taint") {
    host.taints.push_back({"k", "v", "NoSchedule"});
    want = Reason::node_taint;
  }
  SECTION("a taint that only asks") {
    host.taints.push_back({"k", "v", "PreferNoSchedule"});
  }
  SECTION("a tolerated taint") {
    host.taints.push_back({"k", "v", "NoExecute"});
    asked.tolerations.push_back({"k", "Exists", "", "", {}});
  }
  SECTION("too much cpu") {
    asked = make_pod("p", {{"cpu", quantity("9")}});
    want = Reason::node_resources;
  }
  SECTION("a resource that the node does not have") {
    asked.containers[0].requests["example.com/gpu"] = quantity("1");
    want = Reason::node_resources;
  }
  SECTION("a resource that devices stand for") {
    auto made = make_class("gpus");
    made.extended_resource_name = "example.com/gpu";
    put(cluster, made);
    asked.containers[0].requests["example.com/gpu"] = quantity("1");
  }
  SECTION("no room for one more pod") {
    host.allocatable["pods"] = quantity("0");
    want = Reason::node_resources;
  }
  put(cluster, host);
  CHECK(fit(cluster, asked) == want);
}

TEST_CASE("pods that are there take room and ports") {
  ClusterState cluster;
  put(cluster, make_node("n1", 8));
  auto there = make_pod("there", {{"cpu", quantity("6")}});
  there.node_name = NodeName("n1");
  there.containers[0].host_ports.push_back({"", "", 80});
  put(cluster, there);
  CHECK(fit(cluster, make_pod("p", {{"cpu", quantity("2")}})) == Reason::none);
  CHECK(fit(cluster, make_pod("p", {{"cpu", quantity("3")}})) == Reason::node_resources);
  auto same_port = make_pod("p");
  same_port.containers[0].host_ports.push_back({"TCP", "10.0.0.1", 80});
  CHECK(fit(cluster, same_port) == Reason::node_ports);
}

TEST_CASE("what stands behind a node's refusal is named, with its numbers") {
  struct Row {
    std::string name;
    void (*edit)(Node& host, Pod& asked);
    cluster::NodeFit::Lack want;
  };
  const auto row = GENERATE(
      Row{"it fits", [](Node&, Pod&) {}, {}},
      Row{"a label",
          [](Node&, Pod& asked) { asked.node_selector = {{"zone", "b"}}; },
          {.what = "label zone=b"}},
      Row{"affinity",
          [](Node&, Pod& asked) { asked.required_node_affinity = NodeSelector{{{}}}; },
          {.what = "required node affinity"}},
      Row{"a taint with a value",
          [](Node& host, Pod&) { host.taints.push_back({"k", "v", "NoSchedule"}); },
          {.what = "taint k=v:NoSchedule"}},
      Row{"one without",
          [](Node& host, Pod&) { host.taints.push_back({"k", "", "NoExecute"}); },
          {.what = "taint k:NoExecute"}},
      Row{"cpu",
          [](Node&, Pod& asked) { asked.containers[0].requests["cpu"] = quantity("9"); },
          {.what = "cpu", .wanted = 9000, .left = 6000}},
      Row{"memory",
          [](Node&, Pod& asked) { asked.containers[0].requests["memory"] = quantity("2Ti"); },
          {.what = "memory", .wanted = 2LL << 40, .left = 1LL << 40}},
      Row{"storage",
          [](Node&, Pod& asked) {
            asked.containers[0].requests["ephemeral-storage"] = quantity("1");
          },
          {.what = "ephemeral-storage", .wanted = 1, .left = 0}},
      Row{"another resource",
          [](Node&, Pod& asked) {
            asked.containers[0].requests["example.com/gpu"] = quantity("1");
          },
          {.what = "example.com/gpu", .wanted = 1, .left = 0}},
      Row{"pods",
          [](Node& host, Pod&) { host.allocatable["pods"] = quantity("1"); },
          {.what = "pods", .wanted = 1, .left = 0}},
      Row{"a port",
          [](Node&, Pod& asked) { asked.containers[0].host_ports.push_back({"", "", 80}); },
          {.what = "port TCP/80"}});
  DYNAMIC_SECTION(row.name) {
    ClusterState cluster;
    auto host = make_node("n1", 8);
    auto asked = make_pod("p");
    row.edit(host, asked);
    put(cluster, host);
    auto there = make_pod("there", {{"cpu", quantity("2")}});
    there.node_name = NodeName("n1");
    there.containers[0].host_ports.push_back({"TCP", "", 80});
    put(cluster, there);
    const AllocatedState state(cluster.snapshot());
    const cluster::NodeFit fit(asked, state.snapshot());
    CHECK(fit.lack(state, *state.snapshot().node(NodeName("n1"))) == row.want);
  }
}

}  // namespace dray::node_fit_test
