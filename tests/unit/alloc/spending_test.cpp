#include "alloc/search/spending.h"

#include <catch2/catch.hpp>

#include "tests/unit/alloc/one_node.h"

namespace dray::spending_test {

using namespace dray::testing;

namespace {

/// Devices count for their memory, or for one where they have none; `free` of no class.
struct Bounded : OneNode {
  std::vector<std::string> ask_within(std::vector<ResourceClaim> claims, double most) {
    alloc::Allowance allowance;
    allowance.most = {most};
    allowance.count = [](std::size_t, const ClassName& device_class, const DriverName&,
                         const cluster::DeviceTraits& traits, const Counters* consumed,
                         std::span<double> takes) {
      if (device_class.get() == "free") return;
      const auto memory = traits.capacity.find("memory");
      takes[0] += consumed != nullptr               ? consumed->at("memory").as_approximate_double()
                  : memory == traits.capacity.end() ? 1
                                                    : memory->second.value.as_approximate_double();
    };
    alloc::Allocator allocator(options);
    const cluster::AllocatedState state(cluster.snapshot());
    std::vector<const ResourceClaim*> pointers;
    for (const auto& claim : claims) pointers.push_back(&claim);
    return chosen(
        allocator.allocate(state, *state.snapshot().node(NodeName("n1")), pointers, allowance));
  }
};

DeviceRequest either(std::vector<std::int64_t> counts) {
  DeviceRequest made;
  made.name = "either";
  for (const auto count : counts) {
    made.first_available.push_back(exactly(count));
    made.first_available.back().name = "n" + std::to_string(count);
  }
  return made;
}

}  // namespace

TEST_CASE("only what is within the allowance is a solution") {
  const auto mode = GENERATE(alloc::Mode::first_fit, alloc::Mode::best);
  Bounded one;
  one.options.mode = mode;
  put(one.cluster, make_slice("n1", {device("0"), device("1"), device("2"), device("3")}));
  CHECK(one.ask_within({make_claim("c", {either({4, 2, 1})})}, 4).size() == 4);
  CHECK(one.ask_within({make_claim("c", {either({4, 2, 1})})}, 3).size() == 2);
  CHECK(one.ask_within({make_claim("c", {either({4, 2, 1})})}, 1).size() == 1);
  CHECK(one.ask_within({make_claim("c", {either({4, 2, 1})})}, 0.5) == Names{"NoDevices"});
  // Together: the first request gives way for the second.
  CHECK(
      one.ask_within({make_claim("c", {either({3, 1}), request("more", exactly(1))})}, 3).size() ==
      2);
  CHECK(one.ask_within({make_claim("a", {either({2, 1})}), make_claim("b", {either({2, 1})})}, 3)
            .size() == 3);
}

TEST_CASE("All is within the allowance or is not") {
  Bounded one;
  put(one.cluster, make_slice("n1", {device("0"), device("1")}));
  auto all = exactly(0);
  all.allocation_mode = "All";
  CHECK(one.ask_within({make_claim("c", {request("r", all)})}, 2) == Names{"0", "1"});
  CHECK(one.ask_within({make_claim("c", {request("r", all)})}, 1) == Names{"NoDevices"});
}

TEST_CASE("devices that cost less are found among those that cost more") {
  Bounded one;
  std::vector<Device> devices;
  for (const auto memory : {8, 8, 2, 1}) {
    devices.push_back(device(std::to_string(devices.size())));
    devices.back().capacity["memory"].value = Quantity(memory);
  }
  put(one.cluster, make_slice("n1", devices));
  CHECK(one.ask_within({make_claim("c", {request("r", exactly(1))})}, 4) == Names{"2"});
  CHECK(one.ask_within({make_claim("c", {request("r", exactly(2))})}, 9) == Names{"0", "3"});
  CHECK(one.ask_within({make_claim("c", {request("r", exactly(3))})}, 10) == Names{"NoDevices"});
}

TEST_CASE("what is not counted does not bound, though nothing is left") {
  Bounded one;
  put(one.cluster, make_class("free"));
  put(one.cluster, make_slice("n1", {device("0")}));
  CHECK(one.ask_within({make_claim("c", {request("r", exactly(1, "free"))})}, -1) == Names{"0"});
  CHECK(one.ask_within({make_claim("c", {request("r", exactly(1))})}, -1) == Names{"NoDevices"});
}

TEST_CASE("a part of a device costs what is consumed of it") {
  Bounded one;
  auto shared = device("0");
  shared.allow_multiple_allocations = true;
  shared.capacity["memory"].value = Quantity(8);
  put(one.cluster, make_slice("n1", {shared}));
  DeviceRequest made;
  made.name = "r";
  for (const auto memory : {6, 3}) {
    auto spec = exactly(1);
    spec.name = "m" + std::to_string(memory);
    spec.has_capacity = true;
    spec.capacity_requests["memory"] = Quantity(memory);
    made.first_available.push_back(spec);
  }
  CHECK(one.ask_within({make_claim("c", {made})}, 6) == Names{"0"});
  CHECK(one.ask_within({make_claim("c", {made})}, 3) == Names{"0"});
  CHECK(one.ask_within({make_claim("c", {made})}, 2) == Names{"NoDevices"});
}

}  // namespace dray::spending_test
