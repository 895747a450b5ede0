#include "tests/dst/invariants.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "dray/engine/write_class.h"
#include "tests/dst/room.h"
#include "tests/dst/selectors.h"
#include "tests/dst/storm.h"
#include "tests/dst/world.h"
#include "tests/objects/devices.h"

namespace dray::dst {
namespace {

using std::chrono::seconds;

const std::string kept;

std::string no_device_twice(const Facts& facts, const Commit& commit) {
  if (!commit.allocates()) return kept;
  for (const auto& each : commit.claim->allocation->devices) {
    const auto holders = facts.holders.find(each.device);
    if (is_admin(each)) continue;
    if (is_shared(each) || holders == facts.holders.end() || holders->second.empty()) continue;
    const auto rival = facts.rival_took.find(each.device);
    const bool by_rival = rival != facts.rival_took.end() && facts.now() - rival->second < old_news;
    if (commit.by == nullptr || by_rival) continue;
    return fmt::format("device {} goes to claim {} and is in another", each.device.to_string(),
                       commit.claim->meta.name);
  }
  return kept;
}

std::string no_more_than_there_is(const Facts& facts, const Commit& commit) {
  if (!commit.allocates()) return kept;
  std::map<DeviceId, std::int64_t> parts;
  std::map<PoolName, std::int64_t> wholes;
  const auto add = [&](const ResourceClaim& claim) {
    for (const auto& each : claim.allocation->devices) {
      if (each.device.driver.get() == counters_driver) ++wholes[each.device.pool];
      const auto used = each.consumed_capacity.find("memory");
      if (used != each.consumed_capacity.end()) parts[each.device] += used->second.value();
    }
  };
  for (const auto& [uid, claim] : facts.claims) {
    if (claim.allocation && uid != commit.claim->meta.uid) add(claim);
  }
  add(*commit.claim);
  for (const auto& [device, used] : parts) {
    if (used > parts_of_device) return device.to_string() + " is given away more than once over";
  }
  for (const auto& [pool, used] : wholes) {
    if (used > counters_of_node) return "more is cut from " + pool.get() + " than there is";
  }
  return kept;
}

/// Whether an allocation could be decided on `device` within the last while.
std::string why_not(const Facts& facts, const AllocatedDevice& device) {
  const auto found = facts.devices.find(device.device);
  if (found == facts.devices.end()) return "which was never there";
  const auto& fact = found->second;
  if (!fact.published && facts.now() - fact.last_seen > old_news) return "which is gone";
  if (fact.tainted_since && facts.now() - *fact.tainted_since > old_news) return "which is tainted";
  return kept;
}

std::string legal(const Facts& facts, const Commit& commit) {
  if (!commit.allocates() || commit.by == nullptr) return kept;
  const auto& claim = *commit.claim;
  std::map<std::string, std::int64_t> given;
  std::set<DeviceId> once;
  for (const auto& each : claim.allocation->devices) {
    const auto why = why_not(facts, each);
    if (!why.empty()) {
      return fmt::format("claim {} gets {}, {}", claim.meta.name, each.device.to_string(), why);
    }
    if (!once.insert(each.device).second) return "a claim has a device twice";
    ++given[each.request];
  }
  for (const auto& request : claim.spec.requests) {
    if (given[request.name] != request.exactly->count) {
      return "claim " + claim.meta.name + " has not as many devices as it asks for";
    }
    for (const auto& each : claim.allocation->devices) {
      if (each.request != request.name) continue;
      const auto why = why_unsuited(facts, *request.exactly, each.device);
      if (!why.empty()) {
        return fmt::format("claim {} gets {}, {}", claim.meta.name, each.device.to_string(), why);
      }
    }
  }
  return kept;
}

std::string is_protected(const Facts& /*facts*/, const Commit& commit) {
  if (!commit.allocates() || commit.by == nullptr) return kept;
  const auto& finalizers = commit.claim->meta.finalizers;
  if (std::ranges::find(finalizers, claim_finalizer) != finalizers.end()) return kept;
  return "allocated without the finalizer: " + commit.claim->meta.name;
}

std::string bound_with_its_devices(const Facts& facts, const Commit& commit) {
  if (!commit.binds() || facts.robbed(commit.pod->meta.uid)) return kept;
  const auto& pod = *commit.pod;
  for (const auto* claim : claims_of(pod, facts.server())) {
    if (claim == nullptr || !claim->allocation) {
      return "pod " + pod.meta.name + " is bound without its devices";
    }
    if (!reserved_for(*claim, pod.meta.uid)) {
      return "pod " + pod.meta.name + " is bound without a reservation";
    }
    for (const auto& each : claim->allocation->devices) {
      const auto fact = facts.devices.find(each.device);
      if (fact == facts.devices.end() || !fact->second.node) continue;
      if (*fact->second.node == *pod.node_name) continue;
      return fmt::format("pod {} is on {}, its device {} is not", pod.meta.name,
                         pod.node_name->get(), each.device.to_string());
    }
  }
  return kept;
}

std::string gang_has_its_devices(const Facts& facts, const Commit& commit) {
  if (!commit.binds() || !commit.pod->pod_group) return kept;
  const auto& pod = *commit.pod;
  const auto* group = facts.server().find<PodGroup>(pod.meta.namespace_name, *pod.pod_group);
  if (group == nullptr || !group->min_count) return kept;
  // Also those that are gone since: their bind was part of it.
  const auto& held = facts.held_of_group;
  const auto found = held.find(*pod.pod_group);
  const auto count = found == held.end() ? 0 : std::ssize(found->second);
  if (count >= *group->min_count) return kept;
  return "pod " + pod.meta.name + " is bound before its gang has the devices it needs";
}

/// The pod was on a node that went, or came anew: nobody knows what is left of it.
bool is_stranded(const Facts& facts, const Pod& pod) {
  if (!pod.node_name) return false;
  const auto* node = facts.server().find<Node>("", pod.node_name->get());
  return node == nullptr || node->meta.created > pod.meta.created;
}

/// An earlier leader gave it devices: the one in charge may give them back, and their room in the
/// queue on.
bool is_of_earlier_epoch(const Facts& facts, const ResourceClaim& claim) {
  const auto found = facts.allocated_in.find(claim.meta.uid);
  return found != facts.allocated_in.end() && found->second < facts.highest_epoch;
}

/// Devices of the queue's pods that are not done, by what is so after the commit.
std::int64_t in_use(const Facts& facts, const std::string& queue, const Commit& commit) {
  std::int64_t used = 0;
  // The first of its users that stays in its place.
  const auto user_of = [&](const ResourceClaim& claim) -> const Pod* {
    for (const auto& user : claim.reserved_for) {
      const auto known = facts.pods.find(user.uid);
      const bool is_it = commit.pod != nullptr && commit.pod->meta.uid == user.uid;
      if (!is_it && known == facts.pods.end()) continue;
      const auto& pod = is_it ? *commit.pod : known->second;
      if (pod.finished() || pod.meta.deleted) continue;
      if (!pod.node_name && is_of_earlier_epoch(facts, claim)) continue;
      // A victim's room in its queue is given on before it has gone, as KAI does; but only as long
      // as it is on its way.
      if (is_stranded(facts, pod) || facts.is_victim(user.uid)) continue;
      return &pod;
    }
    return nullptr;
  };
  const auto add = [&](const ResourceClaim& claim) {
    if (!claim.allocation || claim.reserved_for.empty()) return;
    // Whose it is, changes with its first user.
    if (claim.meta.name.starts_with(shared_prefix)) return;
    const auto* pod = user_of(claim);
    if (pod == nullptr) return;
    const auto bound_in = facts.odd.queue_of.find(pod->meta.uid);
    const auto its_queue =
        bound_in == facts.odd.queue_of.end() ? queue_of(*pod) : std::optional(bound_in->second);
    if (its_queue != queue) return;
    used += std::ranges::count_if(claim.allocation->devices, [](const AllocatedDevice& each) {
      return each.device.driver.get() == testing::gpu_driver;
    });
  };
  for (const auto& [uid, claim] : facts.claims) {
    if (commit.claim == nullptr || uid != commit.claim->meta.uid) add(claim);
  }
  if (commit.claim != nullptr) add(*commit.claim);
  return used;
}

/// The pod counts for its queue from now on, and did not before.
bool binds_what_was_left(const Facts& facts, const Commit& commit) {
  return commit.binds() &&
         std::ranges::any_of(claims_of(*commit.pod, facts.server()), [&](const auto* claim) {
           return claim != nullptr && is_of_earlier_epoch(facts, *claim);
         });
}

std::string within_limits(const Facts& facts, const Commit& commit) {
  if (commit.by == nullptr) return kept;
  if (!commit.allocates() && !binds_what_was_left(facts, commit)) return kept;
  for (const auto& [queue, limit] : facts.limits) {
    const auto used = in_use(facts, queue, commit);
    if (used > limit) return fmt::format("queue {} has {} of {} gpus", queue, used, limit);
  }
  return kept;
}

std::string not_taken_away(const Facts& facts, const Commit& commit) {
  if (commit.claim_before == nullptr) return kept;
  for (const auto& user : commit.claim_before->reserved_for) {
    if (commit.claim != nullptr && reserved_for(*commit.claim, user.uid)) continue;
    const auto pod = facts.pods.find(user.uid);
    if (pod == facts.pods.end() || pod->second.finished() || !pod->second.node_name) continue;
    if (facts.robbed(user.uid)) continue;
    return fmt::format("claim {} is taken from running pod {}", commit.claim_before->meta.name,
                       user.name);
  }
  return kept;
}

std::string one_epoch_at_a_time(const Facts& facts, const Commit& commit) {
  if (commit.by == nullptr || commit.by->field_manager.empty()) return kept;
  if (epoch_of(commit.by->field_manager) >= facts.highest_epoch) return kept;
  const bool fenced = commit.event.kind == Kind::pod || commit.event.kind == Kind::resource_claim;
  if (!fenced || std::holds_alternative<engine::DeleteClaim>(commit.by->write)) return kept;
  return fmt::format("a write of {} lands after one of epoch {}", commit.by->field_manager,
                     facts.highest_epoch);
}

/// A gang that lost too many members gives the rest's devices back.
bool is_of_short_gang(const Facts& facts, const Pod& victim) {
  if (!victim.pod_group) return false;
  const auto* group = facts.server().find<PodGroup>("default", *victim.pod_group);
  const auto bound = std::ranges::count_if(facts.pods, [&](const auto& entry) {
    const auto& pod = entry.second;
    return pod.pod_group == victim.pod_group && pod.node_name && !pod.meta.deleted &&
           !pod.finished();
  });
  return group == nullptr || bound < group->min_count.value_or(0);
}

// ---- Of requests

/// Two claims may not be given one device while the first write may still land.
std::string not_asked_for_twice(const Facts& facts, const sim::ApiRequest& request) {
  const auto* asks = std::get_if<engine::AllocateClaim>(&request.write);
  if (asks == nullptr) return kept;
  for (const auto& other : facts.loop.network().under_way()) {
    const auto* first = std::get_if<engine::AllocateClaim>(&other.write);
    if (first == nullptr) continue;
    if (other.field_manager != request.field_manager) continue;  // the fence refuses one
    const auto claim = facts.claims.find(first->uid);
    const bool may_land =
        claim != facts.claims.end() && claim->second.meta.resource_version == first->expected;
    if (!may_land) continue;
    if (first->uid == asks->uid) {
      // Its release is refused for ever, and so dray takes that write for refused, too.
      if (first->claim.name.starts_with(kept_prefix)) continue;
      if (same_devices(first->allocation, asks->allocation)) continue;
      return "claim " + first->claim.name + " is asked to get two sets of devices at once";
    }
    for (const auto& device : first->allocation.devices) {
      const auto same =
          std::ranges::find(asks->allocation.devices, device.device, &AllocatedDevice::device);
      if (is_shared(device) || same == asks->allocation.devices.end()) continue;
      if (is_admin(device) || is_admin(*same)) continue;
      return fmt::format("{} is asked for {} while the write for {} is under way",
                         device.device.to_string(), asks->claim.name, first->claim.name);
    }
  }
  return kept;
}

/// What an answer has told counts, though the watch has not shown it yet.
std::string on_nothing_older_than_told(const Facts& facts, const sim::ApiRequest& request) {
  const auto* asks = std::get_if<engine::AllocateClaim>(&request.write);
  if (asks == nullptr) return kept;
  const auto told = facts.told.find({request.field_manager, asks->uid});
  if (told == facts.told.end()) return kept;
  const auto& claim = told->second;
  if (number(asks->expected) >= number(claim.meta.resource_version)) return kept;
  if (!claim.allocation || same_devices(*claim.allocation, asks->allocation)) return kept;
  return fmt::format("claim {} is given other devices than an answer has told", claim.meta.name);
}

/// Somebody must be there for whom a victim goes: of its queue and more important, or of another.
/// Judged when it is asked for: what is under way cannot be called back, however late it lands.
std::string evicted_for_somebody(const Facts& facts, const sim::ApiRequest& request) {
  const auto* evicts = std::get_if<engine::EvictPod>(&request.write);
  if (evicts == nullptr || evicts->dry_run) return kept;
  const auto found = facts.pods.find(evicts->uid);
  if (found == facts.pods.end() || found->second.meta.deleted) return kept;
  const auto queue_of = [](const Pod& pod) {
    const auto label = pod.meta.labels.find(queue_label);
    return label == pod.meta.labels.end() ? std::string("b") : label->second;
  };
  const auto& victim = found->second;
  const auto gains = [&](const Pod& pod) {
    return queue_of(pod) != queue_of(victim) || pod.priority > victim.priority;
  };
  const bool now = std::ranges::any_of(facts.pods, [&](const auto& entry) {
    const auto& pod = entry.second;
    return !pod.node_name && !pod.meta.deleted && gains(pod);
  });
  const bool just_now = std::ranges::any_of(facts.waited, [&](const auto& entry) {
    return facts.now() - entry.first < seconds(15) && gains(entry.second);
  });
  if (now || just_now || is_of_short_gang(facts, victim)) return kept;
  return "pod " + victim.meta.name + " is evicted for nobody";
}

/// What is refused, or changes nothing, is not asked for again and again without a pause.
std::string no_hot_loop(const Facts& facts, const sim::ApiRequest& request) {
  constexpr std::uint64_t most_sent = 400;
  if (engine::is_lease_write(request.write)) return kept;
  const auto name = std::string(engine::name(request.write));
  const auto subject = engine::subject(request.write);
  if (facts.sent.at({name, subject}) < most_sent) return kept;
  return fmt::format("{} of {} is sent without end", name, subject);
}

}  // namespace

std::span<const CommitRule> commit_rules() {
  static constexpr std::array rules{
      CommitRule{"I1", "no device is in two claims", no_device_twice},
      CommitRule{"I2", "no more is given than there is", no_more_than_there_is},
      CommitRule{"I3", "allocations are legal", legal},
      CommitRule{"I3", "what is allocated is protected", is_protected},
      CommitRule{"I4", "a gang is bound when it has its devices", gang_has_its_devices},
      CommitRule{"I6", "no queue is over its limit", within_limits},
      CommitRule{"I7", "nothing is taken from who runs", not_taken_away},
      CommitRule{"I10", "who is bound has its devices there", bound_with_its_devices},
      CommitRule{"I11", "one epoch writes at a time", one_epoch_at_a_time},
  };
  return rules;
}

std::span<const RequestRule> decision_rules() {
  static constexpr std::array rules{
      RequestRule{"I13", "no decision on less than was told", on_nothing_older_than_told},
  };
  return rules;
}

std::span<const RequestRule> sending_rules() {
  static constexpr std::array rules{
      RequestRule{"I7", "what may still land is counted", not_asked_for_twice},
      RequestRule{"I12", "evictions make room for somebody", evicted_for_somebody},
      RequestRule{"L2", "nothing is sent without end", no_hot_loop},
  };
  return rules;
}

}  // namespace dray::dst
