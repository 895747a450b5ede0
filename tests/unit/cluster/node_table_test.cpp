#include "cluster/node_table.h"

#include <catch2/catch.hpp>

#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::node_table_test {

using namespace dray::testing;

namespace {

std::vector<std::string> names(const cluster::Snapshot& snapshot) {
  std::vector<std::string> made;
  for (const auto index : snapshot.nodes_by_name()) made.push_back(snapshot.name(index).get());
  return made;
}

}  // namespace

TEST_CASE("nodes stand in the order of their names, whenever they came") {
  cluster::ClusterState cluster;
  for (const char* name : {"b", "c", "a"}) put(cluster, make_node(name));
  const auto before = cluster.snapshot();
  CHECK(names(*before) == std::vector<std::string>{"a", "b", "c"});
  gone(cluster, Kind::node, "b");
  CHECK(names(*cluster.snapshot()) == std::vector<std::string>{"a", "c"});
  CHECK(names(*before) == std::vector<std::string>{"a", "b", "c"});
  CHECK_FALSE(cluster.snapshot()->node(NodeName("b")));
}

TEST_CASE("a node's place is its own as long as it is there, and is given again afterwards") {
  cluster::ClusterState cluster;
  put(cluster, make_node("a"));
  put(cluster, make_node("b"));
  const auto place = *cluster.node(NodeName("a"));
  put(cluster, make_node("a", {{"x", "y"}}));
  CHECK(cluster.node(NodeName("a")) == place);
  gone(cluster, Kind::node, "a");
  put(cluster, make_node("c"));
  CHECK(cluster.node(NodeName("c")) == place);
  CHECK(cluster.snapshot()->node_limit() == 2);
}

TEST_CASE("pods and slices of a node that comes late count when it comes, and when it comes back") {
  cluster::ClusterState cluster;
  auto early = make_pod("p");
  early.node_name = NodeName("n1");
  put(cluster, early);
  put(cluster, make_slice("n1", {device("0")}));
  const auto check = [&] {
    const auto now = cluster.snapshot();
    const auto& entry = now->entry(*now->node(NodeName("n1")));
    CHECK(entry.use->requested.milli_cpu == 1000);
    CHECK(entry.pools.size() == 1);
  };
  put(cluster, make_node("n1"));
  check();
  gone(cluster, Kind::node, "n1");
  put(cluster, make_node("n1"));
  check();
}

TEST_CASE("a node's version moves with what devices may depend on, and nothing else") {
  cluster::ClusterState cluster;
  put(cluster, make_node("n1", {{"zone", "a"}}));
  const auto version = [&] {
    const auto now = cluster.snapshot();
    return now->entry(*now->node(NodeName("n1"))).version;
  };
  const auto first = version();
  auto other = make_node("n1", {{"zone", "a"}});
  other.unschedulable = true;
  put(cluster, other);
  CHECK(version() == first);
  put(cluster, make_node("n1", {{"zone", "b"}}));
  const auto second = version();
  CHECK(second > first);
  other = make_node("n1", {{"zone", "b"}});
  other.declared_features = {"X"};
  put(cluster, other);
  CHECK(version() > second);
}

TEST_CASE("a node that only got a new resourceVersion is no change") {
  cluster::ClusterState cluster;
  put(cluster, make_node("n1"));
  const auto before = cluster.generation();
  auto same = make_node("n1");
  same.meta.resource_version = ResourceVersion("7");
  put(cluster, same);
  CHECK(cluster.generation() == before);
  same.unschedulable = true;
  put(cluster, same);
  CHECK(cluster.generation() > before);
  const auto cordoned = cluster.generation();
  same.taints = {{.key = "k", .value = {}, .effect = "NoSchedule"}};
  put(cluster, same);
  CHECK(cluster.generation() > cordoned);
  gone(cluster, Kind::node, "nobody");
  CHECK(cluster.snapshot()->node_count() == 1);
}

}  // namespace dray::node_table_test
