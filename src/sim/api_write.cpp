#include <algorithm>
#include <utility>

#include "dray/sim/api_server.h"

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

}  // namespace

/// One write of an engine, as a visitor of its kinds.
class WriteRequest {
 public:
  using Outcome = engine::WriteOutcome;

  WriteRequest(ApiServer& server, Time now) : server_(server), now_(now) {}

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
    // A merge by type: what is given is set, the transition time too, in whole seconds.
    return patch_pod(write.pod, write.uid, Endpoint::status, [&](Pod& pod) {
      auto condition = write.condition;
      const auto old = std::ranges::find(pod.conditions, condition.type, &Condition::type);
      if (condition.last_transition) {
        condition.last_transition = api_time(*condition.last_transition);
      } else if (old != pod.conditions.end()) {
        condition.last_transition = old->last_transition;
      }
      if (old == pod.conditions.end()) {
        pod.conditions.push_back(std::move(condition));
      } else {
        *old = std::move(condition);
      }
    });
  }
  Outcome operator()(const engine::ProtectClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    claim->meta.resource_version = write.expected;
    auto& finalizers = claim->meta.finalizers;
    if (std::ranges::find(finalizers, claim_finalizer) == finalizers.end()) {
      finalizers.emplace_back(claim_finalizer);
    }
    for (const auto& [key, value] : write.annotations) claim->meta.annotations[key] = value;
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::main, now_));
  }
  Outcome operator()(const engine::AllocateClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    claim->meta.resource_version = write.expected;
    claim->allocation = write.allocation;
    claim->reserved_for = write.reserved_for;
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::status, now_));
  }
  Outcome operator()(const engine::ReserveClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    claim->meta.resource_version = write.expected;
    auto& users = claim->reserved_for;
    if (std::ranges::find(users, write.consumer.uid, &ClaimConsumer::uid) == users.end()) {
      users.push_back(write.consumer);
    }
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::status, now_));
  }
  Outcome operator()(const engine::ReleaseClaim& write) {
    auto claim = claim_at(write.claim, write.uid);
    if (!claim) return std::unexpected(std::move(claim.error()));
    std::erase_if(claim->reserved_for,
                  [&](const ClaimConsumer& user) { return user.uid == write.consumer; });
    if (claim->reserved_for.empty() && write.deallocate) claim->allocation.reset();
    return written<ResourceClaim>(server_.update(std::move(*claim), Endpoint::status, now_));
  }
  Outcome operator()(const engine::CreateClaim& write) {
    return written<ResourceClaim>(server_.create(write.claim, now_));
  }
  Outcome operator()(const engine::DeleteClaim& write) {
    auto done =
        server_.remove(Kind::resource_claim, write.claim.namespace_name, write.claim.name,
                       {.uid = write.uid, .resource_version = {}, .grace_seconds = {}}, now_);
    if (!done && done.error().code == ErrorCode::not_found) return engine::WrittenObject();
    return written(std::move(done));
  }
  Outcome operator()(const engine::NameExtendedClaim& write) {
    return patch_pod(write.pod, write.uid, Endpoint::status,
                     [&](Pod& pod) { pod.extended_resource_claim = write.claim; });
  }
  Outcome operator()(const engine::ReadClaim& write) {
    return read<ResourceClaim>(write.claim.namespace_name, write.claim.name);
  }
  Outcome operator()(const engine::ReadPod& write) {
    return read<Pod>(write.pod.namespace_name, write.pod.name);
  }
  Outcome operator()(const engine::BindPod& write) {
    return written(server_.bind(write.pod, write.uid, write.node, now_));
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
};

engine::WriteOutcome ApiServer::write(const engine::Write& write, Time now) {
  return std::visit(WriteRequest(*this, now), write);
}

}  // namespace dray::sim
