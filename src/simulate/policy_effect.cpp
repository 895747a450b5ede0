#include "dray/simulate/policy_effect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace dray::simulate {
namespace {

std::optional<Change> change_of_running(const PodFate& was, const PodFate& would) {
  if (was.fate == would.fate) return std::nullopt;
  if (would.fate == Fate::evicted) return Change::evicted;
  return would.fate == Fate::moves ? Change::moved : Change::spared;
}

std::optional<Change> change_of_waiting(const PodFate& was, const PodFate& would) {
  if (was.fate != would.fate) {
    switch (would.fate) {
      case Fate::starts:
        return Change::admitted;
      case Fate::gets_room:
        return was.fate == Fate::waits ? Change::unblocked : Change::delayed;
      default:
        return Change::newly_waiting;
    }
  }
  if (was.fate == Fate::waits && was.reason != would.reason) return Change::other_reason;
  return std::nullopt;
}

/// Of pods alike: how they fare, and where.
std::string words(const PodFate& fate, const std::set<std::string>& nodes) {
  const auto where = fmt::format("{}", fmt::join(nodes, ", "));
  switch (fate.fate) {
    case Fate::runs:
      return "runs on " + where;
    case Fate::starts:
      return "starts on " + where;
    case Fate::gets_room:
      return fmt::format("starts on {} once others have left", where);
    case Fate::moves:
      return fmt::format("moves to {} ({})", where, fate.why);
    case Fate::evicted:
      return "is evicted: " + fate.why;
    case Fate::waits:
      return fate.why.empty() ? "waits" : "waits: " + fate.why;
  }
  std::unreachable();
}

/// Pods of a job that fare alike by both.
struct Alike {
  std::size_t pods = 0;
  const PodFate* was = nullptr;
  const PodFate* would = nullptr;
  std::set<std::string> old_nodes;
  std::set<std::string> new_nodes;
};

/// By job, by both fates and by what is said of them.
using Groups =
    std::map<std::tuple<std::string, Fate, Fate, Reason, Reason, std::string, std::string>, Alike>;

Groups group(const Fates& was, const Fates& would) {
  Groups groups;
  for (const auto& [uid, now] : would) {
    const auto found = was.find(uid);
    if (found == was.end() || !now.job) continue;
    const auto& old = found->second;
    auto& alike =
        groups[{now.job->name, old.fate, now.fate, old.reason, now.reason, old.why, now.why}];
    ++alike.pods;
    alike.was = &old;
    alike.would = &now;
    alike.old_nodes.insert(old.node);
    alike.new_nodes.insert(now.node);
  }
  return groups;
}

std::optional<Change> change_of(const Alike& alike) {
  const auto runs = [](const PodFate& pod) {
    return pod.fate == Fate::runs || pod.fate == Fate::moves || pod.fate == Fate::evicted;
  };
  if (runs(*alike.would)) return change_of_running(*alike.was, *alike.would);
  if (auto change = change_of_waiting(*alike.was, *alike.would)) return change;
  if (alike.would->fate == Fate::waits || alike.old_nodes == alike.new_nodes) return std::nullopt;
  return Change::elsewhere;
}

using Shares = std::map<std::pair<std::string, std::string>, ShareEffect>;

void add_shares(Shares& shares, const Decided& decided, std::optional<double> ShareEffect::* side) {
  if (!decided.input.policy) return;
  const auto& resources = decided.input.policy->counting.resources();
  for (const auto& queue : decided.plan.queues) {
    for (std::size_t r = 0; r < resources.size(); ++r) {
      auto& share = shares[{queue.queue.get(), resources[r].name}];
      share.queue = queue.queue.get();
      share.resource = resources[r].name;
      share.*side = queue.fair_share[r];
      share.allocated = queue.allocated[r];
      share.requested = queue.requested[r];
    }
  }
}

}  // namespace

std::string_view name(Change change) {
  switch (change) {
    case Change::evicted:
      return "evicted";
    case Change::moved:
      return "moved";
    case Change::newly_waiting:
      return "newly-waiting";
    case Change::delayed:
      return "delayed";
    case Change::admitted:
      return "admitted";
    case Change::unblocked:
      return "unblocked";
    case Change::spared:
      return "spared";
    case Change::elsewhere:
      return "elsewhere";
    case Change::other_reason:
      return "other-reason";
  }
  std::unreachable();
}

PolicyEffect effect_of(const Decided& was, const Decided& would) {
  PolicyEffect effect;
  const auto old_fates = fates_of(was);
  const auto new_fates = fates_of(would);
  for (const auto& [key, alike] : group(old_fates, new_fates)) {
    const auto change = change_of(alike);
    if (!change) continue;
    effect.jobs.push_back({*change, alike.would->job->name, alike.pods, alike.was->job->queue.get(),
                           alike.would->job->queue.get(), words(*alike.was, alike.old_nodes),
                           words(*alike.would, alike.new_nodes)});
  }
  std::ranges::stable_sort(effect.jobs, {}, &JobEffect::change);
  Shares shares;
  add_shares(shares, was, &ShareEffect::was);
  add_shares(shares, would, &ShareEffect::would);
  for (auto& [key, share] : shares) effect.shares.push_back(std::move(share));
  return effect;
}

}  // namespace dray::simulate
