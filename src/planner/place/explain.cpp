#include "planner/place/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "planner/place/shortages.h"

namespace dray::planner {
namespace {

/// Why nodes were refused: the Reason that got furthest is the job's, the rest is for people.
class Refusals {
 public:
  void add(Reason reason) { count(reason, plain_text(reason)); }
  /// In other words than the Reason's.
  void count(Reason reason, std::string_view words) {
    auto& known = entry(reason);
    known.words = words;
    ++known.others;
  }
  void add(Reason reason, const std::shared_ptr<const alloc::Shortage>& shortage,
           const NodeName& node) {
    shortages_.add(shortage, node);
    (void)entry(reason);
  }
  [[nodiscard]] Reason furthest() const {
    const auto at = std::ranges::max_element(entries_, ByProgress(), &Entry::reason);
    return at == entries_.end() ? Reason::no_node_fits : at->reason;
  }
  /// What devices lack first, then the other nodes: `…; elsewhere: the node is cordoned (2 nodes)`.
  [[nodiscard]] std::string summary() {
    std::ranges::sort(
        entries_, [](const Entry& a, const Entry& b) { return ByProgress()(b.reason, a.reason); });
    auto said = shortages_.text();
    std::string rest;
    for (const auto& [reason, words, others] : entries_) {
      if (others == 0) continue;
      rest += fmt::format("{}{} ({} node{})", rest.empty() ? "" : ", ", words, others,
                          others == 1 ? "" : "s");
    }
    if (said.empty() || rest.empty()) return said + rest;
    return said + "; elsewhere: " + rest;
  }

 private:
  struct Entry {
    Reason reason = Reason::none;
    std::string_view words = {};  ///< constant
    std::size_t others = 0;       ///< nodes without a shortage of devices
  };

  /// Nodes beside each other mostly say the same.
  Entry& entry(Reason reason) {
    if (last_ < entries_.size() && entries_[last_].reason == reason) return entries_[last_];
    const auto at = std::ranges::find(entries_, reason, &Entry::reason);
    last_ = static_cast<std::size_t>(at - entries_.begin());
    if (at == entries_.end()) entries_.push_back({.reason = reason});
    return entries_[last_];
  }

  std::vector<Entry> entries_;
  std::size_t last_ = 0;
  Shortages shortages_;
};

}  // namespace

Refusal explain(const NoRoom& failure, Fit& fit, const Overlay& overlay) {
  if (fit.exhausted()) return {Reason::planning, "the budget of this plan is used up"};
  const auto& task = *failure.task;
  Refusals refusals;
  for (const auto node : failure.among) {
    if (fit.refused(task, node)) {
      refusals.add(Reason::node_refused);
      continue;
    }
    if (const auto barred = failure.barred.find(node); barred != failure.barred.end()) {
      refusals.count(barred->second, "devices that were there went to others of the job");
      continue;
    }
    const auto& seen = fit.verdict(task, node);
    if (seen.idle == Reason::none) continue;
    if (seen.releasing == Reason::allocation_error) {
      return {seen.releasing, fit.error_on(task, node)};
    }
    const auto reason = seen.releasing != Reason::none ? seen.releasing : seen.idle;
    if (seen.shortage) {
      refusals.add(reason, seen.shortage, overlay.snapshot().name(node));
    } else {
      refusals.add(reason);
    }
  }
  return {refusals.furthest(), refusals.summary()};
}

}  // namespace dray::planner
