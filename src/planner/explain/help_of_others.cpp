#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "dray/base/count_of.h"
#include "planner/explain/help.h"
#include "planner/explain/queue_view.h"
#include "planner/explain/words.h"

// What others would have to do for a job that waits: end, or be evicted.

namespace dray::planner {
namespace {

/// Jobs whose end is tried, one by one.
constexpr std::size_t most_ends = 24;
/// With more that have room it is not tried whether the end of all of them helps: that plan alone
/// costs as much as all others together.
constexpr std::size_t most_ends_at_once = 1'024;
constexpr std::size_t most_victims_named = 3;

/// As if it were leaving, and nothing of it waited.
std::shared_ptr<const Job> gone(const Job& job) {
  auto made = job;
  for (auto& member : made.members) {
    if (member.state == MemberState::placed) member.state = MemberState::leaving;
    if (member.state == MemberState::waiting) member.state = MemberState::blocked;
  }
  return std::make_shared<const Job>(std::move(made));
}

bool lets_evictions(const policy::PolicyConfig& config) {
  return config.reclaim.enabled || config.preemption.enabled || config.consolidation.enabled;
}

}  // namespace

/// It has room on a node that lacks least.
bool WhatHelps::is_near(const Job& other) const {
  const auto near = [&](const NodeName& node) {
    return std::ranges::any_of(watch_.no_room->nodes, [&](const NodesAlike& alike) {
      return alike.nearest == node && reason_info(alike.reason).eviction_helps;
    });
  };
  if (std::ranges::any_of(other.members, [&](const Member& member) {
        return member.state == MemberState::placed && member.node && near(*member.node);
      })) {
    return true;
  }
  const auto* given = this->given(other);
  return given != nullptr &&
         std::ranges::any_of(given->placements,
                             [&](const Placement& placement) { return near(placement.node); });
}

/// Jobs that run, and those that this plan starts: those on the nearest nodes first, then the ones
/// of the same tenant, small ones before large ones.
WhatHelps::Jobs WhatHelps::others_with_room() const {
  using Turn = std::tuple<bool, bool, bool, std::size_t>;
  std::vector<std::pair<Turn, std::shared_ptr<const Job>>> found;
  for (const auto& other : question_.input.jobs) {
    if (other->uid == job_.uid) continue;
    const bool runs = std::ranges::any_of(
        other->members, [](const auto& each) { return each.state == MemberState::placed; });
    const auto* given = this->given(*other);
    if (!runs && (given == nullptr || !gets_something(*given))) continue;
    const bool elsewhere = other->first().meta.namespace_name != job_.first().meta.namespace_name;
    found.emplace_back(
        Turn(!is_near(*other), !same_tenant(*other, job_), elsewhere, other->members.size()),
        other);
  }
  std::ranges::stable_sort(found, {}, [](const auto& each) -> const Turn& { return each.first; });
  Jobs others;
  others.reserve(found.size());
  for (auto& [turn, other] : found) others.push_back(std::move(other));
  return others;
}

/// The devices that the job has, or gets by this plan, on one of the nodes.
std::vector<std::string> WhatHelps::devices_on(const Names& nodes, const Job& job) const {
  std::vector<std::string> devices;
  const auto is_there = [&](const NodeName& node) {
    return std::ranges::find(nodes, node.get()) != nodes.end();
  };
  const auto add = [&](const AllocationResult& held) {
    for (const auto& each : held.devices) devices.push_back(each.device.device.get());
  };
  for (const auto& member : job.members) {
    if (!member.node || !is_there(*member.node)) continue;
    const auto claims = claims_of(*question_.input.snapshot, *member.pod);
    if (!claims) continue;
    for (const auto& claim : *claims) {
      if (const auto held = question_.input.snapshot->allocation(claim->key())) add(*held);
    }
  }
  if (const auto* given = this->given(job)) {
    for (const auto& placement : given->placements) {
      if (!is_there(placement.node)) continue;
      for (const auto& claim : placement.claims) add(claim.allocation);
    }
  }
  return devices;
}

/// `n4: it would fit there if all of a/x0, a/x1 ended, which have 2 devices there (gpu-3, gpu-5)`
std::string WhatHelps::in_the_way(const Jobs& others, const Tried& tried) const {
  const auto& placements =
      tried.outcome.placements.empty() ? tried.outcome.held : tried.outcome.placements;
  Names nodes;
  for (const auto& placement : placements) {
    if (std::ranges::find(nodes, placement.node.get()) == nodes.end()) {
      nodes.push_back(placement.node.get());
    }
  }
  Names devices;
  std::size_t have_some = 0;
  for (const auto& other : others) {
    auto held = devices_on(nodes, *other);
    if (!held.empty()) ++have_some;
    std::ranges::move(held, std::back_inserter(devices));
  }
  const bool one = others.size() == 1;
  const auto who = !one                                         ? "all of " + names_of(others)
                   : may_name(question_, job_, *others.front()) ? others.front()->name
                                                                : "a job of another tenant";
  // A plan without them may put others where they were not, and this job where they were not.
  std::string has;
  if (have_some > 0) {
    const auto some = have_some < others.size() ? fmt::format("{} of ", have_some) : std::string();
    has = fmt::format(", {}which {} {}{} ({})", some, have_some == 1 ? "has" : "have",
                      count_of(devices.size(), "device"), one ? "" : " there",
                      some_of(devices, most_victims_named));
  }
  return fmt::format("{}: it would fit there if {} ended{}", some_of(nodes, most_victims_named),
                     who, has);
}

void WhatHelps::end_jobs() {
  const auto others = others_with_room();
  if (others.empty()) return;
  if (others.size() <= most_ends_at_once && !fits_without(others)) return;
  if (end_one(others)) return;
  // The first of them are those on the nodes that lack least.
  const Jobs first(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(ends(others)));
  if (!end_several(first) && !trials_.was_cut_short()) {
    found_.helps.push_back(fmt::format(
        "several jobs have to end: the first {} of the {} that have room are not enough",
        first.size(), others.size()));
  }
}

/// Whether the end of all of them helps; says so where it does not.
bool WhatHelps::fits_without(const Jobs& others) {
  auto none = question_.input;
  for (const auto& other : others) none.jobs.put(gone(*other));
  if (try_free_room(none).helped()) return true;
  if (trials_.was_cut_short()) return false;
  const auto running = others.size() == 1
                           ? std::string("the one job that has room")
                           : fmt::format("all {} jobs that have room", others.size());
  for (const auto& uid : watch_.turns) {
    if (uid != job_.uid) none.jobs.put(gone(*none.jobs.find(uid)));
  }
  found_.helps.push_back(
      try_free_room(none).helped()
          ? fmt::format("jobs ahead of it need the room, too: it would not start if {} ended, "
                        "but it fits once these have had their turn",
                        running)
          : fmt::format("nothing that ends helps: it would not fit if {} ended", running));
  return false;
}

/// How many of them are tried.
std::size_t WhatHelps::ends(const Jobs& others) const {
  const auto affordable = std::max<std::size_t>(trials_.plans_of_free_room(), 2) - 1;
  return std::min({others.size(), most_ends, affordable});
}

/// Whether one of them is enough.
bool WhatHelps::end_one(const Jobs& others) {
  Jobs enough;
  for (const auto& other : std::span(others).first(ends(others))) {
    auto input = question_.input;
    input.jobs.put(gone(*other));
    const auto tried = try_free_room(input);
    if (!tried.helped()) continue;
    if (found_.nearest.empty()) found_.nearest = in_the_way({other}, tried);
    enough.push_back(other);
  }
  if (enough.empty()) return false;
  found_.helps.push_back("it starts once one of these has ended: " + names_of(enough));
  return true;
}

/// A set of which each has to end: those that turn out not to be needed stay, the ones of others
/// first. False: all of them are not enough.
bool WhatHelps::end_several(Jobs others) {
  const auto without = [&](std::size_t kept) {
    auto input = question_.input;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i != kept) input.jobs.put(gone(*others[i]));
    }
    return try_free_room(input);
  };
  auto enough = without(others.size());
  if (!enough.helped()) return false;
  for (auto at = others.size(); at-- > 0;) {
    auto tried = without(at);
    if (!tried.helped()) continue;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    enough = std::move(tried);
  }
  if (found_.nearest.empty()) found_.nearest = in_the_way(others, enough);
  found_.helps.push_back(fmt::format("it starts once these {} jobs have all ended: {}",
                                     others.size(), names_of(others)));
  return true;
}

/// Names of the same tenant's, and how many others there are.
std::string WhatHelps::names_of(const Jobs& jobs) const {
  std::vector<std::string> own;
  std::size_t foreign = 0;
  for (const auto& job : jobs) {
    if (may_name(question_, job_, *job)) {
      own.push_back(job->name);
    } else {
      ++foreign;
    }
  }
  auto text = some_of(own, most_victims_named);
  if (foreign > 0) {
    text += (text.empty() ? "" : ", and ") + count_of(foreign, "job") + " of other tenants";
  }
  return text;
}

/// Whom a plan evicts for the job, others' names left out.
std::string WhatHelps::victims(const Plan& plan) const {
  Jobs victims;
  for (const auto& eviction : plan.evictions) {
    if (eviction.beneficiary != job_.uid) continue;
    if (auto victim = question_.input.jobs.find(eviction.job)) victims.push_back(std::move(victim));
  }
  return names_of(victims);
}

/// Why nobody is evicted for it, where that could help.
void WhatHelps::evict() {
  const auto& config = question_.input.policy->config;
  evict_by_policy();
  if (!lets_evictions(config)) return;
  const auto say = [&](const Tried& tried, const std::string& change) {
    if (!tried.helped()) return;
    const auto whom = victims(tried.plan);
    found_.helps.push_back(change + (whom.empty() ? "" : ": it would evict " + whom));
  };
  if (!job_.may_evict) {
    say(try_job([](Job& job) { job.may_evict = true; }),
        "its preemptionPolicy Never keeps it from evicting anybody; with another one");
  }
  if (config.preemption.enabled) {
    constexpr auto highest = std::numeric_limits<std::int32_t>::max();
    const auto tried = try_job([](Job& job) { job.priority = highest; });
    std::int32_t above = job_.priority;
    for (const auto& eviction : tried.plan.evictions) {
      if (eviction.beneficiary != job_.uid) continue;
      const auto victim = question_.input.jobs.find(eviction.job);
      if (victim) above = std::max(above, victim->priority);
    }
    if (tried.helped() && above < highest && !victims(tried.plan).empty()) {
      say(try_job([&](Job& job) { job.priority = above + 1; }),
          fmt::format("nobody of its queue has a lower priority than its {}; give it more than {}",
                      job_.priority, above));
    }
  }
  auto without = question_.input;
  without.disruption_budgets.clear();
  if (!question_.input.disruption_budgets.empty()) {
    say(try_out(without), "a PodDisruptionBudget keeps those who could be evicted; without it");
  }
  say(try_policy([](policy::Policy& policy) {
        policy.config.reclaim.min_runtime = policy.config.preemption.min_runtime = Duration{0};
        for (std::uint32_t i = 0; i < policy.queues.queues().size(); ++i) {
          auto& queue = policy.queues[policy::QueueIndex(i)];
          queue.preempt_min_runtime.reset();
          queue.reclaim_min_runtime.reset();
        }
      }),
      "those who could be evicted have not run for their minimum run time yet; after it");
  if (config.reclaim.enabled) raise_quota();
}

/// Actions that the policy has switched off.
void WhatHelps::evict_by_policy() {
  struct Switch {
    std::string_view name;
    bool on;
    void (*turn)(policy::PolicyConfig&);
  };
  const auto& config = question_.input.policy->config;
  const auto switches = {
      Switch{"preemption", config.preemption.enabled,
             [](policy::PolicyConfig& made) { made.preemption.enabled = true; }},
      Switch{"reclaim", config.reclaim.enabled,
             [](policy::PolicyConfig& made) { made.reclaim.enabled = true; }},
      Switch{"consolidation", config.consolidation.enabled,
             [](policy::PolicyConfig& made) { made.consolidation.enabled = true; }}};
  for (const auto& each : switches) {
    if (each.on) continue;
    const auto tried = try_policy([&](policy::Policy& policy) { each.turn(policy.config); });
    const auto whom = victims(tried.plan);
    if (!tried.helped() || whom.empty()) continue;
    found_.helps.push_back(fmt::format("{} is off in the policy; with it on {} would {} for it",
                                       each.name, whom,
                                       each.name == "consolidation" ? "move" : "be evicted"));
  }
}

/// Reclaim is for queues below their quotas and shares.
void WhatHelps::raise_quota() {
  const auto asked = asked_by(job_, question_.input);
  std::string text;
  const auto tried = try_policy([&](policy::Policy& policy) {
    const auto leaf = policy.queues.find(job_.queue.get());
    if (!leaf) return;
    for (std::optional at = leaf; at; at = policy.queues[*at].parent_index) {
      auto& queue = policy.queues[*at];
      const auto now = std::ranges::find(plan_.queues, queue.name, &QueueReport::queue);
      if (now == plan_.queues.end()) continue;
      for (std::size_t r = 0; r < asked.size(); ++r) {
        const auto needed = now->allocated[r] + asked[r];
        if (asked[r] == 0 || queue.quota[r] >= needed) continue;
        const auto& resource = policy.counting.resources()[r];
        text +=
            fmt::format("{}the quota of queue {} from {} to {} {}", text.empty() ? "" : " and ",
                        queue.name.get(), policy::humanize(queue.quota[r], resource.unit),
                        policy::humanize(needed, resource.unit), policy::display_unit(resource));
        queue.quota[r] = needed;
      }
    }
  });
  if (text.empty() || !tried.helped()) return;
  const auto whom = victims(tried.plan);
  found_.helps.push_back(fmt::format(
      "raise {}: {}", text,
      whom.empty() ? "it then " + tried.where() : "reclaim then evicts " + whom + " for it"));
}

}  // namespace dray::planner
