#include "alloc/search/score.h"

#include <catch2/catch.hpp>

#include "tests/unit/alloc/one_node.h"

namespace dray::score_test {

using namespace dray::testing;

namespace {

constexpr const char* pcie = "resource.kubernetes.io/pcieRoot";

Device rooted(const std::string& name, const char* root) {
  return device(name, {{pcie, std::string(root)}});
}

/// A card of seven slices: `size` of them from `start`.
Device partition(int size, int start) {
  auto made = device("mig-" + std::to_string(size) + "-" + std::to_string(start));
  CounterConsumption takes{.counter_set = "card", .counters = {}, .compatibility_groups = {}};
  for (int i = start; i < start + size; ++i) {
    takes.counters["slice-" + std::to_string(i)] = Quantity(1);
  }
  made.consumes_counters.push_back(std::move(takes));
  return made;
}

OneNode best() {
  OneNode one;
  one.options.mode = alloc::Mode::best;
  return one;
}

}  // namespace

TEST_CASE("mode best keeps large groups whole") {
  auto one = best();
  put(one.cluster,
      make_slice("n1", {rooted("0", "a"), rooted("1", "a"), rooted("2", "a"), rooted("3", "b")}));
  CHECK(one.ask({make_claim("c", {request("r", exactly(1))})}) == Names{"3"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(2))})}) == Names{"0", "1"});
}

TEST_CASE("mode best aligns across claims and drivers without being asked") {
  auto one = best();
  put(one.cluster, make_class("nic", {"device.driver == 'nic.example.com'"}));
  put(one.cluster, make_class("gpu", {"device.driver == 'gpu.example.com'"}));
  put(one.cluster, make_slice("n1", {rooted("gpu-a", "a"), rooted("gpu-b", "b")}));
  put(one.cluster, make_slice("n1", {rooted("nic-b", "b")}, "nic.example.com"));
  const std::vector claims{make_claim("g", {request("r", exactly(1, "gpu"))}),
                           make_claim("n", {request("r", exactly(1, "nic"))})};
  CHECK(one.ask(claims) == Names{"gpu-b", "nic-b"});
  one.options.mode = alloc::Mode::first_fit;
  CHECK(one.ask(claims) == Names{"gpu-a", "nic-b"});
}

TEST_CASE("what others will choose is taken as it is, or refused where it is too far apart") {
  OneNode one;
  one.options.mode = alloc::Mode::predicted;
  one.options.alignment = {{.attributes = {pcie}}};
  put(one.cluster, make_slice("n1", {rooted("0", "a"), rooted("1", "b"), rooted("2", "b")}));
  const std::vector two{make_claim("c", {request("r", exactly(2))})};
  CHECK(one.ask(two) == Names{"0", "1"});
  one.options.alignment[0].required = true;
  CHECK(one.ask(two) == Names{"Constraint"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(1))})}) == Names{"0"});
}

TEST_CASE("devices that somebody has to make ready come last") {
  auto one = best();
  REQUIRE(one.options.features.set_gate("DRADeviceBindingConditions", true));
  auto fabric = device("a");
  fabric.binding_conditions = {"Attached"};
  fabric.binding_failure_conditions = {"AttachFailed"};
  put(one.cluster, make_slice("n1", {fabric, device("b"), device("c")}));
  CHECK(one.ask({make_claim("c", {request("r", exactly(2))})}) == Names{"b", "c"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(3))})}) == Names{"a", "b", "c"});
}

TEST_CASE("a required level bars choices across its places") {
  auto one = best();
  one.options.alignment = {{.attributes = {pcie}, .required = true}};
  put(one.cluster, make_slice("n1", {rooted("0", "a"), rooted("1", "a"), rooted("2", "b"),
                                     rooted("3", "b"), rooted("4", "b")}));
  CHECK(one.ask({make_claim("c", {request("r", exactly(2))})}) == Names{"0", "1"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(3))})}) == Names{"2", "3", "4"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(4))})}) == Names{"Constraint"});
  // Two claims of a pod are together as well.
  CHECK(one.ask({make_claim("c", {request("r", exactly(2))}),
                 make_claim("d", {request("r", exactly(2))})}) == Names{"Constraint"});
  one.options.alignment[0].required = false;
  CHECK(one.ask({make_claim("c", {request("r", exactly(4))})}).size() == 4);
}

TEST_CASE("a device of no known place goes with any") {
  auto one = best();
  one.options.alignment = {{.attributes = {pcie}, .required = true}};
  put(one.cluster, make_slice("n1", {rooted("0", "a"), rooted("1", ""), rooted("2", "b")}));
  CHECK(one.ask({make_claim("c", {request("r", exactly(2))})}) == Names{"0", "1"});
  CHECK(one.ask({make_claim("c", {request("r", exactly(3))})}) == Names{"Constraint"});
}

TEST_CASE("what stands for unknown is no place") {
  auto one = best();
  put(one.cluster, make_slice("n1", {rooted("0", ""), rooted("1", "a"), rooted("2", "")}));
  CHECK(one.ask({make_claim("c", {request("r", exactly(2))})}) == Names{"0", "2"});
}

TEST_CASE("mode best leaves room for the largest partition") {
  auto one = best();
  std::vector<Device> devices;
  for (int start = 0; start < 7; ++start) devices.push_back(partition(1, start));
  devices.push_back(partition(4, 0));
  devices.push_back(partition(7, 0));
  auto cards = make_slice("n1", {});
  cards.meta.name = "counters";
  cards.pool_slice_count = 2;
  cards.shared_counters.push_back({"card", {}});
  for (int i = 0; i < 7; ++i) {
    cards.shared_counters[0].counters["slice-" + std::to_string(i)] = Quantity(1);
  }
  auto made = make_slice("n1", devices);
  made.pool_slice_count = 2;
  put(one.cluster, made);
  put(one.cluster, cards);
  const auto got = one.ask({make_claim("c", {request("r", exactly(1))})});
  CHECK(got == Names{"mig-1-4"});
  one.options.mode = alloc::Mode::first_fit;
  CHECK(one.ask({make_claim("c", {request("r", exactly(1))})}) == Names{"mig-1-0"});
}

TEST_CASE("shares are packed, or spread") {
  auto one = best();
  std::vector<Device> cards;
  for (const char* name : {"card-0", "card-1"}) {
    auto card = device(name);
    card.allow_multiple_allocations = true;
    card.capacity["memory"].value = quantity("10");
    cards.push_back(card);
  }
  put(one.cluster, make_slice("n1", cards));
  auto held = make_claim("held");
  held.allocation = allocation({device_id("n1", "card-1")});
  held.allocation->devices[0].share_id = "s";
  held.allocation->devices[0].consumed_capacity = {{"memory", quantity("4")}};
  put(one.cluster, held);
  auto some = exactly(1);
  some.capacity_requests = {{"memory", quantity("2")}};
  CHECK(one.ask({make_claim("c", {request("r", some)})}) == Names{"card-1"});
  one.options.shares = alloc::SharePlacement::spread;
  CHECK(one.ask({make_claim("c", {request("r", some)})}) == Names{"card-0"});
}

TEST_CASE("two shares of a claim on one card are a warning") {
  auto one = best();
  auto card = device("card");
  card.allow_multiple_allocations = true;
  card.capacity["memory"].value = quantity("10");
  put(one.cluster, make_slice("n1", {card}, "hami-core-gpu.project-hami.io"));
  auto some = exactly(1);
  some.capacity_requests = {{"memory", quantity("2")}};
  const auto asked = make_claim("c", {request("a", some), request("b", some)});
  const ResourceClaim* claims[] = {&asked};
  const cluster::AllocatedState state(one.cluster.snapshot());
  alloc::Allocator allocator;
  const auto outcome = allocator.allocate(state, *state.snapshot().node(NodeName("n1")), claims);
  REQUIRE(outcome);
  const auto& made = std::get<alloc::Allocation>(*outcome);
  REQUIRE(made.warnings.size() == 1);
  CHECK(made.results[0].devices[0].share_id != made.results[0].devices[1].share_id);
}

}  // namespace dray::score_test
