#include "engine/protocol/readiness.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::readiness_test {
namespace {

using namespace std::chrono_literals;

AllocatedDevice device(const std::string& name, std::vector<std::string> conditions,
                       std::vector<std::string> failures = {}) {
  AllocatedDevice made;
  made.device = {DriverName("gpu.example.com"), PoolName("n0"), DeviceName(name)};
  made.binding_conditions = std::move(conditions);
  made.binding_failure_conditions = std::move(failures);
  return made;
}

ResourceClaim claim_with(std::vector<AllocatedDevice> devices) {
  auto claim = make_claim("c", 1);
  claim.allocation = AllocationResult{};
  claim.allocation->devices = std::move(devices);
  claim.allocation->allocated = start;
  return claim;
}

void report(ResourceClaim& claim, std::size_t device, const std::string& type,
            const std::string& status) {
  const auto& about = claim.allocation->devices[device];
  auto& made = claim.device_statuses.emplace_back();
  made.device = about.device;
  made.share_id = about.share_id;
  made.conditions.push_back(
      {.type = type, .status = status, .reason = {}, .message = {}, .last_transition = {}});
}

Readiness at(const ResourceClaim& claim, Duration after = 0s) {
  return readiness(claim, 600s, start + after);
}

TEST_CASE("what needs no conditions is ready") {
  CHECK(at(make_claim("c", 1)) == Readiness::ready);
  CHECK(at(claim_with({device("gpu-0", {})})) == Readiness::ready);
  CHECK(at(claim_with({device("gpu-0", {}, {"broken"})})) == Readiness::ready);
}

TEST_CASE("every condition of every device must be true") {
  auto claim = claim_with({device("gpu-0", {"a", "b"}), device("gpu-1", {"a"})});
  CHECK(at(claim) == Readiness::pending);
  report(claim, 0, "a", "True");
  claim.device_statuses[0].conditions.push_back(
      {.type = "b", .status = "True", .reason = {}, .message = {}, .last_transition = {}});
  CHECK(at(claim) == Readiness::pending);
  report(claim, 1, "a", "False");
  CHECK(at(claim) == Readiness::pending);
  claim.device_statuses[1].conditions[0].status = "True";
  CHECK(at(claim) == Readiness::ready);
}

TEST_CASE("a failure condition ends it, whatever else is true") {
  auto claim = claim_with({device("gpu-0", {"a"}, {"broken"})});
  report(claim, 0, "broken", "True");
  CHECK(at(claim) == Readiness::failed);
  claim.device_statuses[0].conditions[0].status = "False";
  CHECK(at(claim) == Readiness::pending);
}

TEST_CASE("a status is of one share of one device") {
  auto claim = claim_with({device("gpu-0", {"a"})});
  claim.allocation->devices[0].share_id = "share-1";
  report(claim, 0, "a", "True");
  CHECK(at(claim) == Readiness::ready);
  claim.device_statuses[0].share_id = "share-2";
  CHECK(at(claim) == Readiness::pending);
}

TEST_CASE("it does not wait for ever") {
  auto claim = claim_with({device("gpu-0", {"a"})});
  CHECK(at(claim, 600s - 1us) == Readiness::pending);
  CHECK(at(claim, 600s) == Readiness::timed_out);
  auto unknown = claim;
  unknown.allocation->allocated.reset();
  CHECK(at(unknown, 600s) == Readiness::pending);
  report(claim, 0, "a", "True");
  CHECK(at(claim, 600s) == Readiness::ready);
}

TEST_CASE("whether an allocation has anything to wait for") {
  CHECK(!has_binding_conditions({}));
  CHECK(!has_binding_conditions(*claim_with({device("gpu-0", {})}).allocation));
  CHECK(has_binding_conditions(
      *claim_with({device("gpu-0", {}), device("gpu-1", {"a"})}).allocation));
}

}  // namespace
}  // namespace dray::engine::readiness_test
