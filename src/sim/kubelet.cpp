#include "dray/sim/kubelet.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "dray/base/saturating_time.h"
#include "sim/claim_names.h"

namespace dray::sim {
namespace {

/// How the pod ends, and after which time.
struct End {
  Duration after;
  std::string_view phase;
};

std::optional<End> end_of(const Pod& pod) {
  const auto seconds = run_seconds(pod);
  const auto own = seconds ? std::optional(saturating_seconds(*seconds)) : std::nullopt;
  const auto longest = pod.longest_run();
  if (longest && (!own || *longest < *own)) return End{.after = *longest, .phase = "Failed"};
  if (own) return End{.after = *own, .phase = "Succeeded"};
  return std::nullopt;
}

Result<void> set_phase(ApiServer& server, const Pod& pod, std::string_view phase, Time now) {
  const auto patched = server.patch(
      Kind::pod, pod.meta.namespace_name, pod.meta.name, Endpoint::status,
      [&](KubeObject& object) -> Result<void> {
        auto& live = std::get<Pod>(object);
        if (live.meta.uid != pod.meta.uid) return fail(ErrorCode::conflict, "another pod");
        live.phase = phase;
        if (!live.start_time) live.start_time = now;
        set_condition(live.conditions,
                      {.type = "Ready",
                       .status = phase == "Running" ? "True" : "False",
                       .reason = phase == "Running" ? "" : "PodCompleted",
                       .message = "",
                       .last_transition = {}},
                      now);
        return {};
      },
      now);
  if (!patched) return std::unexpected(patched.error());
  return {};
}

}  // namespace

std::optional<std::int64_t> run_seconds(const Pod& pod) {
  const auto note = pod.meta.annotations.find(run_seconds_annotation);
  if (note == pod.meta.annotations.end()) return std::nullopt;
  std::int64_t seconds = 0;
  const auto& text = note->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return seconds;
}

bool Kubelet::may_start(const Pod& pod, const ApiServer& server) {
  return std::ranges::all_of(pod.resource_claims, [&](const PodResourceClaim& reference) {
    const auto name = claim_name(pod, reference);
    if (!name) return false;
    if (!name->name) return true;
    const auto* claim = server.find<ResourceClaim>(pod.meta.namespace_name, *name->name);
    if (claim == nullptr || !claim->allocation) return false;
    if (name->check_owner && !owned_by(*claim, pod.meta.uid)) return false;
    return std::ranges::find(claim->reserved_for, pod.meta.uid, &ClaimConsumer::uid) !=
           claim->reserved_for.end();
  });
}

void Kubelet::observe(const WatchEvent& event, Time now) {
  if (event.kind != Kind::pod || event.object == nullptr) return;
  const auto& pod = std::get<Pod>(*event.object);
  if (!pod.node_name) return;
  const auto key = object_key(pod.meta);
  if (event.type == WatchEvent::Type::deleted) {
    pods_.erase(key);
    started_.erase(pod.meta.uid);
    return;
  }
  const auto before = std::exchange(pods_[key], event.object);
  const bool marked_before = before != nullptr && meta_of(*before).uid == pod.meta.uid &&
                             meta_of(*before).deleted.has_value();
  const bool known = before != nullptr && meta_of(*before).uid == pod.meta.uid;
  if (pod.meta.deleted && !marked_before) {
    at(now + options_.stop_delay, key);
  } else if (!known) {
    at(now + options_.start_delay, key);
  }
}

std::optional<Time> Kubelet::due(Time now) const {
  if (timers_.empty()) return std::nullopt;
  return std::max(now, timers_.begin()->first);
}

bool Kubelet::work(ApiServer& server, Time now) {
  if (timers_.empty() || timers_.begin()->first > now) return false;
  const auto key = timers_.begin()->second;
  timers_.erase(timers_.begin());
  act(key, server, now);
  return true;
}

void Kubelet::act(const std::string& key, ApiServer& server, Time now) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const auto held = found->second;
  const auto& pod = std::get<Pod>(*held);
  if (pod.meta.deleted) {
    // A conflict says that it is gone already.
    (void)server.remove(Kind::pod, pod.meta.namespace_name, pod.meta.name,
                        {.uid = pod.meta.uid, .resource_version = {}, .grace_seconds = 0}, now);
    return;
  }
  if (pod.finished()) return;
  if (const auto started = started_.find(pod.meta.uid); started != started_.end()) {
    const auto end = end_of(pod);
    if (end && now >= saturating_add(started->second, end->after))
      (void)set_phase(server, pod, end->phase, now);
    return;
  }
  if (!may_start(pod, server)) return at(now + std::chrono::seconds(1), key);
  if (!set_phase(server, pod, "Running", now)) return;
  started_[pod.meta.uid] = now;
  if (const auto end = end_of(pod)) at(saturating_add(now, end->after), key);
}

}  // namespace dray::sim
