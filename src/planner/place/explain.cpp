#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/place/fit.h"

// Why a member found no node, in words.

namespace dray::planner {
namespace {

/// Why nodes were refused: the Reason that got furthest is the job's, the counts are for people.
class Refusals {
 public:
  void add(Reason reason) { ++counts_[reason]; }
  void say(Reason reason, const std::string& detail) {
    if (!detail.empty()) details_.try_emplace(reason, detail);
  }
  [[nodiscard]] bool told(Reason reason) const { return details_.contains(reason); }
  [[nodiscard]] Reason furthest() const {
    return counts_.empty() ? Reason::no_node_fits : counts_.rbegin()->first;
  }
  /// `DevicesInUse on 3 nodes (…), NodeTaint on 2 nodes`.
  [[nodiscard]] std::string summary() const {
    std::string text;
    for (auto it = counts_.rbegin(); it != counts_.rend(); ++it) {
      if (!text.empty()) text += ", ";
      text +=
          fmt::format("{} on {} node{}", name(it->first), it->second, it->second == 1 ? "" : "s");
      const auto detail = details_.find(it->first);
      if (detail != details_.end()) text += " (" + detail->second + ")";
    }
    return text;
  }

 private:
  std::map<Reason, std::size_t, ByProgress> counts_;
  std::map<Reason, std::string> details_;
};

}  // namespace

PlanFit::Refusal PlanFit::explain(PlanTask& task, std::span<const cluster::NodeIndex> among) {
  if (exhausted_) return {Reason::planning, "the budget of this plan is used up"};
  Refusals refusals;
  for (const auto node : among) {
    if (refused(task, node)) {
      refusals.add(Reason::node_refused);
      continue;
    }
    if (const auto barred = barred_.find(node); barred != barred_.end()) {
      refusals.add(barred->second);
      refusals.say(barred->second, "devices that were there a moment ago");
      continue;
    }
    const auto seen = verdict(task, node);
    if (seen.soon == Reason::none && seen.now == Reason::none) continue;
    if (seen.soon == Reason::allocation_error) return {seen.soon, error_};
    const auto reason = seen.soon != Reason::none ? seen.soon : seen.now;
    refusals.add(reason);
    if (reason_info(reason).stage != ReasonStage::devices || refusals.told(reason)) continue;
    std::vector<const ResourceClaim*> open;
    for (const auto& claim : task.claims) {
      if (!overlay_.now().allocation(claim->key())) open.push_back(claim.get());
    }
    const auto found = allocator_.allocate(overlay_.now(), node, open);
    if (!found) continue;
    if (const auto* no = std::get_if<alloc::Unsatisfied>(&*found)) refusals.say(reason, no->detail);
  }
  return {refusals.furthest(), refusals.summary()};
}

}  // namespace dray::planner
