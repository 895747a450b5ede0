#include "alloc/search/device_kinds.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::device_kinds_test {

using namespace dray::testing;

namespace {

/// Whether devices 0 and 1 of a node are interchangeable to one claim.
bool alike(std::vector<Device> devices, std::vector<DeviceConstraint> constraints = {},
           const std::vector<std::string>& held = {}, bool failing = false,
           DeviceRequestSpec spec = exactly(1)) {
  cluster::ClusterState cluster;
  put(cluster, make_node("n1"));
  put(cluster, make_class("any"));
  put_card(cluster, "8Gi", std::move(devices));
  for (const auto& name : held) {
    auto holder = make_claim("held-" + name, {});
    holder.allocation = allocation({device_id("n1", name)});
    put(cluster, holder);
  }
  auto asked = make_claim("c", {request("r", std::move(spec))});
  asked.spec.constraints = std::move(constraints);
  Prepared made(cluster, {asked});
  const auto kinds =
      alloc::device_kinds(made.view, made.prepared, made.tables, {failing}, nullptr, nullptr);
  return kinds.at(0) == kinds.at(1);
}

Device with(const std::string& name, const char* value) {
  return device(name, {{"x", std::string(value)}});
}

}  // namespace

TEST_CASE("devices are of one kind if no request can tell them apart") {
  CHECK(alike({device("0"), device("1")}));
  CHECK(alike({with("0", "a"), with("1", "b")}));
  CHECK_FALSE(alike({with("0", "a"), with("1", "b")}, {match("gpu.example.com/x")}));
  CHECK(alike({with("0", "a"), with("1", "a")}, {match("gpu.example.com/x")}));
  CHECK_FALSE(alike({partition("0", "1Gi"), partition("1", "2Gi")}));
  CHECK(alike({partition("0", "1Gi"), partition("1", "1Gi")}));
  CHECK_FALSE(alike({partition("0", "1Gi"), device("1")}));
  CHECK_FALSE(alike({device("0"), device("1")}, {}, {"0"}));
  CHECK_FALSE(alike({shareable("0", "4Gi"), shareable("1", "5Gi")}, {}, {}, false, share("1Gi")));
  CHECK_FALSE(alike({shareable("0", "4Gi"), device("1")}));
}

TEST_CASE("a device of which a part is taken is of its own kind") {
  cluster::ClusterState cluster;
  put(cluster, make_node("n1"));
  put(cluster, make_class("any"));
  put(cluster, make_slice("n1", {shareable("0", "4Gi"), shareable("1", "4Gi")}));
  const auto kinds = [&] {
    Prepared made(cluster, {make_claim("c", {request("r", share("1Gi"))})});
    return alloc::device_kinds(made.view, made.prepared, made.tables, {false}, nullptr, nullptr);
  };
  CHECK(kinds().at(0) == kinds().at(1));
  auto holder = make_claim("holder", {});
  holder.allocation = allocation({device_id("n1", "0")});
  holder.allocation->devices[0].share_id = "s";
  holder.allocation->devices[0].consumed_capacity = {{"memory", quantity("3Gi")}};
  put(cluster, holder);
  CHECK(kinds().at(0) != kinds().at(1));
}

TEST_CASE("devices of an All that may fail are each of their own kind") {
  CHECK(alike({device("0"), device("1")}, {}, {}, false, all_of()));
  CHECK_FALSE(alike({device("0"), device("1")}, {}, {}, true, all_of()));
}

}  // namespace dray::device_kinds_test
