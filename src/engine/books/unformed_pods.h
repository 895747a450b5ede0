#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/ids.h"
#include "dray/planner/pod_claims.h"
#include "engine/books/job_key.h"

namespace dray::engine {

/// Waiting pods that are in no job, and why: their group's object is not there, or their queue. All
/// reads cost as many pods as they give.
class UnformedPods {
 public:
  using Lacks = std::pair<Uid, planner::NotReady>;

  /// The pods of `key`, all of them, are in no job. Costs as many only where none of them was here.
  void put(const JobKey& key, const std::set<Uid>& pods, const planner::NotReady& why);
  /// One more of `key`, where that is in no job.
  void add(const JobKey& key, const Uid& pod);
  /// Those of `key` are in a job, or none is left.
  void erase(const JobKey& key);
  /// The pod is gone, or of another key by now.
  void erase(const Uid& pod);

  [[nodiscard]] std::size_t size() const { return by_pod_.size(); }
  [[nodiscard]] bool empty() const { return by_pod_.empty(); }
  /// Null: the pod is in a job, or not known.
  [[nodiscard]] const planner::NotReady* find(const Uid& pod) const;
  /// The next in the order of uids, `at_most` of them; absent: from the first on.
  [[nodiscard]] std::vector<Lacks> after(const std::optional<Uid>& last, std::size_t at_most) const;

  /// All of them are to be told why, in the order of their keys; while that is under way it is gone
  /// through once more after it.
  void begin_telling(Time now);
  void end_telling();
  /// The next that are to be told, `at_most` of them; next_tick(): more are.
  [[nodiscard]] std::vector<Lacks> take_told(std::size_t at_most);
  [[nodiscard]] std::optional<Time> next_tick() const { return telling_since_; }

 private:
  struct Group {
    std::set<Uid> pods;
    planner::NotReady why;
  };
  std::map<JobKey, Group> groups_;
  std::map<Uid, const JobKey*> by_pod_;  ///< the key of its group
  std::optional<Time> telling_since_;
  bool once_more_ = false;
  std::pair<JobKey, Uid> told_;  ///< the last that was taken
};

}  // namespace dray::engine
