#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "planner/evict/claim_sharers.h"
#include "planner/evict/victim_order.h"
#include "planner/state/context.h"
#include "planner/state/job_order.h"

namespace dray::planner {

/// The jobs that may be victims at all, whoever asks: they have a place, are preemptible, and were
/// no victims before this plan lately.
class VictimCandidates {
 public:
  VictimCandidates(const PlanContext& context, const JobTable& jobs)
      : context_(context), jobs_(jobs), again_at_(context.input.now) {}

  /// By queue, those that are served last first.
  [[nodiscard]] const VictimOrder::Candidates& by_queue(const JobOrder& order);
  /// Lineages for which the job was evicted not long ago, and those for which these were: it must
  /// not reclaim back from them.
  [[nodiscard]] std::set<std::string_view> protected_beneficiaries(const PlanJob& job);

  /// Who shares claims; good as long as this is.
  [[nodiscard]] const ClaimSharers& sharers();

  /// Jobs hold something else than before: they are collected anew, in their order of now.
  void changed() { collected_ = false; }

  /// When a protection ends that kept somebody from being a victim.
  [[nodiscard]] std::optional<Time> again_at() const { return again_at_.get(); }

 private:
  void collect(const JobOrder& order);
  [[nodiscard]] bool may_be_victim(const PlanJob& job);
  void index_lineages();

  const PlanContext& context_;
  const JobTable& jobs_;
  bool collected_ = false;
  VictimOrder::Candidates candidates_;
  bool indexed_ = false;
  /// Jobs that were so lately, by lineage: those of one workload may be several.
  std::map<std::string_view, std::vector<const PlanJob*>> evicted_;
  std::optional<ClaimSharers> sharers_;
  Earliest again_at_;
};

}  // namespace dray::planner
