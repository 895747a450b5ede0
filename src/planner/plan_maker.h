#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/evict/victim_search.h"

namespace dray::planner {

/// What is remembered from plan to plan.
struct PlanMemory {
  explicit PlanMemory(const alloc::AllocatorOptions& options)
      : allocator(options), alignment(options.alignment), shares(options.shares) {}
  /// The allocator follows the policy; what that leaves open is as it was at first.
  void follow(const policy::PolicyConfig& config);

  alloc::Allocator allocator;
  std::vector<alloc::AlignmentLevel> alignment;
  alloc::SharePlacement shares;
  policy::Policy open = policy::Policy::open();
  PlanJobs jobs;
  PlanNodes nodes;
  NodeVerdicts verdicts;
  const policy::Policy* verdicts_of = nullptr;
  std::shared_ptr<const void> origin;
  std::uint64_t class_epoch = 0;
};

/// Makes what a plan starts from: counted queues with their fair shares, measured nodes.
struct PlanStart {
  policy::QueueTree queues;
  policy::Amounts total;
};
[[nodiscard]] PlanStart start_plan(const PlanInput& input, const policy::Policy& policy,
                                   PlanMemory& memory);

/// Makes one plan. Steps in the order in which they are written; what one decides, the next builds
/// on.
class PlanMaker {
 public:
  PlanMaker(const PlanInput& input, PlanMemory& memory);
  Plan make();

 private:
  // ---- plan_maker.cpp
  void report_queues();
  void let_leave();
  void let_claims_go();
  [[nodiscard]] bool ready(PlanJob& job);
  JobOutcome& outcome(PlanJob& job);
  void wait(PlanJob& job, Reason reason, std::string detail);
  void take(PlanJob& job, const std::vector<Placed>& placed, bool held);
  void decide(const PlanJob& job);
  void say_again(Time time);

  // ---- plan_serve.cpp
  void keep_holds();
  void serve();
  [[nodiscard]] bool serve_chunk(PlanJob& job);
  void explain(PlanJob& job, std::span<const std::uint32_t> chunk);
  void keep_room(PlanJob& job, std::span<const std::uint32_t> chunk);

  // ---- plan_evict.cpp
  void take_back(Way way);
  [[nodiscard]] bool may_take(const PlanJob& job, Way way);
  [[nodiscard]] bool somebody_owed() const;
  [[nodiscard]] bool try_take(PlanJob& job, Way way, const JobTurns& turns);
  [[nodiscard]] std::string signature(const PlanJob& job, std::span<const std::uint32_t> chunk,
                                      Way way) const;
  [[nodiscard]] bool withdraw(const PlanJob& taker, const TakeBack::Solution& solution);
  void end_stale_gangs();

  const PlanInput& input_;
  const policy::Policy& policy_;
  PlanJobs& jobs_;
  Plan plan_;
  PlanStart start_;
  policy::QueueTree& queues_ = start_.queues;
  policy::Amounts& total_ = start_.total;
  policy::QueueTree decided_;
  PlanOverlay overlay_;
  PlanFit fit_;
  PlanDomains domains_;
  PlanPlace place_;
  PlanRun run_;
  TakeBack take_back_;
  NodeSet open_nodes_;  ///< where jobs may go: not those that are kept for one that waits long
  const PlanJob* kept_for_ = nullptr;
  std::map<const PlanJob*, std::size_t> outcomes_;
  std::vector<PlanJob*> waiting_;
  std::map<std::string, std::size_t> failed_;  ///< signature -> how many sets had been evicted
  std::size_t sets_evicted_ = 0;
  bool somebody_owed_ = false;  ///< nothing is moved for jobs above their share
};

}  // namespace dray::planner
