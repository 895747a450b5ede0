#include <catch2/catch.hpp>

#include "engine/protocol/binding.h"
#include "tests/unit/engine/binding_server.h"

namespace dray::engine::binding_node_allocatable_test {
namespace {

using Log = std::vector<std::string>;

/// A pod whose claim stands for CPUs of its node.
struct Charged : Run {
  Charged() {
    claim("c0", "cpu-0");
    server.pod.meta.resource_version = ResourceVersion("5");
    placement.node_allocatable = {{"c0", {"main"}, {{"cpu", Quantity(15)}}, {}}};
  }

  /// The binding knows the pod at the version that it was seen at.
  Binding bind() {
    Binding binding(placement, t0, Binding::Pace::at_once, server.pod.meta.resource_version);
    std::deque<Binding::Command> queue;
    const auto add = [&](const Binding::Commands& commands) {
      queue.insert(queue.end(), commands.begin(), commands.end());
    };
    add(binding.start({std::make_shared<const ResourceClaim>(server.claims.begin()->second)}, t0));
    for (auto now = t0; !binding.finished() || !queue.empty();) {
      if (queue.empty()) {
        now = binding.next_tick().value();
        add(binding.tick(now));
        continue;
      }
      const auto command = queue.front();
      queue.pop_front();
      const auto outcome = server.write(command.write);
      if (!binding.finished()) add(binding.step(command.token, outcome, now));
    }
    return binding;
  }
};

TEST_CASE("what devices take of their node is in the pod's status before the pod is bound") {
  Charged run;
  CHECK(run.bind().result() == Binding::Result::bound);
  // The binding names the version that this made, and so meets no conflict.
  CHECK(run.server.log == Log{"protect c0", "allocate c0", "charge", "bind"});
  CHECK(run.server.pod.node_allocatable_claims == run.placement.node_allocatable);
}

TEST_CASE("an answer that is lost is asked for again") {
  Charged run;
  run.server.faults[2] = {{ErrorCode::unavailable, "cut off"}};
  CHECK(run.bind().result() == Binding::Result::bound);
  CHECK(run.server.log == Log{"protect c0", "allocate c0", "failed", "charge", "bind"});
}

TEST_CASE("where it cannot be written, the pod is not bound") {
  Charged run;
  run.server.faults[2] = {{ErrorCode::invalid, "no"}};
  const auto binding = run.bind();
  CHECK(binding.result() == Binding::Result::failed);
  CHECK(binding.error() == "writing the status of the pod: no");
  CHECK(run.none_held());
}

TEST_CASE("a binding that fails takes it off the pod again") {
  Charged run;
  run.server.faults[3] = {{ErrorCode::invalid, "no"}};
  CHECK(run.bind().result() == Binding::Result::failed);
  CHECK(run.server.log ==
        Log{"protect c0", "allocate c0", "charge", "failed", "uncharge", "release c0"});
  CHECK(run.server.pod.node_allocatable_claims.empty());
  CHECK(run.none_held());
}

TEST_CASE("a pod that uses another claim by the time its status is written is not bound") {
  Charged run;
  run.server.pod.resource_claims = {{"dev", {}, "template"}};
  run.server.pod.resource_claim_statuses = {{"dev", "c1"}};
  CHECK(run.bind().result() == Binding::Result::refused);
  CHECK_FALSE(run.server.pod.node_name);
  CHECK(run.none_held());
}

}  // namespace
}  // namespace dray::engine::binding_node_allocatable_test
