#include "dray/engine/binding.h"

#include <catch2/catch.hpp>
#include <deque>
#include <map>

namespace dray::engine {
namespace {

constexpr Time t0 = Time(std::chrono::hours(24 * 365 * 50));

AllocationResult gpu(const std::string& device) {
  AllocationResult result;
  result.devices.push_back(
      {.request = "gpu",
       .device = {DriverName("gpu.example.com"), PoolName("n0"), DeviceName(device)},
       .admin_access = {},
       .tolerations = {},
       .binding_conditions = {},
       .binding_failure_conditions = {},
       .share_id = {},
       .consumed_capacity = {},
       .skip_node_operations = {}});
  return result;
}

/// The part of an API server that a binding meets, with faults to order: the n-th write (from 0)
/// fails with an error, before or after it took effect.
struct Server {
  struct Fault {
    Error error;
    bool after_effect = false;
  };

  std::map<ClaimKey, ResourceClaim> claims;
  Pod pod;
  std::map<std::size_t, Fault> faults;
  std::vector<std::string> log;
  int version = 1;

  void add_claim(const std::string& name) {
    ResourceClaim claim;
    claim.meta.namespace_name = "default";
    claim.meta.name = name;
    claim.meta.uid = Uid("uid-" + name);
    claim.meta.resource_version = ResourceVersion(std::to_string(version++));
    claims[claim.key()] = claim;
  }

  WriteOutcome touch(ResourceClaim& claim) {
    claim.meta.resource_version = ResourceVersion(std::to_string(version++));
    return claim;
  }

  WriteOutcome apply(const ProtectClaim& w) {
    log.push_back("protect " + w.claim.name);
    auto& claim = claims[w.claim];
    if (claim.meta.resource_version != w.expected) return fail(ErrorCode::conflict, "changed");
    claim.meta.finalizers.emplace_back(claim_finalizer);
    for (const auto& [k, v] : w.annotations) claim.meta.annotations[k] = v;
    return touch(claim);
  }
  WriteOutcome apply(const AllocateClaim& w) {
    log.push_back("allocate " + w.claim.name);
    auto& claim = claims[w.claim];
    if (claim.meta.resource_version != w.expected) return fail(ErrorCode::conflict, "changed");
    if (claim.allocation) return fail(ErrorCode::invalid, "allocation is immutable");
    claim.allocation = w.allocation;
    claim.reserved_for = w.reserved_for;
    return touch(claim);
  }
  WriteOutcome apply(const ReserveClaim& w) {
    log.push_back("reserve " + w.claim.name);
    auto& claim = claims[w.claim];
    if (claim.meta.resource_version != w.expected) return fail(ErrorCode::conflict, "changed");
    claim.reserved_for.push_back(w.consumer);
    return touch(claim);
  }
  WriteOutcome apply(const ReleaseClaim& w) {
    log.push_back("release " + w.claim.name);
    auto& claim = claims[w.claim];
    const auto removed =
        std::erase_if(claim.reserved_for, [&](const auto& c) { return c.uid == w.consumer; });
    if (removed != 0 && claim.reserved_for.empty() && w.deallocate) claim.allocation.reset();
    return touch(claim);
  }
  WriteOutcome apply(const ReadClaim& w) {
    log.push_back("read " + w.claim.name);
    if (!claims.contains(w.claim)) return fail(ErrorCode::not_found, "not found");
    return claims[w.claim];
  }
  WriteOutcome apply(const ReadPod&) {
    log.emplace_back("read pod");
    return pod;
  }
  WriteOutcome apply(const BindPod& w) {
    log.emplace_back("bind");
    if (pod.node_name) return fail(ErrorCode::conflict, "already assigned");
    pod.node_name = w.node;
    return WrittenObject{};
  }
  template <class Other>
  WriteOutcome apply(const Other&) {
    return fail(ErrorCode::internal, "not a write of a binding");
  }

  WriteOutcome write(const Write& w) {
    const auto n = log.size();
    const auto fault = faults.find(n);
    if (fault != faults.end() && !fault->second.after_effect) {
      log.emplace_back("failed");
      return std::unexpected(fault->second.error);
    }
    auto outcome = std::visit([this](const auto& each) { return apply(each); }, w);
    if (fault != faults.end()) return std::unexpected(fault->second.error);
    return outcome;
  }
};

struct Run {
  Server server;
  Placement placement;

  Run() {
    server.pod.meta.namespace_name = "default";
    server.pod.meta.name = "p";
    server.pod.meta.uid = Uid("pod-uid");
    placement = {
        .pod = {"default", "p"}, .pod_uid = Uid("pod-uid"), .node = NodeName("n0"), .claims = {}};
  }
  void claim(const std::string& name, const std::string& device) {
    server.add_claim(name);
    placement.claims.push_back({.claim = {"default", name},
                                .claim_uid = Uid("uid-" + name),
                                .allocation = gpu(device),
                                .already_allocated = false});
  }

  /// Drives a binding to its end, serving its writes in the order in which they were asked for.
  Binding to_the_end() {
    Binding binding(placement, 7, t0);
    std::vector<std::shared_ptr<const ResourceClaim>> claims;
    for (const auto& c : placement.claims) {
      claims.push_back(std::make_shared<ResourceClaim>(server.claims[c.claim]));
    }
    auto now = t0;
    std::deque<Binding::Command> queue;
    const auto add = [&](const Binding::Commands& commands) {
      queue.insert(queue.end(), commands.begin(), commands.end());
    };
    add(binding.start(claims, now));
    for (int steps = 0; !binding.finished() && steps < 500; ++steps) {
      if (queue.empty()) {
        REQUIRE(binding.next_tick());
        now = std::max(now, *binding.next_tick());
        add(binding.tick(now));
        continue;
      }
      const auto command = queue.front();
      queue.pop_front();
      add(binding.step(command.token, server.write(command.write), now));
    }
    REQUIRE(binding.finished());
    CHECK(queue.empty());
    return binding;
  }

  [[nodiscard]] bool all_held() const {
    return std::ranges::all_of(placement.claims, [&](const auto& want) {
      const auto& claim = server.claims.at(want.claim);
      return claim.allocation && same_devices(*claim.allocation, want.allocation) &&
             claim.reserved_for.size() == 1 && !claim.meta.finalizers.empty();
    });
  }
  [[nodiscard]] bool none_held() const {
    return std::ranges::none_of(server.claims, [](const auto& entry) {
      return entry.second.allocation || !entry.second.reserved_for.empty();
    });
  }
};

TEST_CASE("a binding writes finalizer, allocation with reservedFor, then the binding") {
  Run run;
  run.claim("c0", "gpu-0");
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::bound);
  CHECK(run.server.log == std::vector<std::string>{"protect c0", "allocate c0", "bind"});
  CHECK(run.all_held());
  CHECK(run.server.claims.at({"default", "c0"}).meta.annotations.at(epoch_annotation) == "7");
}

TEST_CASE("a claim that is protected under this epoch saves a write") {
  Run run;
  run.claim("c0", "gpu-0");
  auto& claim = run.server.claims.at({"default", "c0"});
  claim.meta.finalizers = {claim_finalizer};
  claim.meta.annotations[epoch_annotation] = "7";
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
  CHECK(run.server.log == std::vector<std::string>{"bind"});
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
  Binding binding(run.placement, 7, t0);
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
}  // namespace dray::engine
