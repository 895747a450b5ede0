#include "planner/place/explain.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "planner/place/shortages.h"

namespace dray::planner {
namespace {

/// Why nodes were refused: the Reason that got furthest is the job's, the rest is for people.
class Refusals {
 public:
  void add(Reason reason) { count(reason, text(reason).substr(prefix.size())); }
  /// In other words than the Reason's.
  void count(Reason reason, std::string_view words) {
    auto& known = others_[reason];
    known.words = words;
    ++known.nodes;
    ++reasons_[reason];
  }
  void add(Reason reason, const std::shared_ptr<const alloc::Shortage>& shortage,
           const NodeName& node) {
    shortages_.add(shortage, node);
    ++reasons_[reason];
  }
  [[nodiscard]] Reason furthest() const {
    return reasons_.empty() ? Reason::no_node_fits : reasons_.rbegin()->first;
  }
  /// What devices lack first, then the other nodes: `…; elsewhere: the node is cordoned (2 nodes)`.
  [[nodiscard]] std::string summary() const {
    auto said = shortages_.text();
    std::string rest;
    for (auto it = others_.rbegin(); it != others_.rend(); ++it) {
      const auto& [words, nodes] = it->second;
      rest += fmt::format("{}{} ({} node{})", rest.empty() ? "" : ", ", words, nodes,
                          nodes == 1 ? "" : "s");
    }
    if (said.empty() || rest.empty()) return said + rest;
    return said + "; elsewhere: " + rest;
  }

 private:
  static constexpr std::string_view prefix = "dray: ";
  struct Other {
    std::string_view words;  ///< constant
    std::size_t nodes = 0;
  };

  std::map<Reason, std::size_t, ByProgress> reasons_;
  std::map<Reason, Other, ByProgress> others_;
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
