#include "planner/state/claim_use.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::claim_use_test {

using namespace worlds;
namespace {

ClaimConsumer user(const std::string& name, const std::string& group = {}) {
  return {.api_group = group, .resource = "pods", .name = name, .uid = Uid("uid-" + name)};
}

TEST_CASE("a claim is shared unless it was made for the pod") {
  const auto pod = make_pod("p", "c");
  CHECK_FALSE(is_shared(make_claim("c", 1, "p"), pod));
  CHECK(is_shared(make_claim("c", 1, "q"), pod));
  CHECK(is_shared(make_claim("c", 1), pod));
}

TEST_CASE("a claim is used by others if anybody but the pod stands in it") {
  World world;
  const auto pod = make_pod("p", "c");
  const auto used = [&](const ResourceClaim& claim) {
    return used_by_others(*world.state.snapshot(), claim, pod);
  };
  auto claim = make_claim("c", 1);
  CHECK_FALSE(used(claim));
  claim.reserved_for = {user("p")};
  CHECK_FALSE(used(claim));
  claim.reserved_for.push_back(user("q"));
  CHECK_FALSE(used(claim));
  auto other = make_pod("q");
  world.tell(other);
  CHECK(used(claim));
  auto namesake = other;
  namesake.meta.uid = Uid("uid-of-another");
  world.tell(namesake);
  CHECK_FALSE(used(claim));
  other.phase = "Succeeded";
  world.tell(other);
  CHECK_FALSE(used(claim));
  claim.reserved_for.push_back(user("group", "scheduling.k8s.io"));
  CHECK(used(claim));
}

TEST_CASE("a full claim is full for those that it does not list") {
  auto pod = make_pod("p", "c");
  pod.pod_group = "pg";
  auto claim = make_claim("c", 1);
  for (std::size_t i = 0; i + 1 < max_consumers; ++i) {
    claim.reserved_for.push_back(user("u" + std::to_string(i)));
  }
  CHECK_FALSE(is_full_for(claim, pod));
  claim.reserved_for.push_back(user("last"));
  CHECK(is_full_for(claim, pod));
  claim.reserved_for.back() = user("p");
  CHECK_FALSE(is_full_for(claim, pod));
  claim.reserved_for.back() = {.api_group = "scheduling.k8s.io",
                               .resource = "podgroups",
                               .name = "pg",
                               .uid = Uid("uid-of-group")};
  CHECK_FALSE(is_full_for(claim, pod));
  CHECK(is_full_for(claim, make_pod("q", "c")));
}

TEST_CASE("a shared claim counts for the first of its users") {
  World world;
  world.tell(make_pod("q"));
  const auto pod = make_pod("p", "c");
  const auto first = [&](const ResourceClaim& claim) {
    return is_first_user(*world.state.snapshot(), claim, pod);
  };
  auto claim = make_claim("c", 1);
  CHECK(first(claim));
  claim.reserved_for = {user("q"), user("p")};
  CHECK_FALSE(first(claim));
  claim.reserved_for = {user("gone"), user("p")};
  CHECK(first(claim));
  claim.reserved_for = {user("p"), user("q")};
  CHECK(first(claim));
  claim.reserved_for = {user("group", "scheduling.k8s.io")};
  CHECK(first(claim));
  auto own = make_claim("c", 1, "p");
  own.reserved_for = {user("q")};
  CHECK(first(own));
}

TEST_CASE("devices of a claim: what it has, else what it asks for") {
  auto claim = make_claim("c", 3);
  CHECK(devices_in(claim, nullptr) == 3);
  AllocationResult held;
  held.devices.resize(2);
  CHECK(devices_in(claim, &held) == 2);
  auto& spec = *claim.spec.requests[0].exactly;
  spec.count = 0;
  CHECK(devices_in(claim, nullptr) == 1);
  spec.allocation_mode = "All";
  spec.count = 5;
  CHECK(devices_in(claim, nullptr) == 1);
  spec.admin_access = true;
  CHECK(devices_in(claim, nullptr) == 0);
  DeviceRequestSpec two;
  two.count = 2;
  DeviceRequestSpec four;
  four.count = 4;
  claim.spec.requests = {{.name = "any", .exactly = {}, .first_available = {two, four}}};
  CHECK(devices_in(claim, nullptr) == 2);
}

TEST_CASE("a part of a device is asked for by capacity") {
  auto claim = make_claim("c", 1);
  const auto asks = [&] { return asks_for_part({std::make_shared<const ResourceClaim>(claim)}); };
  CHECK_FALSE(asks());
  claim.spec.requests[0].exactly->capacity_requests["memory"] = Quantity(1);
  CHECK(asks());
}

TEST_CASE("a pod is singular with claims that are not its own or have devices that it keeps") {
  World world;
  world.node("n0", 4);
  world.running("runs", "n0", 0, 1, "a");
  world.waiting("waits", 1, "a");
  Parts parts(world);
  const auto& snapshot = *parts.input.snapshot;
  const auto& runs = parts.task("runs");
  const auto& waits = parts.task("waits");
  CHECK_FALSE(is_singular(snapshot, waits.pod(), waits.claims, false));
  CHECK(is_singular(snapshot, runs.pod(), runs.claims, false));
  CHECK_FALSE(is_singular(snapshot, runs.pod(), runs.claims, true));
  CHECK(is_singular(snapshot, waits.pod(), runs.claims, true));
  auto shared = *runs.claims[0];
  shared.reserved_for.push_back(user("waits"));
  CHECK(is_singular(snapshot, runs.pod(), {std::make_shared<const ResourceClaim>(shared)}, true));
}

TEST_CASE("a device as its driver publishes it") {
  World world;
  auto slice = make_gpus("n0", 2);
  slice.devices[1].capacity["memory"].value = Quantity(80);
  world.tell(make_node("n0"));
  world.tell(slice);
  const auto find = [&](const char* pool, const char* name) {
    return published_device(*world.state.snapshot(),
                            {DriverName("gpu.example.com"), PoolName(pool), DeviceName(name)});
  };
  REQUIRE(find("n0", "gpu-1"));
  CHECK(find("n0", "gpu-1")->capacity.at("memory").value == Quantity(80));
  CHECK_FALSE(find("n0", "gpu-2"));
  CHECK_FALSE(find("n1", "gpu-1"));
}

}  // namespace
}  // namespace dray::planner::claim_use_test
