#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/model/disruption.h"
#include "dray/model/object.h"
#include "dray/planner/plan.h"

namespace dray::engine {

/// Which pods may be evicted, as PodDisruptionBudgets and the API server's answers say.
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

 private:
  struct Entry {
    PodDisruptionBudget object;
    std::set<Uid> pods;
  };
  [[nodiscard]] static bool covers(const PodDisruptionBudget& budget, const std::string& space,
                                   const Labels& labels);

  std::map<std::pair<std::string, std::string>, Entry> budgets_;
  struct Known {
    std::string namespace_name;
    Labels labels;
  };
  std::map<Uid, Known> pods_;
  std::map<Uid, Time> refused_;
};

}  // namespace dray::engine
