#include "planner/place/explain.h"

#include <fmt/format.h>

#include <map>
#include <variant>

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

Refusal explain(const NoRoom& failure, Fit& fit, const Overlay& overlay,
                alloc::Allocator& allocator) {
  if (fit.exhausted()) return {Reason::planning, "the budget of this plan is used up"};
  const auto& task = *failure.task;
  Refusals refusals;
  for (const auto node : failure.among) {
    if (fit.refused(task, node)) {
      refusals.add(Reason::node_refused);
      continue;
    }
    if (const auto barred = failure.barred.find(node); barred != failure.barred.end()) {
      refusals.add(barred->second);
      refusals.say(barred->second, "devices that were there a moment ago");
      continue;
    }
    const auto seen = fit.verdict(task, node);
    if (seen.idle == Reason::none) continue;
    if (seen.releasing == Reason::allocation_error) {
      return {seen.releasing, fit.error_on(task, node)};
    }
    const auto reason = seen.releasing != Reason::none ? seen.releasing : seen.idle;
    refusals.add(reason);
    if (reason_info(reason).stage != ReasonStage::devices || refusals.told(reason)) continue;
    const auto found =
        allocator.allocate(overlay.idle(), node, open_claims(overlay.idle(), task.claims));
    if (!found) continue;
    if (const auto* no = std::get_if<alloc::Unsatisfied>(&*found)) refusals.say(reason, no->detail);
  }
  return {refusals.furthest(), refusals.summary()};
}

}  // namespace dray::planner
