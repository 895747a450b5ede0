#include "alloc/search/bounds.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::bounds_test {

using namespace dray::testing;
using alloc::Bits;

namespace {

Device with(const std::string& name, const char* value) {
  return device(name, {{"x", std::string(value)}});
}

struct World {
  cluster::ClusterState cluster;
  explicit World(std::vector<Device> devices) {
    put(cluster, make_node("n1"));
    put(cluster, make_class("any"));
    put(cluster, make_class("a", {"device.attributes[device.driver].x == 'a'"}));
    put_card(cluster, "4Gi", std::move(devices));
  }
  /// Whether the bounds show at the start that the claims have no solution.
  bool hopeless(std::vector<ResourceClaim> claims) {
    Prepared made(cluster, std::move(claims));
    REQUIRE(made.collected);
    const alloc::Bounds bounds(made.view, made.prepared, made.tables, made.memory.attributes,
                               made.placing, nullptr);
    Bits open(made.view.devices.size());
    return bounds.pruning(0, 0).bound && bounds.hopeless({}, open);
  }
};

}  // namespace

TEST_CASE("counting shows that requests cannot all be served") {
  World one({with("0", "a"), with("1", "a"), with("2", "b")});
  CHECK_FALSE(one.hopeless({make_claim("c", {request("r", exactly(3))})}));
  CHECK(one.hopeless({make_claim("c", {request("r", exactly(4))})}));
  CHECK_FALSE(
      one.hopeless({make_claim("c", {request("r", exactly(1)), request("s", exactly(2, "a"))})}));
  CHECK(one.hopeless({make_claim("c", {request("r", exactly(2)), request("s", exactly(2, "a"))})}));
  CHECK(one.hopeless({make_claim("c", {request("r", exactly(2))}),
                      make_claim("d", {request("s", exactly(2, "a"))})}));
}

TEST_CASE("constraints show it too") {
  World one({with("0", "a"), with("1", "a"), with("2", "b")});
  const auto asked = [&](std::int64_t count, DeviceConstraint constraint) {
    auto made = make_claim("c", {request("r", exactly(count))});
    made.spec.constraints = {std::move(constraint)};
    return std::vector{made};
  };
  CHECK_FALSE(one.hopeless(asked(2, match("gpu.example.com/x"))));
  CHECK(one.hopeless(asked(3, match("gpu.example.com/x"))));
  CHECK_FALSE(one.hopeless(asked(2, distinct("gpu.example.com/x"))));
  CHECK(one.hopeless(asked(3, distinct("gpu.example.com/x"))));
}

TEST_CASE("counters show it: even the least that each could take is too much") {
  World one({partition("0", "2Gi"), partition("1", "2Gi"), partition("2", "2Gi")});
  CHECK_FALSE(one.hopeless({make_claim("c", {request("r", exactly(2))})}));
  CHECK(one.hopeless({make_claim("c", {request("r", exactly(3))})}));
  World mixed({partition("0", "3Gi"), partition("1", "1Gi"), device("2")});
  CHECK_FALSE(mixed.hopeless({make_claim("c", {request("r", exactly(3))})}));
}

TEST_CASE("where counters may grow, they show nothing") {
  World one({partition("0", "3Gi"), partition("1", "3Gi"), partition("2", "-2Gi")});
  CHECK_FALSE(one.hopeless({make_claim("c", {request("r", exactly(3))})}));
}

TEST_CASE("admin access takes devices from nobody") {
  World one({device("0"), device("1")});
  auto admin = exactly(2);
  admin.admin_access = true;
  CHECK_FALSE(one.hopeless(
      {make_claim("c", {request("r", exactly(2))}), make_claim("d", {request("admin", admin)})}));
}

TEST_CASE("an All that a constraint may end with an error keeps the bounds away") {
  const auto failing = [](const char* second, DeviceConstraint constraint) {
    World one({with("0", "a"), with("1", second)});
    auto asked = make_claim("c", {request("r", all_of())});
    asked.spec.constraints = {std::move(constraint)};
    Prepared made(one.cluster, {asked});
    const alloc::Bounds bounds(made.view, made.prepared, made.tables, made.memory.attributes,
                               made.placing, nullptr);
    CHECK(bounds.wanted(0) == 2);
    CHECK(bounds.pruning(0, 0).bound != bounds.failing().at(0));
    return bounds.failing().at(0);
  };
  CHECK_FALSE(failing("a", match("gpu.example.com/x")));
  CHECK(failing("b", match("gpu.example.com/x")));
  CHECK(failing("a", distinct("gpu.example.com/x")));
  CHECK_FALSE(failing("b", distinct("gpu.example.com/x")));
  CHECK(failing("a", match("gpu.example.com/y")));
}

TEST_CASE("once errors are dead ends, everything may be left out") {
  World one({with("0", "a"), with("1", "b")});
  auto asked = make_claim("c", {request("r", all_of())});
  asked.spec.constraints = {match("gpu.example.com/x")};
  Prepared made(one.cluster, {asked});
  alloc::Bounds bounds(made.view, made.prepared, made.tables, made.memory.attributes, made.placing,
                       nullptr);
  CHECK_FALSE(bounds.pruning(0, 0).bound);
  bounds.ignore_errors();
  CHECK(bounds.pruning(0, 0).bound);
  CHECK(bounds.pruning(0, 0).reuse);
}

}  // namespace dray::bounds_test
