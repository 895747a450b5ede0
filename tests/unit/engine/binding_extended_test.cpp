#include <catch2/catch.hpp>

#include "dray/alloc/extended_resources.h"
#include "engine/protocol/binding.h"
#include "tests/unit/engine/binding_server.h"

namespace dray::engine::binding_extended_test {
namespace {

using Log = std::vector<std::string>;

/// A pod whose extended resource comes from a device: the claim is not made yet.
struct Extended : Run {
  const ClaimKey key{"default", "p-extended"};

  Extended() {
    placement.claims.push_back(
        {.claim = key,
         .claim_uid = {},
         .allocation = gpu("gpu-0"),
         .already_allocated = false,
         .extended = {{.spec = {}, .mappings = {{"main", "example.com/gpu", "container-0"}}}}});
  }
};

TEST_CASE("the claim for extended resources is made, allocated, named in the pod, then it binds") {
  Extended run;
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::bound);
  CHECK(run.server.log ==
        Log{"create p-extended", "allocate p-extended", "name p-extended", "bind"});
  CHECK(run.all_held());
  const auto& claim = run.server.claims.at(run.key);
  CHECK(alloc::is_extended_resource_claim(claim, Uid("pod-uid")));
  CHECK(run.server.pod.extended_resource_claim == "p-extended");
  CHECK(binding.placement().claims.front().claim_uid == claim.meta.uid);
}

TEST_CASE("a failed binding deletes the claim that it made for extended resources") {
  Extended run;
  run.server.faults[3] = {{ErrorCode::invalid, "no"}};
  CHECK(run.to_the_end().result() == Binding::Result::failed);
  CHECK(run.server.claims.empty());
}

TEST_CASE(
    "a claim that is changed before its deletion is given back again, then deleted as it is") {
  Extended run;
  run.server.faults[3] = {{ErrorCode::invalid, "no"}};
  int changes = GENERATE(1, 3);
  // The controller takes its finalizer off what has no devices any more.
  run.server.before_delete = [&](ResourceClaim& claim) {
    if (changes-- > 0) static_cast<void>(run.server.touch(claim));
  };
  CHECK(run.to_the_end().result() == Binding::Result::failed);
  CHECK(run.server.claims.empty());
}

TEST_CASE("a claim that is made anew before its deletion is another's") {
  Extended run;
  run.server.faults[3] = {{ErrorCode::invalid, "no"}};
  run.server.before_delete = [&](ResourceClaim& claim) {
    claim.meta.uid = Uid("another");
    static_cast<void>(run.server.touch(claim));
  };
  CHECK(run.to_the_end().result() == Binding::Result::failed);
  CHECK(run.server.claims.contains(run.key));
}

TEST_CASE("a claim that never stays as it is goes with its pod, and keeps no binding") {
  Extended run;
  run.server.faults[3] = {{ErrorCode::invalid, "no"}};
  run.server.before_delete = [&](ResourceClaim& claim) {
    static_cast<void>(run.server.touch(claim));
  };
  CHECK(run.to_the_end().result() == Binding::Result::failed);
  CHECK(run.none_held());
  CHECK(std::ranges::count(run.server.log, "delete p-extended") == 8);
}

TEST_CASE("a claim that an earlier attempt made for the pod is taken up") {
  Extended run;
  run.to_the_end();
  run.server.pod.node_name.reset();
  run.server.log.clear();
  SECTION("as the watch shows it") {
    CHECK(run.to_the_end().result() == Binding::Result::bound);
    CHECK(run.server.log == Log{"read p-extended", "name p-extended", "bind"});
  }
  SECTION("though the watch has not shown it yet") {
    auto claim = run.server.claims.at(run.key);
    Binding binding(run.placement, t0);
    const auto first = binding.start({nullptr}, t0);
    REQUIRE(first.size() == 1);
    const auto second = binding.step(0, run.server.write(first.front().write), t0);
    REQUIRE(second.size() == 1);
    CHECK(std::holds_alternative<ReadClaim>(second.front().write));
  }
}

TEST_CASE("a claim of that name that is not the pod's ends the binding, and stays") {
  Extended run;
  run.server.add_claim("p-extended");
  CHECK(run.to_the_end().result() == Binding::Result::refused);
  CHECK(run.server.claims.contains(run.key));
}

TEST_CASE("any one lost answer on the way leaves either a bound pod or nothing") {
  for (std::size_t n = 0; n < 5; ++n) {
    for (const bool after : {false, true}) {
      Extended run;
      run.server.faults[n] = {{ErrorCode::unavailable, "no answer"}, after};
      CAPTURE(n, after);
      CHECK(run.to_the_end().result() == Binding::Result::bound);
      CHECK(run.all_held());
    }
  }
}

/// A device that its driver must make ready first.
struct Awaiting : Run {
  Awaiting() {
    claim("c0", "gpu-0");
    auto& device = placement.claims.front().allocation.devices.front();
    device.binding_conditions = {"Ready"};
    device.binding_failure_conditions = {"Broken"};
  }
  /// The driver reports `type` at its n-th chance.
  void report(const std::string& type, int after) {
    server.driver = [type, after, seen = 0](ResourceClaim& claim) mutable {
      if (++seen < after) return;
      claim.device_statuses = {{.device = claim.allocation->devices.front().device,
                                .share_id = {},
                                .conditions = {{.type = type,
                                                .status = "True",
                                                .reason = {},
                                                .message = {},
                                                .last_transition = {}}}}};
    };
  }
};

TEST_CASE("a pod is bound once its devices are ready") {
  Awaiting run;
  run.report("Ready", 3);
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::bound);
  CHECK(run.server.log ==
        Log{"protect c0", "allocate c0", "read c0", "read c0", "read c0", "bind"});
  CHECK(run.server.claims.at({"default", "c0"}).allocation->allocated == t0);
}

TEST_CASE("devices that take long end the call, and the next one goes on from there") {
  Awaiting run;
  const auto first = run.to_the_end();
  CHECK(first.result() == Binding::Result::waiting);
  CHECK(first.error() == "claim default/c0: its devices are not ready yet");
  CHECK(run.all_held());
  run.report("Ready", 1);
  CHECK(run.to_the_end().result() == Binding::Result::bound);
}

TEST_CASE("a device that fails, or is not ready in time, is given back") {
  Awaiting run;
  SECTION("a failure condition") {
    run.report("Broken", 2);
  }
  SECTION("allocated too long ago") {
    run.server.driver = [](ResourceClaim& claim) {
      claim.allocation->allocated = t0 - Binding::binding_timeout;
    };
  }
  CHECK(run.to_the_end().result() == Binding::Result::refused);
  CHECK(run.none_held());
}

}  // namespace
}  // namespace dray::engine::binding_extended_test
