#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/evict/given_back.h"
#include "planner/evict/scenario.h"
#include "planner/place/placer.h"
#include "planner/state/context.h"

namespace dray::planner {

/// What becomes of victims once the job has its place: they stay after all (kube-scheduler's
/// reprieve), or go on elsewhere.
class Reprieve {
 public:
  Reprieve(const PlanContext& context, JobTable& jobs, Overlay& overlay, Placer& placer)
      : context_(context),
        jobs_(jobs),
        overlay_(overlay),
        placer_(placer),
        given_back_(*context.input.snapshot, overlay) {}

  /// Which victims are the first to stay or move.
  enum class First : std::uint8_t { served_first, only_moved };
  /// Victims of `job` that can stay do, the first served first; the others move where there is
  /// room, before somebody of a lower priority in their queue stays there. So that one can stay,
  /// the job's pods may take other devices of their node.
  void spare(PlanJob& job, Solution& solution, First first = First::served_first);
  /// All of a job's victims stay where they are if that is free by now; whether they do.
  [[nodiscard]] bool stay(PlanJob& of, std::span<Task* const> tasks);
  /// Victims move where there is room; none stays.
  void move(Solution& solution);

 private:
  /// What was placed, before anything of it is changed.
  using PlacedBefore = std::optional<std::vector<Placed>>;

  [[nodiscard]] bool spare_unit(std::span<Victims> unit);
  [[nodiscard]] bool spare_chunk(PlanJob& job, Solution& solution, Victims& chunk);
  void move_job(PlanJob& job, Solution& solution);
  [[nodiscard]] bool stays(PlanJob& job, std::vector<Placed>& placed, PlanJob& of, Task& task,
                           PlacedBefore& before);
  [[nodiscard]] bool take_others(PlanJob& job, std::span<Placed* const> placed, PlanJob& of,
                                 Task& task, const Placement& keeps);

  const PlanContext& context_;
  JobTable& jobs_;
  Overlay& overlay_;
  Placer& placer_;
  GivenBack given_back_;
};

}  // namespace dray::planner
