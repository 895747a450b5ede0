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

/// Which job comes next over the whole tree of queues: level by level the queue whose turn it is,
/// in the leaf the first of its jobs.
class JobTurns {
 public:
  JobTurns(const policy::QueueTree& queues, const policy::Amounts& total, Time now,
           std::optional<Duration> aging);

  /// Before the first next().
  void add(PlanJob& job) { leaves_[job.queue->get()].jobs.push_back(&job); }
  void start();

  /// The job at the head; null: none left.
  [[nodiscard]] PlanJob* next();
  /// The head is done with; or, with a new chunk, it takes its new place.
  void settle(bool again);
  /// Queues hold something else than when their places were found.
  void reorder();

  /// Whether `a` is served before `b` of the same queue.
  [[nodiscard]] bool before(const PlanJob& a, const PlanJob& b) const {
    return turn_of(a) < turn_of(b);
  }
  /// Jobs of one queue, the one that is served last first.
  void sort_backwards(std::vector<PlanJob*>& jobs) const;

 private:
  struct Node {
    std::vector<policy::QueueIndex> heap;  ///< children with jobs
    std::vector<PlanJob*> jobs;            ///< of a leaf, the first one last
    policy::Amounts next;                  ///< what the first job below needs
    bool any = false;
  };
  /// Smaller ones are served first: promised, priority, below its minimum, age, uid.
  using Turn = std::tuple<bool, std::int64_t, policy::GangPhase, Time, std::uint32_t>;
  [[nodiscard]] Turn turn_of(const PlanJob& job) const;
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
};

/// Who has to give next, in the reverse of that order; a queue's turn counts what was already taken
/// from it. Chunks of a gang come one by one: what is above its minimum pod by pod, then the rest.
class VictimTurns {
 public:
  /// By queue, the jobs that may give, the last served first.
  using Candidates = std::vector<std::vector<PlanJob*>>;
  VictimTurns(const policy::QueueTree& queues, const policy::Amounts& total, const JobTurns& turns,
              const Candidates& candidates, std::vector<char> open);
  ~VictimTurns();
  VictimTurns(const VictimTurns&) = delete;
  VictimTurns& operator=(const VictimTurns&) = delete;

  struct Chunk {
    PlanJob* job = nullptr;
    std::vector<PlanTask*> tasks;
    policy::Amounts counts;
    bool keeps_minimum = false;  ///< the job runs on without them
  };
  /// Nothing: nobody is left.
  [[nodiscard]] std::optional<Chunk> next();
  /// The last chunk is not taken after all, and its job gives no more.
  void spare();
  /// The tasks' states are the caller's from now on.
  void keep_marks() { marked_.clear(); }
  /// Nor does the whole queue.
  void close_queue(policy::QueueIndex leaf) { open_[leaf.get()] = 0; }

 private:
  [[nodiscard]] std::optional<policy::QueueIndex> pick(std::span<const policy::QueueIndex> among);
  [[nodiscard]] std::optional<policy::QueueIndex> leaf_below(policy::QueueIndex queue);
  [[nodiscard]] PlanJob* head(policy::QueueIndex leaf);
  void drop_head(policy::QueueIndex leaf);

  const policy::QueueTree& queues_;
  const policy::Amounts& total_;
  const JobTurns& turns_;
  const Candidates& candidates_;
  std::vector<char> open_;
  std::vector<std::size_t> at_;  ///< by queue: the place of its head
  std::vector<policy::Amounts> taken_;
  /// Jobs that have given a part, the last served at the end.
  std::vector<std::vector<PlanJob*>> again_;
  std::optional<Chunk> last_;
  std::vector<std::pair<PlanJob*, PlanTask*>> marked_;
};

}  // namespace dray::planner
