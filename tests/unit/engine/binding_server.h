#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/protocol/binding.h"
#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

namespace dray::engine {

inline constexpr Time t0 = testing::start;

inline AllocationResult gpu(const std::string& device) {
  return testing::allocation({testing::device_id("n0", device)});
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
  /// Called before each read of a claim: what a driver does meanwhile.
  std::function<void(ResourceClaim&)> driver = [](ResourceClaim&) {};
  /// Called before each deletion: what somebody else does meanwhile.
  std::function<void(ResourceClaim&)> before_delete = [](ResourceClaim&) {};
  std::vector<std::string> log;
  int version = 1;

  void add_claim(const std::string& name) {
    auto claim = testing::make_claim(name);
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
    if (claim.meta.uid != w.uid) return fail(ErrorCode::conflict, "another");
    const auto removed =
        std::erase_if(claim.reserved_for, [&](const auto& c) { return c.uid == w.consumer; });
    if (removed != 0 && claim.reserved_for.empty() && w.deallocate) claim.allocation.reset();
    if (removed == 0 && !w.fence) return claim;
    return touch(claim);
  }
  WriteOutcome apply(const ReadClaim& w) {
    log.push_back("read " + w.claim.name);
    if (!claims.contains(w.claim)) return fail(ErrorCode::not_found, "not found");
    driver(claims[w.claim]);
    return claims[w.claim];
  }
  WriteOutcome apply(const ReadPod&) {
    log.emplace_back("read pod");
    return pod;
  }
  WriteOutcome apply(const AnnotatePod& w) {
    log.emplace_back("annotate pod");
    for (const auto& [k, v] : w.annotations) pod.meta.annotations[k] = v;
    pod.meta.resource_version = ResourceVersion(std::to_string(version++));
    return pod;
  }
  WriteOutcome apply(const BindPod& w) {
    log.emplace_back("bind");
    if (!w.expected.get().empty() && w.expected != pod.meta.resource_version) {
      return fail(ErrorCode::conflict, "changed");
    }
    if (pod.node_name) return fail(ErrorCode::conflict, "already assigned");
    pod.node_name = w.node;
    return WrittenObject{};
  }
  WriteOutcome apply(const CreateClaim& w) {
    log.push_back("create " + w.claim.meta.name);
    if (claims.contains(w.claim.key())) return fail(ErrorCode::conflict, "already exists");
    auto& claim = claims[w.claim.key()];
    claim = w.claim;
    claim.meta.uid = Uid("uid-" + w.claim.meta.name);
    return touch(claim);
  }
  WriteOutcome apply(const DeleteClaim& w) {
    log.push_back("delete " + w.claim.name);
    if (!claims.contains(w.claim)) return fail(ErrorCode::not_found, "not found");
    before_delete(claims[w.claim]);
    const auto& claim = claims[w.claim];
    if (claim.meta.uid != w.uid) return fail(ErrorCode::conflict, "another");
    if (claim.meta.resource_version != w.expected) return fail(ErrorCode::conflict, "changed");
    claims.erase(w.claim);
    return WrittenObject{};
  }
  WriteOutcome apply(const NameExtendedClaim& w) {
    log.push_back("name " + w.claim);
    pod.extended_resource_claim = w.claim;
    return WrittenObject{pod};
  }
  WriteOutcome apply(const SetNodeAllocatable& w) {
    log.emplace_back(w.claims.empty() ? "uncharge" : "charge");
    pod.node_allocatable_claims = w.claims;
    pod.meta.resource_version = ResourceVersion(std::to_string(version++));
    return WrittenObject{pod};
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
    server.pod = testing::make_pod("p");
    server.pod.meta.uid = Uid("pod-uid");
    placement = testing::placement(server.pod, "n0");
  }
  void claim(const std::string& name, const std::string& device) {
    server.add_claim(name);
    placement.claims.push_back({.claim = {"default", name},
                                .claim_uid = Uid("uid-" + name),
                                .allocation = gpu(device),
                                .already_allocated = false});
  }

  /// Drives a binding to its end, serving its writes in the order in which they were asked for.
  Time ended;  ///< when to_the_end() saw it end
  Binding to_the_end() {
    Binding binding(placement, t0);
    std::vector<std::shared_ptr<const ResourceClaim>> claims;
    for (const auto& c : placement.claims) {
      const auto known = server.claims.find(c.claim);
      claims.push_back(known == server.claims.end()
                           ? nullptr
                           : std::make_shared<const ResourceClaim>(known->second));
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
    ended = now;
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

}  // namespace dray::engine
