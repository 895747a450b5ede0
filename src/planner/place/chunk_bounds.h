#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dray/policy/capacity.h"
#include "planner/state/jobs.h"
#include "planner/state/overlay.h"

namespace dray::planner {

/// What the members of a chunk may take of their queue together: what that and the queues above it
/// may still get, and what the caller allows. Of each member that has no place yet, the least that
/// it takes is set aside. Nothing is asked where every member takes what it asks for: the chunk was
/// judged by that before.
class ChunkBounds {
 public:
  /// `most`: what the chunk may take at most, whatever its queue may get; null: no matter.
  /// `thrifty`: each member is to take as little as it can, so that others can as well.
  ChunkBounds(const Overlay& overlay, const PlanJob& job, std::span<const Task* const> chunk,
              const policy::Amounts* most, bool thrifty = false);

  /// Whether anything is asked.
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool thrifty() const { return thrifty_; }
  /// Why members, of which all together ask for `least` at least, may not take `takes`; nothing:
  /// they may.
  [[nodiscard]] std::optional<policy::CapacityRefusal> refuse(const policy::Amounts& takes,
                                                              const policy::Amounts& least) const;
  /// How much such members may take.
  [[nodiscard]] policy::Amounts left(const policy::Amounts& least) const;
  /// Members that ask for `least` have got `takes`; the overlay has them.
  void place(const policy::Amounts& takes, const policy::Amounts& least);
  /// The member takes so much where it is about to be placed.
  void place(const Task& task, const PodDemand& takes);

  /// What is placed and what is set aside, to go back to.
  struct Mark {
    policy::Amounts placed, unplaced;
  };
  [[nodiscard]] const Mark& mark() const { return now_; }
  void undo(const Mark& mark) { now_ = mark; }

 private:
  const Overlay& overlay_;
  const PlanJob& job_;
  const policy::Amounts* most_;
  bool thrifty_;
  bool any_ = false;
  Mark now_;
};

}  // namespace dray::planner
