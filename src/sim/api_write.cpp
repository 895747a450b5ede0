#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "dray/sim/api_server.h"
#include "sim/strategic_merge.h"

// What the live service would send for each engine::Write, one request each (ReleaseClaim: a GET,
// then a PUT).

namespace dray::sim {
namespace {

std::unexpected<Error> other_uid(const std::string& what) {
  return fail(ErrorCode::conflict, what + " is another object of that name now");
}

template <class T>
engine::WriteOutcome written(Result<KubeObject> outcome) {
  if (!outcome) return std::unexpected(std::move(outcome.error()));
  return engine::WrittenObject(std::get<T>(std::move(*outcome)));
}

engine::WriteOutcome written(Result<void> outcome) {
  if (!outcome) return std::unexpected(std::move(outcome.error()));
  return engine::WrittenObject();
}

template <class T>
void replace(T& old, const T& next) {
  old = next;
}

/// A patch says nothing of the fields that are empty.
void take_condition(Condition& old, const Condition& next) {
  old.status = next.status;
  if (!next.reason.empty()) old.reason = next.reason;
  if (!next.message.empty()) old.message = next.message;
  if (next.last_transition) old.last_transition = next.last_transition;
}

void take_allocation(std::optional<AllocationResult>& old, const AllocationResult& next) {
  if (!old) old.emplace();
  old->devices = next.devices;
  if (!next.config.empty()) old->config = next.config;
  if (next.node_selector) old->node_selector = next.node_selector;
  if (next.allocated) old->allocated = next.allocated;
}

}  // namespace

/// One write of an engine, as a visitor of its kinds.
class WriteRequest {
 public:
  using Outcome = engine::WriteOutcome;

  WriteRequest(ApiServer& server, Time now, const ResourceVersion& read_at)
      : server_(server), now_(now), read_at_(read_at) {}

  Outcome operator()(const engine::LiftGate& write) {
    return patch_pod(write.pod, write.uid, Endpoint::main, [&](Pod& pod) {
      std::erase(pod.scheduling_gates, server_.options().gate);
      for (const auto& [key, value] : write.annotations) pod.meta.annotations[key] = value;
    });
  }
  Outcome operator()(const engine::AnnotatePod& write) {
    return patch_pod(write.pod, write.uid, Endpoint::main, [&](Pod& pod) {
      for (const auto& [key, value] : write.annotations) pod.meta.annotations[key] = value;
    });
  }
  Outcome operator()(const engine::NominateNode& write) {
    return patch_pod(write.pod, write.uid, Endpoint::status,
                     [&](Pod& pod) { pod.nominated_node = write.node; });
  }
  Outcome operator()(const engine::SetPodCondition& write) {
    // What is given is set, the transition time too, in whole seconds.
    auto condition = write.condition;
    if (condition.last_transition) condition.last_transition = api_time(*condition.last_transition);
    return patch_pod(write.pod, write.uid, Endpoint::status, [&](Pod& pod) {
      merge_list(pod.conditions, {condition}, &Condition::type, take_condition);
    });
  }
  Outcome operator()(const engine::ProtectClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    claim->meta.resource_version = write.expected;
    merge_list(claim->meta.finalizers, {claim_finalizer}, std::identity{}, replace<std::string>);
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::main, now_));
  }
  Outcome operator()(const engine::AllocateClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    claim->meta.resource_version = write.expected;
    take_allocation(claim->allocation, write.allocation);
    merge_list(claim->reserved_for, write.reserved_for, &ClaimConsumer::uid,
               replace<ClaimConsumer>);
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::status, now_));
  }
  Outcome operator()(const engine::ReserveClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    claim->meta.resource_version = write.expected;
    merge_list(claim->reserved_for, {write.consumer}, &ClaimConsumer::uid, replace<ClaimConsumer>);
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::status, now_));
  }
  Outcome operator()(const engine::ReleaseClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    if (!read_at_.get().empty() && claim->meta.resource_version != read_at_) {
      return fail(ErrorCode::conflict, "the claim has been modified since it was read");
    }
    const bool nothing = std::ranges::find(claim->reserved_for, write.consumer,
                                           &ClaimConsumer::uid) == claim->reserved_for.end() &&
                         !(write.deallocate && claim->allocation && claim->reserved_for.empty());
    if (nothing) {
      if (!write.fence) return engine::WrittenObject(*claim);
      claim->meta.annotations[engine::undone_annotation] = claim->meta.resource_version.get();
      return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::main, now_));
    }
    std::erase_if(claim->reserved_for,
                  [&](const ClaimConsumer& user) { return user.uid == write.consumer; });
    if (claim->reserved_for.empty() && write.deallocate) claim->allocation.reset();
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::status, now_));
  }
  Outcome operator()(const engine::CreateClaim& write) {
    return written<ResourceClaim>(server_.create(write.claim, now_));
  }
  Outcome operator()(const engine::DeleteClaim& write) {
    auto done = server_.remove(
        Kind::resource_claim, write.claim.namespace_name, write.claim.name,
        {.uid = write.uid, .resource_version = write.expected, .grace_seconds = {}}, now_);
    if (!done && done.error().code == ErrorCode::not_found) return engine::WrittenObject();
    return written(std::move(done));
  }
  Outcome operator()(const engine::NameExtendedClaim& write) {
    return patch_pod(write.pod, write.uid, Endpoint::status,
                     [&](Pod& pod) { pod.extended_resource_claim = write.claim; });
  }
  Outcome operator()(const engine::SetNodeAllocatable& write) {
    return patch_pod(write.pod, write.uid, Endpoint::status,
                     [&](Pod& pod) { pod.node_allocatable_claims = write.claims; });
  }
  Outcome operator()(const engine::ReadClaim& write) {
    return read<ResourceClaim>(write.claim.namespace_name, write.claim.name);
  }
  Outcome operator()(const engine::ReadPod& write) {
    return read<Pod>(write.pod.namespace_name, write.pod.name);
  }
  Outcome operator()(const engine::BindPod& write) {
    return written(server_.bind(write.pod, write.uid, write.node, now_, write.expected));
  }
  Outcome operator()(const engine::EvictPod& write) {
    return written(server_.evict(write.pod, write.uid, write.dry_run, now_));
  }
  Outcome operator()(const engine::RecordEvent& write) {
    server_.record(write.pod, write.uid, write.event, now_);
    return engine::WrittenObject();
  }
  Outcome operator()(const engine::ReadLease& write) {
    return read<Lease>(write.lease.namespace_name, write.lease.name);
  }
  Outcome operator()(const engine::PutLease& write) {
    return put(write.lease, write.expected, write.value);
  }
  Outcome operator()(const engine::ReadConfigMap& write) {
    return read<ConfigMap>(write.map.namespace_name, write.map.name);
  }
  Outcome operator()(const engine::PutConfigMap& write) {
    return put(write.map, write.expected, write.value);
  }
  /// Templates are read by the autoscaler alone, which is none of the simulation's.
  Outcome operator()(const engine::RequestNodes& write) {
    const auto& meta = write.request.meta;
    const auto there = server_.get(Kind::provisioning_request, meta.namespace_name, meta.name);
    if (there) return engine::WrittenObject();
    const auto made = server_.create(write.request, now_);
    if (!made) return std::unexpected(made.error());
    return engine::WrittenObject();
  }
  Outcome operator()(const engine::WithdrawNodes& write) {
    auto done =
        server_.remove(Kind::provisioning_request, write.request.namespace_name, write.request.name,
                       {.uid = write.uid, .resource_version = {}, .grace_seconds = {}}, now_);
    if (!done && done.error().code == ErrorCode::not_found) return engine::WrittenObject();
    return written(std::move(done));
  }

 private:
  template <class Key, class Object>
  Outcome put(const Key& key, const ResourceVersion& expected, Object object) {
    object.meta.namespace_name = key.namespace_name;
    object.meta.name = key.name;
    object.meta.resource_version = expected;
    if (expected.get().empty()) return written<Object>(server_.create(std::move(object), now_));
    return written<Object>(server_.update(std::move(object), Endpoint::main, now_));
  }
  template <class Change>
  Outcome patch_pod(const PodKey& key, const Uid& uid, Endpoint endpoint, const Change& change) {
    return written<Pod>(server_.patch(
        Kind::pod, key.namespace_name, key.name, endpoint,
        [&](KubeObject& object) -> Result<void> {
          auto& pod = std::get<Pod>(object);
          if (pod.meta.uid != uid) return other_uid("pod " + key.to_string());
          change(pod);
          return {};
        },
        now_));
  }

  template <class T>
  Outcome read(std::string_view space, std::string_view name) const {
    const auto object = server_.get(kind_for<T>, space, name);
    if (!object) return std::unexpected(object.error());
    return engine::WrittenObject(std::get<T>(**object));
  }

  [[nodiscard]] Result<ResourceClaim> claim_at(const ClaimKey& key, const Uid& uid) const {
    const auto object = server_.get(Kind::resource_claim, key.namespace_name, key.name);
    if (!object) return std::unexpected(object.error());
    const auto& claim = std::get<ResourceClaim>(**object);
    if (claim.meta.uid != uid) return other_uid("claim " + key.to_string());
    return claim;
  }

  ApiServer& server_;
  Time now_;
  const ResourceVersion& read_at_;
};

engine::WriteOutcome ApiServer::write(const engine::Write& write, Time now,
                                      const ResourceVersion& read_at) {
  return std::visit(WriteRequest(*this, now, read_at), write);
}

void ApiServer::record(const PodKey& pod, const Uid& uid, const EventRecord& event, Time now) {
  ++revision_;
  events_.push_back({pod, uid, event, now});
  if (event_observer_) event_observer_(events_.back());
  while (events_.size() > options_.events_kept) events_.pop_front();
}

}  // namespace dray::sim
