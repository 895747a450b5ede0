#include "alloc/report/explain.h"

#include <catch2/catch.hpp>

#include "tests/unit/alloc/one_node.h"

namespace dray::explain_test {

using namespace dray::testing;

namespace {

Attributes on(const char* root, std::int64_t size) {
  return {{"root", std::string(root)}, {"size", size}};
}

/// Five devices: three below one root, one below another, one in use; and a NIC.
struct Explained : OneNode {
  Explained() {
    put(cluster, make_class("gpu", {"'size' in device.attributes[device.driver]"}));
    auto tainted = device("sick", on("a", 8));
    tainted.taints.push_back({"sick", "", "NoSchedule", {}});
    put(cluster,
        make_slice("n1", {device("0", on("a", 1)), device("1", on("a", 2)), device("2", on("b", 4)),
                          tainted, device("taken", on("b", 8)), device("nic")}));
    auto held = make_claim("held");
    held.allocation = allocation({device_id("n1", "taken")});
    put(cluster, held);
  }

  alloc::Unsatisfied refusal(const ResourceClaim& asked) {
    const cluster::AllocatedState state(cluster.snapshot());
    alloc::Allocator allocator(options);
    const ResourceClaim* claims[] = {&asked};
    auto outcome = allocator.allocate(state, *state.snapshot().node(NodeName("n1")), claims);
    REQUIRE(outcome.has_value());
    REQUIRE(std::holds_alternative<alloc::Unsatisfied>(*outcome));
    return std::get<alloc::Unsatisfied>(*std::move(outcome));
  }
  alloc::RequestFunnel funnel(const ResourceClaim& asked) {
    const cluster::AllocatedState state(cluster.snapshot());
    alloc::Allocator allocator(options);
    const ResourceClaim* claims[] = {&asked};
    return allocator.explain(state, *state.snapshot().node(NodeName("n1")), claims).front();
  }
};

ResourceClaim of_size(std::int64_t count, std::vector<std::string> selectors) {
  auto spec = exactly(count, "gpu");
  for (auto& text : selectors) spec.selectors.push_back({std::move(text)});
  return make_claim("c", {request("r", spec)});
}

}  // namespace

TEST_CASE(
    "a refusal names the first stage that left too few devices, and each selector by number") {
  struct Row {
    const char* what;
    std::int64_t count;
    std::vector<std::string> selectors;
    Reason reason;
    const char* detail;
  };
  const std::string any = "device.attributes[device.driver].size > 0";
  const std::string large = "device.attributes[device.driver].size > 4";
  const auto row = GENERATE_COPY(
      Row{"the class",
          6,
          {},
          Reason::class_selector,
          "wants 6 devices of class gpu; the node has 5"},
      Row{"the second selector",
          3,
          {any, large},
          Reason::claim_selector,
          "wants 3 devices of class gpu; the node has 5 of the class, 2 that the request accepts "
          "(see its selector #1)"},
      Row{"a taint",
          2,
          {large},
          Reason::device_taint,
          "wants 2 devices of class gpu; the node has 2: 1 tainted, 1 in use, 0 left"},
      Row{"others",
          4,
          {},
          Reason::devices_in_use,
          "wants 4 devices of class gpu; the node has 5: 1 tainted, 1 in use, 3 left"});
  DYNAMIC_SECTION(row.what) {
    const auto refusal = Explained().refusal(of_size(row.count, row.selectors));
    CHECK(refusal.reason == row.reason);
    CHECK(refusal.detail == row.detail);
    CHECK(refusal.request == "default/c/r");
  }
}

TEST_CASE("a constraint tells how many devices it leaves together") {
  auto asked = of_size(3, {});
  SECTION("of one value") {
    asked.spec.constraints = {match("gpu.example.com/root")};
    const auto refusal = Explained().refusal(asked);
    CHECK(refusal.reason == Reason::constraint);
    CHECK(refusal.detail ==
          "wants 3 devices of class gpu that share one gpu.example.com/root; the node has 2");
  }
  SECTION("of one value, were others not in use") {
    auto two = of_size(2, {"device.attributes[device.driver].size != 2"});
    two.spec.constraints = {match("gpu.example.com/root")};
    CHECK(
        Explained().refusal(two).detail ==
        "wants 2 devices of class gpu that share one gpu.example.com/root; the node has 2: 1 left");
  }
  SECTION("of different ones") {
    asked.spec.constraints = {distinct("gpu.example.com/root")};
    CHECK(Explained().refusal(asked).detail ==
          "wants 3 devices of class gpu that differ in gpu.example.com/root; the node has 2");
  }
}

TEST_CASE("a funnel counts stage by stage and names the nearest miss") {
  const auto made = Explained().funnel(of_size(2, {"device.attributes[device.driver].size > 4"}));
  CHECK(made.devices == 6);
  CHECK(made.after_class == 5);
  CHECK(made.after_selectors == 2);
  CHECK(made.after_taints == 1);
  CHECK(made.after_use == 0);
  CHECK(made.nearest_miss == "gpu.example.com/n1/taken (in use)");
}

TEST_CASE("what the class does not have is no near miss, and All never wants none") {
  auto asked = exactly(9, "gpu");
  const auto missed = Explained().funnel(make_claim("c", {request("r", asked)}));
  CHECK(missed.nearest_miss == "gpu.example.com/n1/taken (in use)");
  asked.allocation_mode = "All";
  asked.selectors = {{"false"}};
  const auto all = make_claim("c", {request("r", asked)});
  CHECK(
      Explained().refusal(all).detail ==
      "wants all devices of class gpu; the node has 5 of the class, none that the request accepts "
      "(see its selector #0)");
  CHECK(Explained().funnel(all).wanted == 1);
}

TEST_CASE("a constraint says which attribute devices lack") {
  auto asked = of_size(1, {});
  asked.spec.constraints = {match("gpu.example.com/other")};
  CHECK(Explained().refusal(asked).detail ==
        "wants 1 device of class gpu; the node has 5: 1 tainted, 1 in use, 3 without "
        "gpu.example.com/other, which a constraint needs, 0 left");
}

}  // namespace dray::explain_test
