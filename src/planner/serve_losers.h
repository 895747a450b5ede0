#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/place/decisions.h"
#include "planner/place/placer.h"
#include "planner/state/context.h"
#include "planner/state/job_order.h"

namespace dray::planner {

/// Jobs that lost to a higher priority what this plan itself had just given them are served once
/// more, before those of their queue that come after them and have only just got theirs: nothing of
/// it has started, so the order of the queue holds. They get idle room; nobody is evicted for them.
class ServeLosers {
 public:
  ServeLosers(const PlanContext& context, const JobTable& jobs, Overlay& overlay, Placer& placer,
              Decisions& decisions);

  void run(std::vector<PlanJob*> losers);

 private:
  void serve(PlanJob& job);
  [[nodiscard]] std::vector<PlanJob*> just_served_after(const PlanJob& job) const;
  [[nodiscard]] std::optional<std::vector<Placed>> place(PlanJob& job,
                                                         std::span<const std::uint32_t> chunk);
  void take_back(PlanJob& job);
  void serve_anew(PlanJob& job, const PlanJob& taker);

  const JobTable& jobs_;
  Overlay& overlay_;
  Placer& placer_;
  Decisions& decisions_;
  JobOrder order_;
};

}  // namespace dray::planner
