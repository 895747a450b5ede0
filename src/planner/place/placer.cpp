#include "planner/place/placer.h"

namespace dray::planner {
namespace {

/// Each is as long as the nodes that were asked.
constexpr std::size_t most_said = 64;

}  // namespace

Placer::Placer(const PlanContext& context, JobTable& jobs, Overlay& overlay,
               alloc::Allocator& allocator, NodeVerdicts& verdicts, NodeRankings& rankings)
    : overlay_(overlay),
      devices_(overlay.snapshot(), allocator),
      fit_(context.input, overlay, devices_, verdicts),
      choice_(context.input, context.policy, overlay, fit_, rankings),
      domains_(context.policy, fit_, overlay),
      gangs_(jobs, fit_, devices_, choice_, domains_, overlay) {}

Refusal Placer::why_not(const NoRoom& failure) {
  const auto& shape = *failure.task->shape;
  if (shape.singular || !failure.barred.empty() || fit_.refuses_some() || fit_.exhausted()) {
    return explain(failure, fit_, overlay_);
  }
  const auto changes = overlay_.nodes().changes();
  if (said_at_ != changes || said_.size() >= most_said) said_.clear();
  said_at_ = changes;
  const auto known = said_.find(shape.number);
  if (known != said_.end() && known->second.among == failure.among) return known->second.refusal;
  auto refusal = explain(failure, fit_, overlay_);
  // That text names the pod's own claim.
  if (refusal.reason != Reason::allocation_error) {
    said_.insert_or_assign(shape.number, Said{failure.among, refusal});
  }
  return refusal;
}

}  // namespace dray::planner
