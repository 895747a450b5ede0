#include <array>
#include <memory>
#include <utility>

#include "planner/plan_maker.h"

namespace dray::planner {

struct Planner::State {
  explicit State(const alloc::AllocatorOptions& options) : memory(options) {}
  PlanMemory memory;
};

Planner::Planner(const alloc::AllocatorOptions& options)
    : state_(std::make_unique<State>(options)) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

Plan Planner::plan(const PlanInput& input) {
  return PlanMaker(input, state_->memory).make();
}

std::string_view name(EvictionCause cause) {
  constexpr std::array<std::string_view, 4> names{"Reclaim", "Preemption", "Consolidation",
                                                  "StaleGang"};
  return names[static_cast<std::size_t>(cause)];
}

}  // namespace dray::planner
