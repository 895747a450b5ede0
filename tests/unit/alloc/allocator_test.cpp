#include "dray/alloc/allocator.h"

#include <catch2/catch.hpp>

#include "tests/unit/alloc/one_node.h"

namespace dray::allocator_test {

using namespace dray::testing;

namespace {

Attributes root(const char* value) {
  return {{"root", std::string(value)}};
}

}  // namespace

TEST_CASE("the first devices that do are taken, in the order of pools, slices and devices") {
  OneNode one;
  put(one.cluster, make_slice("n1", {device("b-0"), device("b-1")}, "b.example.com"));
  put(one.cluster, make_slice("n1", {device("a-1"), device("a-0")}, "a.example.com"));
  CHECK(one.ask({make_claim("c", {request("r", exactly(3))})}) == Names{"a-1", "a-0", "b-0"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(5))})}) == Names{"NoDevices"});
}

TEST_CASE("selectors of class and request both count") {
  OneNode one;
  put(one.cluster, make_class("gpu", {"device.attributes[device.driver].kind == 'gpu'"}));
  put(one.cluster, make_slice("n1", {device("nic-0", {{"kind", std::string("nic")}}),
                                     device("gpu-0", {{"kind", std::string("gpu")}}),
                                     device("gpu-1", {{"kind", std::string("gpu")}, {"n", 1L}})}));
  CHECK(one.ask({make_claim("c", {request("r", exactly(1, "gpu"))})}) == Names{"gpu-0"});
  auto second = exactly(1, "gpu");
  second.selectors.push_back({"'n' in device.attributes[device.driver]"});
  CHECK(one.ask({make_claim("c", {request("r", second)})}) == Names{"gpu-1"});
  second.count = 2;
  CHECK(one.ask({make_claim("c", {request("r", second)})}) == Names{"ClaimSelector"});
}

TEST_CASE("matchAttribute keeps requests together, distinctAttribute apart") {
  OneNode one;
  put(one.cluster,
      make_slice("n1", {device("0", root("a")), device("1", root("b")), device("2", root("a")),
                        device("3", root("b")), device("4", root("b")), device("5")}));
  auto together = make_claim("c", {request("r", exactly(3))});
  together.spec.constraints.push_back(match("gpu.example.com/root"));
  CHECK(one.ask({together}) == Names{"1", "3", "4"});
  auto apart = make_claim("c", {request("r", exactly(2))});
  apart.spec.constraints.push_back(distinct("gpu.example.com/root"));
  CHECK(one.ask({apart}) == Names{"0", "1"});
  apart.spec.requests[0].exactly->count = 3;
  CHECK(one.ask({apart}) == Names{"Constraint"});
}

TEST_CASE("alternatives are tried in order, also after a later request failed") {
  OneNode one;
  put(one.cluster,
      make_slice("n1", {device("0", root("a")), device("1", root("b")), device("2", root("b"))}));
  DeviceRequest either;
  either.name = "either";
  either.first_available = {exactly(4), exactly(2), exactly(1)};
  either.first_available[0].name = "four";
  either.first_available[1].name = "two";
  either.first_available[2].name = "one";
  CHECK(one.ask({make_claim("c", {either})}) == Names{"0", "1"});
  CHECK(one.ask({make_claim("c", {either, request("more", exactly(2))})}) == Names{"0", "1", "2"});
}

TEST_CASE("devices in use are not given again; a taint needs a toleration") {
  OneNode one;
  auto tainted = device("2");
  tainted.taints.push_back({"sick", "", "NoSchedule", {}});
  put(one.cluster, make_slice("n1", {device("0"), device("1"), tainted}));
  auto held = make_claim("held");
  held.allocation = allocation({device_id("n1", "0")});
  put(one.cluster, held);
  CHECK(one.ask({make_claim("c", {request("r", exactly(1))})}) == Names{"1"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(2))})}) == Names{"DevicesInUse"});
  auto tolerant = exactly(2);
  tolerant.tolerations.push_back({"sick", "Exists", "", "", {}});
  CHECK(one.ask({make_claim("c", {request("r", tolerant)})}) == Names{"1", "2"});
  auto admin = exactly(1);
  admin.admin_access = true;
  CHECK(one.ask({make_claim("c", {request("r", admin)})}) == Names{"0"});
}

TEST_CASE("a claim with admin access gets each device once") {
  OneNode one;
  put(one.cluster, make_slice("n1", {device("0"), device("1")}));
  const auto admin = [](std::int64_t count) {
    auto spec = exactly(count);
    spec.admin_access = true;
    return spec;
  };
  CHECK(one.ask({make_claim("c", {request("r", admin(2))})}) == Names{"0", "1"});
  CHECK(one.ask({make_claim("c", {request("r", admin(1)), request("s", admin(1))})}) ==
        Names{"0", "1"});
  CHECK(one.ask({make_claim("c", {request("r", admin(2)), request("s", admin(1))})}) ==
        Names{"DevicesInUse"});
}

TEST_CASE("a DeviceTaintRule taints from outside") {
  OneNode one;
  put(one.cluster, make_slice("n1", {device("0"), device("1")}));
  DeviceTaintRule rule;
  rule.meta.name = "rule";
  rule.has_selector = true;
  rule.device = DeviceName("0");
  rule.taint = {"sick", "", "NoExecute", {}};
  put(one.cluster, rule);
  CHECK(one.ask({make_claim("c", {request("r", exactly(1))})}) == Names{"1"});
  gone(one.cluster, Kind::device_taint_rule, "rule");
  CHECK(one.ask({make_claim("c", {request("r", exactly(1))})}) == Names{"0"});
}

TEST_CASE("All takes every device that matches, or nothing") {
  OneNode one;
  put(one.cluster, make_slice("n1", {device("0"), device("1")}));
  DeviceRequestSpec all;
  all.device_class = ClassName("any");
  all.allocation_mode = "All";
  CHECK(one.ask({make_claim("c", {request("r", all)})}) == Names{"0", "1"});
  CHECK(one.ask({make_claim("a", {request("r", exactly(1))}),
                 make_claim("c", {request("r", all)})}) == Names{"DevicesInUse"});
  auto missing = make_slice("n1", {device("2")}, "other.example.com");
  missing.pool_slice_count = 2;
  put(one.cluster, missing);
  CHECK(one.ask({make_claim("c", {request("r", all)})}) ==
        Names{"error: claim default/c, request r: asks for all devices, but resource pool "
              "other.example.com/n1 is currently being updated"});
}

TEST_CASE("an error behind the first fit is not met, one before it is") {
  OneNode one;
  put(one.cluster, make_slice("n1", {device("0", root("a")), device("1")}));
  auto asked = exactly(1);
  asked.selectors.push_back({"device.attributes[device.driver].root == 'a'"});
  CHECK(one.ask({make_claim("c", {request("r", asked)})}) == Names{"0"});
  asked.count = 2;
  const auto got = one.ask({make_claim("c", {request("r", asked)})});
  REQUIRE(got.size() == 1);
  CHECK(got.front().starts_with(
      "error: claim default/c: selector #0 on device gpu.example.com/n1/1: CEL runtime error: no "
      "such key: root"));
}

TEST_CASE(
    "more devices than a claim can hold are refused before the search, patch release by release") {
  OneNode one;
  put(one.cluster, make_slice("n1", {device("0")}));
  const auto error = [&](alloc::Compatibility like, std::vector<DeviceRequest> requests) {
    one.options.compatibility = like;
    return one.ask({make_claim("c", std::move(requests))}).front();
  };
  using enum alloc::Compatibility;
  const auto both = [] { return std::vector{request("r", exactly(30)), request("s", exactly(3))}; };
  CHECK(
      error(v0_37_2, both()) ==
      "error: claim default/c, request s: adding 3 devices exceeds the claim limit of 32, with 30 "
      "already accounted for");
  CHECK(error(v0_37_0, both()) ==
        "error: claim default/c: number of requested devices 33 exceeds the claim limit of 32");
  CHECK(error(v0_37_2, {request("r", exactly(30)), request("s", exactly(2))}) == "NoDevices");
  // Of alternatives the smallest counts.
  DeviceRequest either;
  either.name = "either";
  either.first_available = {exactly(40), exactly(2)};
  either.first_available[0].name = "many";
  either.first_available[1].name = "few";
  CHECK(error(v0_37_2, {request("r", exactly(30)), either}) == "NoDevices");
}

TEST_CASE("a pod may have 64 claims that want devices, not more") {
  OneNode one;
  put(one.cluster, make_slice("n1", {device("0")}));
  const auto ask = [&](std::size_t count) {
    std::vector<ResourceClaim> claims;
    for (std::size_t i = 0; i < count; ++i) {
      claims.push_back(make_claim("c" + std::to_string(i), {request("r", exactly(1, "none"))}));
    }
    put(one.cluster, make_class("none", {"false"}));
    return one.ask(claims).front();
  };
  CHECK(ask(64) == "ClassSelector");
  CHECK(ask(65) == "error: 65 claims in one pod, more than 64");
}

TEST_CASE("check says what allocate would, and what the choice is worth") {
  OneNode one;
  auto slow = device("slow");
  slow.binding_conditions = {"ready"};
  slow.binding_failure_conditions = {"failed"};
  put(one.cluster, make_slice("n1", {slow}));
  const cluster::AllocatedState state(one.cluster.snapshot());
  const auto n1 = *state.snapshot().node(NodeName("n1"));
  alloc::Allocator allocator;
  DeviceRequest either;
  either.name = "either";
  either.first_available = {exactly(2), exactly(1)};
  either.first_available[0].name = "two";
  either.first_available[1].name = "one";
  const auto asked = make_claim("c", {either});
  const ResourceClaim* claims[] = {&asked};
  const auto fit = allocator.check(state, n1, claims);
  REQUIRE(fit);
  CHECK(fit->reason == Reason::none);
  CHECK(fit->preference == 7);
  CHECK(fit->unready == 1);
  const auto before = allocator.counts();
  CHECK(chosen(allocator.allocate(state, n1, claims)) == Names{"slow"});
  CHECK(allocator.counts().searches == before.searches);
  CHECK(allocator.counts().calls == before.calls + 1);
}

TEST_CASE("hopeless questions are answered in few steps") {
  OneNode one;
  std::vector<Device> devices;
  for (int i = 0; i < 64; ++i) {
    devices.push_back(device("d" + std::to_string(i), root(i % 2 == 0 ? "a" : "b")));
  }
  put(one.cluster, make_slice("n1", devices));
  put(one.cluster, make_class("none", {"false"}));
  const auto steps = [&](const std::vector<ResourceClaim>& claims) {
    alloc::Allocator allocator(one.options);
    CHECK(one.ask(allocator, claims).size() == 1);
    return allocator.counts().steps;
  };
  SECTION("many of 64, then one that is not there") {
    CHECK(steps({make_claim("c", {request("r", exactly(16)), request("x", exactly(1, "none"))})}) ==
          0);
  }
  SECTION("one more of a value than there are") {
    auto asked = make_claim("c", {request("r", exactly(33))});
    asked.spec.requests[0].exactly->count = 32;
    asked.spec.constraints.push_back(match("gpu.example.com/root"));
    CHECK(one.ask({asked}).size() == 32);
    auto held = make_claim("held");
    held.allocation = allocation({device_id("n1", "d0"), device_id("n1", "d1")});
    put(one.cluster, held);
    CHECK(steps({asked}) == 0);
  }
  SECTION("eight pairs, of which one side is missing") {
    std::vector<DeviceRequest> requests;
    std::vector<DeviceConstraint> constraints;
    for (int i = 0; i < 8; ++i) {
      const auto number = std::to_string(i);
      requests.insert(requests.begin() + i, request("gpu" + number, exactly(1)));
      requests.push_back(request("nic" + number, exactly(1, "none")));
      constraints.push_back(match("gpu.example.com/root", {"gpu" + number, "nic" + number}));
    }
    auto asked = make_claim("c", requests);
    asked.spec.constraints = constraints;
    CHECK(steps({asked}) == 0);
  }
}

}  // namespace dray::allocator_test
