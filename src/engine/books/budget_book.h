#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/model/disruption.h"
#include "dray/model/object.h"
#include "dray/planner/plan.h"

namespace dray::engine {

/// Which pods may be evicted, as PodDisruptionBudgets and the API server's answers say. A budget is
/// compared only with pods of its namespace that have a label it asks for, and only when its
/// selector or their labels change.
class BudgetBook {
 public:
  bool observe(const KubeObject& object);
  bool forget(Kind kind, const std::string& namespace_name, const std::string& name);

  void put(const Pod& pod);
  void erase(const Uid& pod);

  /// The API server refused to evict the pod: not asked again before `until`.
  void refused(const Uid& pod, Time until);

  /// Every budget that has pods; those refused are one more, which allows nothing.
  [[nodiscard]] std::vector<planner::DisruptionBudget> budgets(Time now);
  /// When a refusal ends.
  [[nodiscard]] std::optional<Time> next_change() const;

  /// How often a selector was held against a pod's labels so far.
  [[nodiscard]] std::size_t compared() const { return compared_; }

 private:
  /// A label that a selector asks for, with one value or any.
  using Anchor = std::pair<std::string, std::optional<std::string>>;
  struct Entry {
    PodDisruptionBudget object;
    std::vector<Anchor>
        anchors;  ///< a pod that it covers has one of them; none: any pod may be one
    std::set<Uid> pods;
    std::optional<planner::SharedUids> listed;  ///< of `pods`; nothing: not since they changed
  };
  struct Known {
    std::string namespace_name;
    Labels labels;
    std::set<std::string> budgets;  ///< that cover it
  };
  struct Space {
    std::map<std::string, Entry> budgets;
    std::map<Anchor, std::set<std::string>> asking;  ///< budgets, by their anchors
    std::set<std::string> unanchored;                ///< budgets without
    std::map<Anchor, std::set<Uid>> labelled;        ///< pods
    std::set<Uid> pods;

    [[nodiscard]] bool empty() const { return budgets.empty() && pods.empty(); }
  };

  [[nodiscard]] std::vector<Anchor> anchors_of(const Space& space,
                                               const LabelSelector& selector) const;
  [[nodiscard]] static std::vector<Anchor> anchors_of(const Labels& labels);
  void cover(Space& space, const std::string& name, Entry& entry);
  void uncover(Space& space, const std::string& name, Entry& entry);
  void compare(Entry& entry, const std::string& name, const Uid& uid, Known& pod);
  void leave(Space& space, const Uid& uid, Known& pod);

  std::map<std::string, Space> spaces_;
  std::map<Uid, Known> pods_;
  std::map<Uid, Time> refused_;
  std::size_t compared_ = 0;
};

}  // namespace dray::engine
