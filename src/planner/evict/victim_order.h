#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "planner/state/job_order.h"

namespace dray::planner {

/// Who is the next victim, in the reverse of the jobs' order; a queue's turn counts what was
/// already taken from it. Chunks of a gang come one by one: what is above its minimum pod by pod,
/// then the rest. Tasks of chunks that are out are marked as yielding; they are placed again when
/// this ends, unless keep_marks() was called.
class VictimOrder {
 public:
  /// By queue, the jobs that may give, the last served first.
  using Candidates = std::vector<std::vector<PlanJob*>>;
  /// Whether a pod keeps its place, whoever wants it. Of a surplus another pod of its set goes
  /// then, unless that left a part of a minimum running.
  using Keeps = std::function<bool(const Task&)>;
  VictimOrder(const policy::QueueTree& queues, const policy::Amounts& total, const JobOrder& order,
              const Candidates& candidates, std::vector<char> open, Keeps keeps);
  ~VictimOrder();
  VictimOrder(const VictimOrder&) = delete;
  VictimOrder& operator=(const VictimOrder&) = delete;

  struct Chunk {
    PlanJob* job = nullptr;
    std::vector<Task*> tasks;
    policy::Amounts counts;
    bool keeps_minimum = false;  ///< the job runs on without them
    bool only_moves = false;     ///< its queue owes nothing more: it goes on elsewhere or stays
    /// It goes if and only if the chunk before it does: they share claims, or it is what would be
    /// left of a gang that does.
    bool goes_with_last = false;

    /// Whether some of the devices that its queue has count for it.
    [[nodiscard]] bool holds_devices() const;
  };
  /// Nothing: nobody is left.
  [[nodiscard]] std::optional<Chunk> next();
  /// These tasks of a job go with the last chunk.
  [[nodiscard]] Chunk add_to_last(PlanJob& job, const std::vector<Task*>& tasks);
  /// The last chunk is not taken after all, nor is what goes with it; and its job gives no more.
  void spare();
  /// The tasks' states are the caller's from now on.
  void keep_marks() { marked_.clear(); }
  /// Nor does the whole queue.
  void close_queue(policy::QueueIndex leaf) {
    open_[leaf.get()] = 0;
    standings_.changed.push_back(leaf);
  }
  /// How often two queues were compared so far: all of them once, then for each victim some of
  /// those on its way to the top.
  [[nodiscard]] std::size_t compared() const { return standings_.compared; }

 private:
  /// What of a job goes next.
  struct Next {
    std::vector<std::uint32_t> tasks;
    bool runs_on = true;  ///< something of it does that is not merely promised
  };
  [[nodiscard]] Next next_of(const PlanJob& job) const;
  /// Who of a queue and of those below it gives next.
  struct Seat {
    std::optional<policy::QueueIndex> leaf;  ///< nothing: nobody
    policy::Amounts taken;                   ///< of the leaf, with its next chunk
  };
  /// A tournament among queues that have one parent: a tree, flat, whose root is at 1.
  struct Contest {
    std::vector<policy::QueueIndex> queues;
    std::vector<std::optional<policy::QueueIndex>> winners;
  };
  void open_contest(Contest& contest, std::span<const policy::QueueIndex> queues);
  void play(Contest& contest, std::size_t at);
  void sit(policy::QueueIndex queue);
  void update(policy::QueueIndex leaf);
  [[nodiscard]] std::optional<policy::QueueIndex> last_served();
  void take(Chunk& chunk, const std::vector<Task*>& tasks);
  [[nodiscard]] PlanJob* head(policy::QueueIndex leaf);
  void drop_head(policy::QueueIndex leaf);

  const policy::QueueTree& queues_;
  const policy::Amounts& total_;
  const JobOrder& order_;
  const Candidates& candidates_;
  std::vector<char> open_;
  Keeps keeps_;
  std::vector<std::size_t> at_;  ///< by queue: the place of its head
  std::vector<policy::Amounts> taken_;
  struct Standings {
    std::vector<Seat> seats;                  ///< by queue
    std::vector<Contest> contests;            ///< by queue, of those below; at the end of the tops
    std::vector<std::size_t> places;          ///< by queue, in its contest
    std::vector<policy::QueueIndex> changed;  ///< leaves whose seats are not up to date
    std::size_t compared = 0;
  };
  Standings standings_;
  /// Jobs that have given a part, the last served at the end.
  std::vector<std::vector<PlanJob*>> again_;
  std::vector<Chunk> last_;  ///< with all that goes with it
  std::vector<std::pair<PlanJob*, Task*>> marked_;
};

}  // namespace dray::planner
