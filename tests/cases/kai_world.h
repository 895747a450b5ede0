#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dray/planner/plan.h"
#include "tests/cases/kai_objects.h"
#include "tests/cases/runner.h"

namespace dray::cases {

/// A recorded scheduling case of KAI, played by dray's planner. Between rounds it does what KAI's
/// test harness does.
class KaiWorld {
 public:
  explicit KaiWorld(const Json& json);

  /// What a round's plan works on.
  [[nodiscard]] planner::PlanInput input(const planner::Actions& actions);
  void apply(const planner::Plan& plan);
  /// Those who leave are gone and wait again (but those that are deleted: they are seen leaving to
  /// the end), those who start run.
  void settle(Duration pause);

  [[nodiscard]] const KaiObjects& objects() const { return objects_; }
  /// Who was evicted for whom.
  [[nodiscard]] const std::string& log() const { return log_; }
  /// Why the last plan let the job wait.
  [[nodiscard]] std::string reason_of(const std::string& job) const;

  struct Counts {
    std::size_t binds = 0;
    std::size_t evictions = 0;
    std::size_t pipelines = 0;
  };
  Counts counts;  ///< of the calls since they were last reset

 private:
  void put(const Placement& placement, const char* status);
  void bind(const Placement& placement);
  void release(KaiTask& task);
  [[nodiscard]] bool is_deleted(const KaiTask& task) const;

  const Json& json_;
  Time now_;
  KaiTraits traits_;
  KaiObjects objects_;
  std::shared_ptr<const policy::Policy> policy_;
  std::map<std::string, Time> stale_;
  std::vector<planner::Hold> holds_;
  std::map<std::string, std::string> reasons_;
  std::string log_;
};

}  // namespace dray::cases
