#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::engine_warning_test {
namespace {

/// Answers the claim's writes as an API server that has `claim` would, up to the binding.
void carry_out(Bench& bench, ResourceClaim claim) {
  if (const auto write = bench.take_write<ProtectClaim>()) {
    claim.meta.finalizers = {claim_finalizer};
    bench.done(write->first, claim);
  }
  const auto write = bench.take_write<AllocateClaim>();
  REQUIRE(write);
  claim.allocation = write->second.allocation;
  claim.reserved_for = write->second.reserved_for;
  bench.done(write->first, claim);
}

TEST_CASE("what works but may not be meant is told in an Event once the pod is bound") {
  Bench bench;
  bench.tell(make_node("n0"));
  auto slice = make_gpus("n0", 1);
  slice.driver = DriverName("hami-core-gpu.project-hami.io");
  bench.tell(make_driver_class("gpu", slice.driver.get()));
  slice.devices[0].allow_multiple_allocations = true;
  bench.tell(slice);
  // Two shares in one claim can only be on the one card.
  auto claim = make_claim("c", 1);
  claim.spec.requests.push_back(claim.spec.requests[0]);
  claim.spec.requests[1].name = "other";
  bench.tell(claim);
  auto pod = make_pod("p", "c");
  bench.tell(pod);
  bench.lift(pod);
  pod.scheduling_gates.clear();
  bench.bind(pod, "n0", 1);
  carry_out(bench, claim);
  CHECK_FALSE(bench.take_write<RecordEvent>());
  const auto binding = bench.take_write<BindPod>();
  REQUIRE(binding);
  bench.done(binding->first);
  const auto event = bench.take_write<RecordEvent>();
  REQUIRE(event);
  CHECK(event->second.pod == pod.key());
  CHECK(event->second.event.type == "Warning");
  CHECK(event->second.event.note ==
        "both shares are on one card; the driver keeps only the last limit (gpu-0)");
}

}  // namespace
}  // namespace dray::engine::engine_warning_test
