#include "tests/dst/verdict.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "dray/model/reason.h"
#include "tests/dst/room.h"
#include "tests/dst/shares.h"
#include "tests/dst/storm.h"
#include "tests/dst/workload.h"

namespace dray::dst {

std::vector<Pod> pods_of(const sim::ApiServer& server) {
  std::vector<Pod> pods;
  for (const auto& item : server.list(Kind::pod).items) pods.push_back(std::get<Pod>(*item));
  return pods;
}

bool waits(const Pod& pod) {
  return !pod.node_name && !pod.meta.deleted && !pod.finished();
}

namespace {

/// A claim whose release was refused for ever, and that the pod has another for by now.
bool left_behind(const ResourceClaim& claim, const Pod& pod, const sim::ApiServer& server) {
  return claim.meta.name.starts_with(kept_prefix) &&
         std::ranges::none_of(claims_of(pod, server), [&](const ResourceClaim* its) {
           return its != nullptr && its->meta.uid == claim.meta.uid;
         });
}

bool any_left_behind(const sim::ApiServer& server) {
  return std::ranges::any_of(server.list(Kind::resource_claim).items, [&](const auto& item) {
    const auto& claim = std::get<ResourceClaim>(*item);
    if (!claim.allocation || claim.reserved_for.empty()) return false;
    const auto* pod = server.find<Pod>("default", claim.reserved_for.front().name);
    return pod != nullptr && !pod->node_name && left_behind(claim, *pod, server);
  });
}

/// I8: devices are held for pods that are there and bound, and for nobody else.
std::string nothing_leaks(const sim::ClusterLoop& loop) {
  const auto& never_seen = loop.claim_controller().never_seen();
  for (const auto& item : loop.server().list(Kind::resource_claim).items) {
    const auto& claim = std::get<ResourceClaim>(*item);
    if (!claim.allocation || claim.meta.name.starts_with(rival_prefix)) continue;
    if (claim.reserved_for.empty()) return "claim " + claim.meta.name + " is kept for nobody";
    for (const auto& user : claim.reserved_for) {
      const auto* pod = loop.server().find<Pod>("default", user.name);
      if (never_seen.contains(user.uid)) continue;  // kube-controller-manager's fault
      if (pod == nullptr || pod->meta.uid != user.uid || pod->finished()) {
        return "claim " + claim.meta.name + " is kept for a pod that is done";
      }
      if (!pod->node_name && !left_behind(claim, *pod, loop.server())) {
        return "claim " + claim.meta.name + " is reserved for a pod without a node";
      }
    }
  }
  return {};
}

}  // namespace

std::string view_of(sim::ClusterLoop& loop, const Pod& pod) {
  auto* leader = loop.leader();
  if (leader == nullptr) return "nobody leads";
  const auto view = leader->engine().pod(pod.key());
  if (!view) return "the engine does not know it";
  return fmt::format("{} ({})", text(view->reason), view->detail);
}

namespace {

/// L1, L2: who fits is bound, whoever else is doomed.
std::string who_fits_is_bound(const Story& story, sim::ClusterLoop& loop, const Facts& facts) {
  if (any_left_behind(loop.server())) return {};  // it has devices that look free
  const Room room(story.world, loop.server());
  for (const auto& pod : pods_of(loop.server())) {
    if (!waits(pod) || pod.pod_group || pod.meta.name.starts_with(doomed_prefix)) continue;
    if (pod.meta.name == kept_prefix) continue;  // what it holds is not given back, ever
    if (is_given_up(facts, pod)) continue;
    if (!room.fits(pod, loop.server())) continue;
    return fmt::format("pod {} fits and is not bound: {}; free: {}", pod.meta.name,
                       view_of(loop, pod), room.text());
  }
  return {};
}

struct GangState {
  int bound = 0;
  int waiting = 0;
  std::optional<std::string> queue;
};

GangState state_of(const PodGroup& group, const std::vector<Pod>& pods,
                   const sim::ApiServer& server) {
  GangState state;
  for (const auto& pod : pods) {
    if (pod.pod_group != group.meta.name || pod.finished() || pod.meta.deleted) continue;
    // A claim that somebody deleted stays away for an hour.
    if (!pod.node_name && !Room::has_its_claims(pod, server)) continue;
    ++(pod.node_name ? state.bound : state.waiting);
    state.queue = queue_of(pod);
  }
  return state;
}

/// I4, I5: a gang runs with its minimum or not at all, and one that would fit runs.
std::string gangs_are_whole(const Story& story, sim::ClusterLoop& loop,
                            std::set<std::string>& seen) {
  const Room room(story.world, loop.server());
  const auto pods = pods_of(loop.server());
  for (const auto& item : loop.server().list(Kind::pod_group).items) {
    const auto& group = std::get<PodGroup>(*item);
    const auto [bound, waiting, queue] = state_of(group, pods, loop.server());
    const int lacks = *group.min_count - bound;
    const bool can_be_whole = lacks <= waiting;
    if (bound > 0) seen.insert("a gang runs");
    if (bound == 0 && waiting > 0) seen.insert("a gang waits at the end");
    if (lacks > 0 && can_be_whole && room.gpus_for(queue) >= lacks) {
      const auto member = std::ranges::find_if(
          pods, [&](const Pod& pod) { return pod.pod_group == group.meta.name && waits(pod); });
      return fmt::format("I5: gang {} fits and does not run whole: {}; free: {}", group.meta.name,
                         view_of(loop, *member), room.text());
    }
    if (bound > 0 && lacks > 0 && can_be_whole && !story.world.queues) {
      return "I4: gang " + group.meta.name + " runs below its minimum";
    }
  }
  return {};
}

/// A pod that is refused for ever has room while it is tried, after a minute, two, four and so on;
/// somebody else may be evicted for whom it was.
bool doomed_since(const Facts& facts, Time eviction) {
  return std::ranges::any_of(facts.asked, [&](const auto& entry) {
    const auto name = std::string("default/") + doomed_prefix;
    return entry.first.starts_with(name) && entry.second + std::chrono::seconds(1) >= eviction;
  });
}

/// Longer than a victim's cool-down: a loop of evictions would show.
constexpr Duration quiet_time = std::chrono::seconds(40);
/// Members that a gang can do without may go one by one, a cool-down after the other.
constexpr Duration loop_time = std::chrono::seconds(150);
constexpr std::ptrdiff_t loop_length = 5;

/// A pod ended right before the last eviction: whoever gets its room may need more.
bool somebody_ended_before(const Facts& facts, Time eviction) {
  return std::ranges::any_of(facts.ends, [&](Time end) {
    return end <= eviction && eviction <= end + std::chrono::seconds(1);
  });
}

/// L3: evictions come to an end.
std::string evictions_end(const sim::ClusterLoop& loop, const Facts& facts) {
  if (facts.evictions.empty()) return {};
  const auto quiet = loop.now() - facts.evictions.back();
  const auto lately = std::ranges::count_if(
      facts.evictions, [&](Time eviction) { return loop.now() - eviction < loop_time; });
  if (quiet >= quiet_time || lately < loop_length || doomed_since(facts, facts.evictions.back()) ||
      somebody_ended_before(facts, facts.evictions.back())) {
    return {};
  }
  return fmt::format("{} evictions, the last {} s ago", facts.evictions.size(),
                     std::chrono::duration_cast<std::chrono::seconds>(quiet).count());
}

/// The leader's own books, against what is there.
std::string books_are_right(sim::ClusterLoop& loop) {
  auto* leader = loop.leader();
  if (leader == nullptr) return "nobody leads";
  const auto status = leader->engine().status();
  std::size_t held = 0;
  std::size_t shared = 0;
  for (const auto& item : loop.server().list(Kind::resource_claim).items) {
    const auto& claim = std::get<ResourceClaim>(*item);
    if (!claim.allocation) continue;
    for (const auto& each : claim.allocation->devices) {
      if (!is_admin(each)) ++(is_shared(each) ? shared : held);
    }
  }
  const auto waiting = std::ranges::count_if(pods_of(loop.server()), waits);
  if (status.binds_in_flight > 0) return "a bind never ended";
  if (static_cast<std::ptrdiff_t>(status.reservations) > waiting) {
    return "a reservation was left behind";
  }
  if (status.devices_allocated < held) return "the engine misses a device";
  const bool holds_nothing = status.reservations == 0 && status.binds_in_flight == 0;
  if (holds_nothing && status.devices_allocated > held + shared) {
    return "the engine takes a device for held that nobody has";
  }
  return {};
}

}  // namespace

void judge(const Story& story, sim::ClusterLoop& loop, Checker& checker,
           std::set<std::string>& seen) {
  const auto tell = [&](const char* number, const std::string& how) {
    if (!how.empty()) checker.violate(*number == 0 ? how : fmt::format("{}: {}", number, how));
  };
  tell("I8", nothing_leaks(loop));
  // Who is refused for ever has the room while it is tried.
  const bool being_tried = doomed_since(checker.facts(), loop.now() - std::chrono::seconds(10));
  if (!being_tried) tell("L1", who_fits_is_bound(story, loop, checker.facts()));
  tell("", gangs_are_whole(story, loop, seen));
  tell("L3", evictions_end(loop, checker.facts()));
  const auto starved = who_lacks_its_share(story.world, checker.facts(), seen);
  if (starved) tell("L4", starved->how + ": " + view_of(loop, starved->pod));
  tell("I7", books_are_right(loop));
}

std::string unrest(const Story& story, sim::ClusterLoop& loop, const Facts& facts) {
  std::set<std::string> ignored;
  for (auto what : {nothing_leaks(loop), who_fits_is_bound(story, loop, facts),
                    gangs_are_whole(story, loop, ignored), books_are_right(loop)}) {
    if (!what.empty()) return what;
  }
  return {};
}

}  // namespace dray::dst
