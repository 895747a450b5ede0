#include "service/partition.h"

#include <catch2/catch.hpp>

#include "tests/objects/gpus.h"

namespace dray::service::partition_test {
namespace {

using dray::testing::device_id;

/// What became of an event: nothing, what it was, or the object is gone.
std::string seen(Partition& partition, KubeObject object) {
  const auto told = partition.see(cluster::ObjectChanged{std::move(object)});
  if (!told) return "";
  return std::holds_alternative<cluster::ObjectGone>(*told) ? "gone" : "changed";
}

Node labelled(const std::string& name, const std::string& pool) {
  return dray::testing::make_node(name, Labels{{"pool", pool}});
}

ResourceClaim of_driver(const std::string& driver) {
  auto claim = dray::testing::make_claim("c", 1);
  if (!driver.empty()) {
    claim.allocation = dray::testing::allocation({device_id("n0", "gpu-0", driver)});
  }
  return claim;
}

TEST_CASE("nodes of other parts are not there, and one that moves away goes") {
  Partition partition({.nodes = "pool=blue", .drivers = {}});
  CHECK(seen(partition, labelled("a", "red")).empty());
  CHECK(seen(partition, labelled("b", "blue")) == "changed");
  CHECK(seen(partition, labelled("b", "red")) == "gone");
  CHECK(seen(partition, labelled("b", "red")).empty());
  CHECK(seen(partition, labelled("a", "blue")) == "changed");
  CHECK(partition.see(cluster::ObjectGone{Kind::node, "", "a", Uid()}));
  CHECK_FALSE(partition.see(cluster::ObjectGone{Kind::node, "", "b", Uid()}));
  // Pods are of all parts: they take room and name schedulers.
  CHECK(seen(partition, dray::testing::make_pod("p")) == "changed");
  CHECK(partition.see(engine::Synced{}));
}

TEST_CASE("devices and claims of other drivers are not there") {
  Partition partition({.nodes = "", .drivers = {"blue.example.com"}});
  auto slice = dray::testing::make_gpus("n0", 1);
  slice.driver = DriverName("red.example.com");
  CHECK(seen(partition, slice).empty());
  slice.driver = DriverName("blue.example.com");
  CHECK(seen(partition, slice) == "changed");
  CHECK(seen(partition, of_driver("")) == "changed");
  CHECK(seen(partition, of_driver("blue.example.com")) == "changed");
  CHECK(seen(partition, of_driver("")) == "changed");
  CHECK(seen(partition, of_driver("red.example.com")) == "gone");
  CHECK(seen(partition, of_driver("red.example.com")).empty());
  CHECK(seen(partition, of_driver("")) == "changed");
}

TEST_CASE("of what cannot be read only the own is told") {
  Partition partition({.nodes = "", .drivers = {"blue.example.com"}});
  CHECK_FALSE(partition.see(cluster::ObjectUnreadable{of_driver("red.example.com"), "why"}));
  CHECK(partition.see(cluster::ObjectUnreadable{of_driver("blue.example.com"), "why"}));
}

TEST_CASE("filter names no node of another part") {
  Partition partition({.nodes = "pool=blue", .drivers = {}});
  (void)seen(partition, labelled("b", "blue"));
  extender::FilterResponse response;
  response.node_names = {NodeName("a"), NodeName("b"), NodeName("c")};
  partition.keep_own(response);
  CHECK(response.node_names == std::vector{NodeName("b")});
  REQUIRE(response.failed_unresolvable.size() == 1);
  CHECK(response.failed_unresolvable.begin()->second == std::vector{NodeName("a"), NodeName("c")});
}

TEST_CASE("the whole cluster is told as it is") {
  Partition partition;
  CHECK(seen(partition, labelled("a", "red")) == "changed");
  extender::FilterResponse response;
  response.node_names = {NodeName("z")};
  partition.keep_own(response);
  CHECK(response.node_names.size() == 1);
}

TEST_CASE("a selector that cannot be read is an error") {
  CHECK_FALSE(Partition::check({.nodes = "pool in", .drivers = {}}));
  CHECK(Partition::check({.nodes = "pool in (a)", .drivers = {"x"}}));
}

}  // namespace
}  // namespace dray::service::partition_test
