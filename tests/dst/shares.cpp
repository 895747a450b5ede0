#include "tests/dst/shares.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "tests/dst/room.h"
#include "tests/dst/storm.h"
#include "tests/dst/verdict.h"
#include "tests/objects/devices.h"

namespace dray::dst {
namespace {

/// Of each of the two queues.
std::int64_t quota_of(const World& world) {
  return static_cast<std::int64_t>(world.nodes) * world.devices / 2;
}

/// GPUs that the pod's claims have, or ask for; nothing where more than numbers decide about it.
std::optional<std::int64_t> plain_gpus(const Pod& pod, const sim::ApiServer& server) {
  std::int64_t gpus = 0;
  const bool is_special = pod.pod_group || pod.meta.name.starts_with(doomed_prefix) ||
                          pod.meta.name.starts_with(kept_prefix);
  if (is_special) return std::nullopt;
  for (const auto* claim : claims_of(pod, server)) {
    const bool is_plain = claim != nullptr && claim->spec.unreadable.empty() &&
                          !claim->meta.deleted && claim->reserved_for.size() <= 1 &&
                          !claim->meta.name.starts_with(shared_prefix);
    if (!is_plain) return std::nullopt;
    for (const auto& request : claim->spec.requests) {
      const auto& spec = *request.exactly;
      const bool is_gpu = spec.device_class.get() == testing::gpu_driver && spec.selectors.empty();
      if (!is_gpu) return std::nullopt;
      gpus += spec.count;
    }
  }
  return gpus > 0 ? std::optional(gpus) : std::nullopt;
}

/// What queues have in GPUs.
std::map<std::string, std::int64_t> use_by_queue(const sim::ApiServer& server) {
  auto use = gpus_of_replaced_claims(server);
  for (const auto& item : server.list(Kind::resource_claim).items) {
    const auto& claim = std::get<ResourceClaim>(*item);
    if (!claim.allocation || claim.reserved_for.empty()) continue;
    const auto* pod = server.find<Pod>("default", claim.reserved_for.front().name);
    if (pod == nullptr || pod->finished()) continue;
    // Whose it is that several queues use, is open: it counts for who wants more.
    const auto holder =
        claim.meta.name.starts_with(shared_prefix) ? std::string(shared_prefix) : queue_name(*pod);
    use[holder] +=
        std::ranges::count_if(claim.allocation->devices, [](const AllocatedDevice& each) {
          return each.device.driver.get() == testing::gpu_driver;
        });
  }
  return use;
}

struct Sides {
  std::vector<Pod> waiting;
  std::vector<Pod> running;
};

/// Pods of which numbers alone decide, and who could go unasked.
Sides sides_of(const Facts& facts) {
  const auto& server = facts.server();
  Sides sides;
  for (const auto& pod : pods_of(server)) {
    if (!plain_gpus(pod, server) || pod.finished() || pod.meta.deleted) continue;
    const bool had_a_refusal =
        facts.refused.contains(pod.key().to_string()) ||
        std::ranges::any_of(claims_of(pod, server), [&](const ResourceClaim* claim) {
          return facts.refused.contains(claim->key().to_string());
        });
    if (had_a_refusal) continue;
    if (waits(pod)) sides.waiting.push_back(pod);
    if (pod.node_name && !pod.meta.labels.contains("guarded")) sides.running.push_back(pod);
  }
  return sides;
}

/// Its devices are as they were when it got them: another pod could have them.
bool has_sound_devices(const Facts& facts, const Pod& pod) {
  return std::ranges::all_of(claims_of(pod, facts.server()), [&](const ResourceClaim* claim) {
    if (claim == nullptr || !claim->allocation) return false;
    return std::ranges::all_of(claim->allocation->devices, [&](const AllocatedDevice& each) {
      const auto fact = facts.devices.find(each.device);
      return fact != facts.devices.end() && fact->second.published && !fact->second.tainted_since &&
             fact->second.changed == Time{};
    });
  });
}

/// All whom somebody of another queue could make room for.
std::vector<Starved> who_lack(const World& world, const Facts& facts, const Sides& sides,
                              std::map<std::string, std::int64_t>& use) {
  const auto& server = facts.server();
  const auto quota = quota_of(world);
  std::vector<Starved> found;
  for (const auto& pod : sides.waiting) {
    const auto wants = *plain_gpus(pod, server);
    const auto queue = queue_name(pod);
    if (use[queue] + use[shared_prefix] + wants > quota) continue;
    const auto could_go = [&](const Pod& victim) {
      const auto other = queue_name(victim);
      const auto gives = *plain_gpus(victim, server);
      return other != queue && gives >= wants && use[other] - gives >= quota &&
             has_sound_devices(facts, victim);
    };
    const auto victim = std::ranges::find_if(sides.running, could_go);
    if (victim == sides.running.end()) continue;
    const auto other = queue_name(*victim);
    found.push_back({pod, fmt::format("queue {} has {} gpus, queue {} has {}, of a quota of {}; {} "
                                      "waits, {} stays",
                                      queue, use[queue], other, use[other], quota, pod.meta.name,
                                      victim->meta.name)});
  }
  return found;
}

}  // namespace

std::optional<Starved> who_lacks_its_share(const World& world, const Facts& facts,
                                           std::set<std::string>& seen) {
  if (!world.queues || world.budgets) return std::nullopt;
  auto use = use_by_queue(facts.server());
  const auto sides = sides_of(facts);
  std::set<std::string> hungry;
  for (const auto& pod : sides.waiting) hungry.insert(queue_name(pod));
  if (hungry.size() > 1) seen.insert("two queues want more at the end");
  if (hungry.size() > 1 && use["a"] >= quota_of(world) && use["b"] >= quota_of(world)) {
    seen.insert("two queues have their quota and want more");
  }
  auto lacking = who_lack(world, facts, sides, use);
  if (lacking.empty()) return std::nullopt;
  return std::move(lacking.front());
}

void ShareWatch::look() {
  if (!story_.world.queues) return;
  const auto& facts = checker_.facts();
  const auto now = facts.now();
  const Duration patience = std::chrono::seconds(story_.world.budgets ? 90 : 60);
  auto use = use_by_queue(facts.server());
  std::map<Uid, Time> lacking_since;
  for (const auto& [pod, how] : who_lack(story_.world, facts, sides_of(facts), use)) {
    const auto known = lacking_since_.find(pod.meta.uid);
    const auto since = known == lacking_since_.end() ? now : known->second;
    lacking_since.emplace(pod.meta.uid, since);
    if (now - since <= patience) continue;
    checker_.violate(fmt::format("L4: for more than {} s {}",
                                 std::chrono::duration_cast<std::chrono::seconds>(patience).count(),
                                 how));
  }
  lacking_since_ = std::move(lacking_since);
}

}  // namespace dray::dst
