#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "dray/policy/queue_order.h"
#include "dray/policy/queue_tree.h"
#include "planner/state/jobs.h"

namespace dray::planner {

/// Which job comes next over the whole tree of queues: level by level the queue whose turn it is
/// (policy::compare_turns), in the leaf the first of its jobs: one that was lifted before a
/// restart, then by aged priority, by how far it is below its minimum, by age, by uid (KAI's
/// plugins priority and elastic). Victims come in the reverse order.
class JobOrder {
 public:
  /// The order of `jobs`, each of which has a queue and a next chunk.
  JobOrder(const policy::QueueTree& queues, const policy::Amounts& total, Time now,
           std::optional<Duration> aging, std::span<PlanJob* const> jobs);

  /// The job at the head; null: none left.
  [[nodiscard]] PlanJob* next();
  /// The head is done with; or, with a new chunk, it takes its new place.
  void settle(bool again);
  /// Queues hold something else than when their places were found.
  void reorder();

  /// Whether `a` is served before `b` of the same queue.
  [[nodiscard]] bool before(const PlanJob& a, const PlanJob& b) const {
    return rank_of(a) < rank_of(b);
  }
  /// The same if neither had a place, whatever each has.
  [[nodiscard]] bool before_without_places(const PlanJob& a, const PlanJob& b) const {
    return rank_in(policy::GangPhase{}, a) < rank_in(policy::GangPhase{}, b);
  }
  /// Jobs of any queues, the older queue's first (as compare_turns ends; names decide nothing), in
  /// a queue as above.
  [[nodiscard]] bool before_by_queue(const PlanJob& a, const PlanJob& b) const;
  /// Jobs of one queue, the one that is served last first.
  void sort_backwards(std::vector<PlanJob*>& jobs) const;

 private:
  struct Node {
    std::vector<policy::QueueIndex> heap;  ///< children with jobs
    std::vector<PlanJob*> jobs;            ///< of a leaf, the first one last
    policy::Amounts next;                  ///< what the first job below needs
    bool any = false;
  };
  /// Smaller ones are served first.
  using Rank = std::tuple<bool, std::int64_t, policy::GangPhase, Time, std::uint64_t>;
  [[nodiscard]] Rank rank_of(const PlanJob& job) const { return rank_in(job.phase(), job); }
  [[nodiscard]] Rank rank_in(policy::GangPhase phase, const PlanJob& job) const;
  void build(policy::QueueIndex queue);
  void make_heap(std::vector<policy::QueueIndex>& heap);
  void refresh(policy::QueueIndex queue);
  [[nodiscard]] bool later(policy::QueueIndex a, policy::QueueIndex b) const;

  const policy::QueueTree& queues_;
  const policy::Amounts& total_;
  Time now_;
  std::optional<Duration> aging_;
  std::vector<Node> leaves_;  ///< by queue, inner ones too
  std::vector<policy::QueueIndex> tops_;
  std::vector<std::vector<policy::QueueIndex>*> above_;  ///< settle() works in it
};

}  // namespace dray::planner
