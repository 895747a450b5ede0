#include "engine/protocol/binding.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/binding_server.h"

namespace dray::engine::binding_test {
namespace {

TEST_CASE("a binding writes finalizer, allocation with reservedFor, then the binding") {
  Run run;
  run.claim("c0", "gpu-0");
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::bound);
  CHECK(run.server.log == std::vector<std::string>{"protect c0", "allocate c0", "bind"});
  CHECK(run.all_held());
}

TEST_CASE("a claim that is protected already saves a write, whatever an earlier dray put on it") {
  Run run;
  run.claim("c0", "gpu-0");
  auto& claim = run.server.claims.at({"default", "c0"});
  claim.meta.finalizers = {claim_finalizer};
  claim.meta.annotations["dray.dev/epoch"] = "6";
  CHECK(run.to_the_end().result() == Binding::Result::bound);
  CHECK(run.server.log == std::vector<std::string>{"allocate c0", "bind"});
}

TEST_CASE("a claim left allocated and reserved by an earlier run is taken as it is") {
  Run run;
  run.claim("c0", "gpu-0");
  auto& claim = run.server.claims.at({"default", "c0"});
  claim.meta.finalizers = {claim_finalizer};
  claim.allocation = gpu("gpu-0");
  claim.reserved_for = {consumer_of(run.placement.pod, run.placement.pod_uid)};
  CHECK(run.to_the_end().result() == Binding::Result::bound);
  CHECK(run.server.log == std::vector<std::string>{"read c0", "bind"});
}

TEST_CASE(
    "a claim that an earlier binding gave back is allocated again, though the watch is behind") {
  Run run;
  run.claim("c0", "gpu-0");
  auto& claim = run.server.claims.at({"default", "c0"});
  claim.meta.finalizers = {claim_finalizer};
  auto shown = claim;
  shown.allocation = gpu("gpu-0");
  shown.reserved_for = {consumer_of(run.placement.pod, run.placement.pod_uid)};
  static_cast<void>(run.server.touch(claim));
  Binding binding(run.placement, t0);
  const auto first = binding.start({std::make_shared<const ResourceClaim>(shown)}, t0);
  REQUIRE(first.size() == 1);
  const auto second = binding.step(0, run.server.write(first.front().write), t0);
  REQUIRE(second.size() == 1);
  const auto third = binding.step(0, run.server.write(second.front().write), t0);
  CHECK(claim.allocation);
  REQUIRE(third.size() == 1);
  CHECK(std::holds_alternative<BindPod>(third.front().write));
}

TEST_CASE("a shared claim only gets another user") {
  Run run;
  run.claim("c0", "gpu-0");
  run.placement.claims[0].already_allocated = true;
  auto& claim = run.server.claims.at({"default", "c0"});
  claim.allocation = gpu("gpu-0");
  claim.reserved_for = {consumer_of({"default", "other"}, Uid("other"))};
  CHECK(run.to_the_end().result() == Binding::Result::bound);
  CHECK(run.server.log == std::vector<std::string>{"reserve c0", "bind"});
  CHECK(claim.reserved_for.size() == 2);
}

TEST_CASE("every single fault of every write ends bound whole or undone whole") {
  const auto code = GENERATE(ErrorCode::conflict, ErrorCode::unavailable, ErrorCode::invalid,
                             ErrorCode::denied, ErrorCode::not_found);
  const bool after_effect = GENERATE(false, true);
  // An answer that refuses is never given after the effect.
  if (after_effect && code != ErrorCode::unavailable) return;
  const auto at = GENERATE(range(0, 5));  // two claims: two protects, two allocates, one binding
  Run run;
  run.claim("c0", "gpu-0");
  run.claim("c1", "gpu-1");
  run.server.faults[static_cast<std::size_t>(at)] = {{code, "fault"}, after_effect};
  CAPTURE(static_cast<int>(code), after_effect, at);
  const auto binding = run.to_the_end();
  CAPTURE(run.server.log, binding.error());
  if (binding.result() == Binding::Result::bound) {
    CHECK(run.all_held());
    CHECK(run.server.pod.node_name == NodeName("n0"));
    CHECK(binding.error().empty());
  } else {
    CHECK(run.none_held());
    CHECK_FALSE(run.server.pod.node_name);
    CHECK_FALSE(binding.error().empty());
  }
}

TEST_CASE("two faults in a row are survived as well") {
  const auto first = GENERATE(range(0, 5));
  const auto second = GENERATE(range(1, 9));
  const bool after_effect = GENERATE(false, true);
  Run run;
  run.claim("c0", "gpu-0");
  run.claim("c1", "gpu-1");
  run.server.faults[static_cast<std::size_t>(first)] = {{ErrorCode::unavailable, "cut"},
                                                        after_effect};
  run.server.faults[static_cast<std::size_t>(first + second)] = {{ErrorCode::unavailable, "cut"},
                                                                 !after_effect};
  const auto binding = run.to_the_end();
  CAPTURE(run.server.log, binding.error());
  CHECK(binding.result() == Binding::Result::bound);
  CHECK(run.all_held());
}

TEST_CASE("a refusal of one claim releases the other") {
  Run run;
  run.claim("c0", "gpu-0");
  run.claim("c1", "gpu-1");
  run.server.claims.at({"default", "c1"}).allocation = gpu("gpu-9");
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::refused);
  CHECK(binding.error() == "claim default/c1: it has other devices meanwhile");
  CHECK_FALSE(run.server.claims.at({"default", "c0"}).allocation);
  CHECK(run.server.claims.at({"default", "c1"}).allocation);
}

TEST_CASE("a claim that is not any more what the plan saw is not written") {
  struct Row {
    const char* name;
    bool had_devices;
    bool deleted;
    const char* error;
  };
  const auto row =
      GENERATE(Row{"it has lost its devices", true, false, "it lost its devices meanwhile"},
               Row{"it is on its way out", false, true, "it is being deleted"});
  DYNAMIC_SECTION(row.name) {
    Run run;
    run.claim("c0", "gpu-0");
    run.placement.claims[0].already_allocated = row.had_devices;
    if (row.deleted) run.server.claims.at({"default", "c0"}).meta.deleted = t0;
    const auto binding = run.to_the_end();
    CHECK(binding.result() == Binding::Result::refused);
    CHECK(binding.error() == std::string("claim default/c0: ") + row.error);
    CHECK(run.server.log.empty());
  }
}

TEST_CASE("a pod that is bound elsewhere meanwhile loses its claims here") {
  Run run;
  run.claim("c0", "gpu-0");
  run.server.pod.node_name = NodeName("n9");
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::refused);
  CHECK(run.none_held());
}

TEST_CASE("a server that never answers ends the bind at its deadline, undone when it is back") {
  Run run;
  run.claim("c0", "gpu-0");
  Binding binding(run.placement, t0);
  auto commands =
      binding.start({std::make_shared<ResourceClaim>(run.server.claims.begin()->second)}, t0);
  const WriteOutcome no_answer = fail(ErrorCode::unavailable, "no answer");
  auto now = t0;
  int writes = 0;
  while (now < t0 + Binding::deadline && writes < 1000) {
    for (const auto& command : std::exchange(commands, {})) {
      ++writes;
      for (auto& more : binding.step(command.token, no_answer, now)) commands.push_back(more);
    }
    if (!commands.empty()) continue;
    if (binding.finished()) break;
    now = std::max(now, *binding.next_tick());
    commands = binding.tick(now);
  }
  CHECK(writes < 50);
  REQUIRE_FALSE(binding.error().empty());
}

}  // namespace
}  // namespace dray::engine::binding_test
