#include "tests/dst/patience.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tests/dst/room.h"
#include "tests/dst/storm.h"
#include "tests/dst/verdict.h"

namespace dray::dst {
namespace {

/// Whose nodes may be refused to it for minutes, or who goes with others.
bool is_excused(const Pod& pod, const Facts& facts) {
  if (pod.pod_group || pod.meta.name.starts_with(doomed_prefix)) return true;
  if (pod.meta.name == kept_prefix || facts.refused.contains(pod.key().to_string())) return true;
  return std::ranges::any_of(claims_of(pod, facts.server()), [&](const ResourceClaim* claim) {
    return claim == nullptr || facts.refused.contains(claim->key().to_string());
  });
}

/// Whether dray has sent something of one of those who wait, since then.
bool somebody_is_tried(const std::vector<Pod>& pods, const Facts& facts, Time since) {
  const auto asked = [&](const std::string& subject) {
    const auto found = facts.asked.find(subject);
    return found != facts.asked.end() && found->second >= since;
  };
  return std::ranges::any_of(pods, [&](const Pod& pod) {
    if (!waits(pod)) return false;
    return asked(pod.key().to_string()) ||
           std::ranges::any_of(claims_of(pod, facts.server()), [&](const ResourceClaim* claim) {
             return claim != nullptr && asked(claim->key().to_string());
           });
  });
}

}  // namespace

void Patience::look() {
  const auto& server = loop_.server();
  const auto now = loop_.now();
  const auto& facts = checker_.facts();
  const auto pods = pods_of(server);
  const Room room(story_.world, server);
  const auto found = std::ranges::find_if(pods, [&](const Pod& pod) {
    if (!waits(pod) || is_excused(pod, facts)) return false;
    if (room.fits(pod, server)) return true;
    waited_.insert(pod.meta.uid);
    return false;
  });
  if (found == pods.end()) return room_since_.reset();
  if (waited_.contains(found->meta.uid)) seen_.insert("room came for a pod that waited");
  if (!room_since_) room_since_ = now;
  if (now - *room_since_ <= retry_patience) return;
  // It may be under way to another of those who wait.
  if (somebody_is_tried(pods, facts, *room_since_ - retry_patience)) return;
  checker_.violate(fmt::format("L5: there is room for pod {}, and nobody is tried: {}; free: {}",
                               found->meta.name, view_of(loop_, *found), room.text()));
}

}  // namespace dray::dst
