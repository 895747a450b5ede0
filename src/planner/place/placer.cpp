#include "planner/place/placer.h"

namespace dray::planner {

Placer::Placer(const PlanContext& context, Overlay& overlay, alloc::Allocator& allocator,
               NodeVerdicts& verdicts)
    : overlay_(overlay),
      devices_(overlay.snapshot(), allocator),
      fit_(context.input, overlay, devices_, verdicts),
      choice_(context.input, context.policy, overlay, fit_),
      domains_(context.policy, fit_, overlay),
      gangs_(fit_, devices_, choice_, domains_, overlay) {}

Refusal Placer::why_not(const NoRoom& failure) {
  return explain(failure, fit_, overlay_);
}

}  // namespace dray::planner
