#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/planner/job.h"

namespace dray::engine {

/// Jobs as they were last made, by uid and by the names that people know them by.
class JobIndex {
 public:
  using JobPtr = std::shared_ptr<const planner::Job>;

  /// In place of the one of that uid, if there is one.
  void put(JobPtr job);
  /// Nothing where another is in its place by now.
  void erase(const JobPtr& job);

  /// Null: there is none.
  [[nodiscard]] JobPtr find(const Uid& job) const;
  /// Jobs of that `namespace/name`, and those whose first pod an owner of that name made, in the
  /// order of their uids. A pod by itself is not found by its own name.
  [[nodiscard]] std::vector<JobPtr> named(const std::string& name) const;

 private:
  std::map<Uid, JobPtr> by_uid_;
  std::set<std::pair<std::string, Uid>> by_name_;
};

}  // namespace dray::engine
