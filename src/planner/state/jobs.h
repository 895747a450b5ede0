#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/planner/plan.h"
#include "dray/planner/pod_claims.h"
#include "planner/state/demand.h"
#include "planner/state/leaf_sums.h"
#include "planner/state/shape.h"
#include "planner/state/tolerations.h"

namespace dray::planner {

/// A member of a job, as a plan sees it.
struct Task {
  const Member* member = nullptr;
  policy::TaskState state = policy::TaskState::other;
  std::optional<cluster::NodeIndex> node;
  /// What it takes where it is; while it waits, what it asks for. Null: not known (NotReady).
  Kept<PodDemand>::Value demand;
  Kept<PodDemand>::Value asked;  ///< of one that waits as the plan begins: what it asks for
  Kept<Shape>::Value shape;      ///< of waiting ones, and of those that a plan evicts
  PodClaims claims;
  std::optional<NotReady> not_ready;
  policy::GangTask* slot = nullptr;  ///< in the job's gang, where that is kept
  bool with_sharers = false;         ///< all who share its claims go with it, or it does not go
  bool moved = false;  ///< the plan evicts it, and its place now is another one that it got since

  [[nodiscard]] const Pod& pod() const { return *member->pod; }
  /// It waits, but for what this plan gives it.
  [[nodiscard]] bool just_placed() const { return member->state == MemberState::waiting; }
  /// It has its place by this plan only: nobody has to be evicted for another to get it.
  [[nodiscard]] bool placed_by_plan() const { return just_placed() || moved; }
  /// What another place of it would be judged by.
  [[nodiscard]] const PodDemand& wanted() const {
    return shape != nullptr ? shape->demand : *demand;
  }
  /// Whether every place takes the same of its queue.
  [[nodiscard]] bool takes_what_it_asks() const { return wanted().exact; }
  /// The least that its queue has more with it placed, wherever that is.
  [[nodiscard]] policy::Amounts least_on_top() const;
  /// The most that it may have more.
  [[nodiscard]] policy::Amounts most_on_top() const;
  /// What its queue has more with it placed: what it left there when it was evicted is there still.
  [[nodiscard]] policy::Amounts comes_on_top() const {
    return state == policy::TaskState::yielding ? freed() : demand->counts;
  }
  /// What its queue has less when it goes.
  [[nodiscard]] policy::Amounts freed() const {
    return with_sharers ? demand->counts : demand->freed();
  }
  /// It is a victim that has its room until it is gone: where it goes on, it cannot be before.
  [[nodiscard]] bool has_to_leave() const {
    return state == policy::TaskState::yielding && !just_placed();
  }
};

/// A job, as a plan sees it. What the plan changes, it changes back.
struct PlanJob {
  std::shared_ptr<const Job> job;
  std::optional<policy::QueueIndex> queue;
  std::vector<Task> tasks;
  std::optional<policy::SubGroup> gang;  ///< absent: a single pod
  policy::Amounts held;                  ///< of placed tasks
  policy::Amounts leaving;               ///< of those that still have their room
  Tolerations::OfJob tolerations;        ///< as counted by the table
  std::uint64_t order = 0;  ///< the job of the smaller uid has the smaller number, from 1
  std::uint32_t slot = 0;   ///< no other job of the plan has it; all are small numbers
  std::size_t placed = 0;
  std::size_t waiting = 0;
  bool shares_claims = false;  ///< of tasks that have their room
  enum class Aside : std::uint8_t { unknown, no, yes };
  Aside aside = Aside::unknown;                     ///< whether it is (JobTable::set_aside)
  std::vector<policy::GangTask*> passed_over = {};  ///< waiting ones that chunks do without
  /// Where the claims of waiting tasks are kept (Snapshot::claim_part), if these tasks have all
  /// that a plan reads of them: as long as nothing changes there, they are what they were.
  std::optional<std::vector<std::uint16_t>> settled;

  void set_state(Task& task, policy::TaskState state);
  /// Shapes of tasks that the last plan evicted, or thought of evicting, end with it.
  void forget_victims();
  [[nodiscard]] policy::GangPhase phase() const;
  [[nodiscard]] bool has_minimum() const;
  /// Whether it has its minimum once the chunk, which waits, is placed.
  [[nodiscard]] bool reaches_minimum(std::span<const std::uint32_t> chunk);
  /// The next chunks do without waiting tasks of the pod set that the task is in, until
  /// pass_over_none() is called. Whether there is another chunk that starts without them.
  [[nodiscard]] bool pass_over(const Task& task);
  void pass_over_none();
  /// Places in `tasks` of the next chunk; empty: nothing that could be placed.
  [[nodiscard]] std::vector<std::uint32_t> next_chunk(bool simulated = false) const;
  /// Whether there is such a chunk, and what it takes of the queues' resources.
  [[nodiscard]] bool has_next() const;
  [[nodiscard]] policy::Amounts next_counts(std::size_t resources) const;
  /// Places in `tasks` of those that go next, were the job a victim.
  [[nodiscard]] policy::Eviction next_victims() const;
  /// The least that these tasks take of the queues' resources, wherever they go.
  [[nodiscard]] policy::Amounts least_of(std::span<const std::uint32_t> chunk,
                                         std::size_t resources) const;
  /// What these tasks take of the queues' resources: those that wait, what they ask for.
  [[nodiscard]] policy::Amounts counts_of(std::span<const std::uint32_t> chunk,
                                          std::size_t resources) const;
};

/// All jobs, kept from plan to plan: a chunk of the list that did not change costs a comparison of
/// pointers, and so does a job of one that did.
class JobTable {
 public:
  /// Reads the jobs of a plan's input; before it, and after a change of rules, there are none.
  void update(const PlanInput& input, const policy::Policy& policy);
  /// Reads `most` jobs more than before, where the input has many more. False: it has not, and
  /// the next update may as well read them.
  [[nodiscard]] bool read_ahead(const PlanInput& input, const policy::Policy& policy,
                                std::size_t most);

  /// Estimates of what waiting jobs take go by these, which outlive the table.
  void estimate_by(const DeviceOffers& offers, const alloc::Features& features) {
    demands_.estimate_by(offers, features);
  }
  [[nodiscard]] const policy::Counting& counting() const { return demands_.counting(); }
  /// What the task takes with that placement.
  [[nodiscard]] Kept<PodDemand>::Value demand_of(const Task& task, const Placement& placement) {
    if (task.takes_what_it_asks()) return task.demand;
    return demands_.of_placement(task.member->pod, task.claims, task.wanted(), placement);
  }
  /// The part of that which its devices that are yet to be chosen in `state` do not change.
  [[nodiscard]] policy::Amounts settled_part(const Task& task,
                                             const cluster::AllocatedState& state) {
    return demands_.settled_part(task.member->pod, task.claims, task.wanted(), state);
  }
  /// In the order of uids.
  [[nodiscard]] std::span<PlanJob* const> all() const { return order_.all; }
  /// Of these, those with tasks that wait as the plan begins.
  [[nodiscard]] std::span<PlanJob* const> waiting() const { return order_.waiting; }
  /// What earlier plans reported as infeasible (Progress::infeasible).
  using Reported = std::shared_ptr<const std::vector<std::shared_ptr<const Job>>>;
  /// Jobs of `reported` that are what they were then and wait for what is infeasible still are none
  /// of waiting(), and what they ask for does not count. `hardware`: NodeTable::hardware_changes();
  /// while that and the list are the same, only jobs that came are looked at.
  void set_aside(const Reported& reported, std::uint64_t hardware,
                 const std::function<bool(PlanJob&)>& is_infeasible);
  /// These jobs, in the order of uids.
  [[nodiscard]] std::span<PlanJob* const> aside() const { return order_.aside; }
  /// Whether some of `reported` are infeasible no more.
  [[nodiscard]] bool some_became_feasible() const { return order_.aside_by.became_feasible; }
  /// And those with tasks that are leaving.
  [[nodiscard]] std::span<PlanJob* const> leaving() const { return order_.leaving; }
  /// Null: no such job.
  [[nodiscard]] PlanJob* find(const Uid& uid) const;
  /// What the queues hold and ask for, summed per leaf in the order of uids.
  void count(policy::QueueTree& tree);
  /// What jobs hold of nodes, those included that are leaving; as count() found it.
  [[nodiscard]] const policy::Amounts& held() const { return held_; }
  /// What the pods of all jobs tolerate, and the claims of those that have some.
  [[nodiscard]] const Tolerations& tolerations() const { return tolerations_; }
  /// The shape of a pod that a plan evicts, as if it waited and had no devices.
  [[nodiscard]] Kept<Shape>::Value shape_of_victim(const Task& task);
  /// How many shapes are kept.
  [[nodiscard]] std::size_t shapes() const { return shapes_.size(); }
  /// And how many demands.
  [[nodiscard]] std::size_t demands() const { return demands_.size(); }
  /// Of how many waiting tasks the claims were looked up so far.
  [[nodiscard]] std::size_t claims_read() const { return read_.claims; }
  /// How many jobs were compared with those of the update before so far.
  [[nodiscard]] std::size_t jobs_read() const { return read_.jobs; }
  /// How many jobs were put in order or added up so far.
  [[nodiscard]] std::size_t jobs_counted() const { return read_.counted; }

 private:
  /// What a walk over all jobs reads of one, so that it need not go to where that is.
  struct Row {
    std::unique_ptr<PlanJob> job;
    std::uint64_t order = 0;  ///< the job's; 0: it has none yet
    bool waits = false;
    bool leaves = false;
    bool aside = false;               ///< PlanJob::aside
    std::uint16_t claims = any_part;  ///< of one that is aside: the part that its claims are in
  };
  static constexpr std::uint16_t any_part = 0xffff;  ///< they may be in several
  static constexpr std::uint16_t no_part = 0xfffe;   ///< there are none

  /// The jobs of a chunk of the list.
  struct Rows {
    JobList::Chunk of;
    std::vector<Row> rows;
    bool fixed = true;  ///< none of them shares claims
    /// Which parts of the lists are theirs; nothing: they are not there, or have no numbers.
    struct Place {
      struct At {
        std::size_t all = 0, waiting = 0, aside = 0, leaving = 0;
      };
      At begin, end;
    };
    std::optional<Place> place = {};
  };
  /// Jobs of the last update while the next one reads: from `at` of `chunk` on they were not met
  /// again.
  struct Old {
    std::vector<Rows> chunks;
    std::size_t chunk = 0, at = 0;

    [[nodiscard]] PlanJob* next();
    [[nodiscard]] Row take() { return std::move(chunks[chunk].rows[at++]); }
    /// All of the list's chunk, if it is fixed and none of it was taken; null: it is not here so.
    [[nodiscard]] Rows* take_all(const JobList::Chunk& listed);
  };
  /// What jobs were set aside by.
  struct Aside {
    Reported reported;
    std::uint64_t hardware = 0;
    bool jobs_moved = false;             ///< some came since
    std::vector<PlanJob*> changed = {};  ///< those that are aside and ask for something else now
    bool became_feasible = false;
  };
  /// Jobs in the order of uids.
  struct Lists {
    std::vector<PlanJob*> all, waiting, aside, leaving;
    std::vector<std::uint16_t> claims;  ///< of those aside, as in their rows

    [[nodiscard]] Rows::Place::At end() const {
      return {all.size(), waiting.size(), aside.size(), leaving.size()};
    }
    void add(const Row& row);
    void add(const Lists& from, const Rows::Place& place);
  };
  struct Order : Lists {
    Aside aside_by;
    bool moved = false;  ///< jobs came or went since
  };
  /// Numbers for PlanJob::slot.
  struct Slots {
    std::vector<std::uint32_t> free;  ///< below `next`
    std::uint32_t next = 0;           ///< nobody had it
  };
  struct Read {
    std::size_t claims = 0, jobs = 0, counted = 0;
  };

  [[nodiscard]] bool goes_on(const PlanInput& input, const policy::Policy& policy) const;
  void forget();
  void keep_or_make(const PlanInput& input, bool other_nodes);
  [[nodiscard]] Row keep_or_make(const std::shared_ptr<const Job>& job, Old& old, bool other_nodes);
  void leave_before(const Uid& job, Old& old);
  [[nodiscard]] bool claims_moved(const PlanJob& job);
  void find_nodes(PlanJob& job) const;
  void put_in_order();
  [[nodiscard]] bool list();
  [[nodiscard]] bool give_numbers(std::span<Row* const> run, std::uint64_t before,
                                  std::uint64_t behind);
  std::unique_ptr<PlanJob> make(std::shared_ptr<const Job> job);
  void read_claims(Task& task) const;
  void refresh_waiting(PlanJob& job);
  void refresh_aside();
  void mark_aside();
  [[nodiscard]] bool stays_settled(const PlanJob& job) const;
  static void settle(PlanJob& job);
  static void pass_over_unready(PlanJob& job);
  [[nodiscard]] Kept<Shape>::Value shape_of(const Task& task, CountedClaims& counted);
  [[nodiscard]] Row come(std::unique_ptr<PlanJob> job);
  void leave(const PlanJob& job);
  void sum_up();
  void put_aside(PlanJob& job, PlanJob::Aside aside);

  std::shared_ptr<const cluster::Snapshot> snapshot_;
  std::shared_ptr<const policy::Policy> policy_;
  const policy::Policy* rules_ = nullptr;
  std::vector<Rows> jobs_;
  bool victims_ = false;  ///< a plan has made shapes of tasks since the update, which end with it
  Order order_;
  std::vector<LeafSums> leaves_;
  Slots slots_;
  /// By queue, for those that have room; of this update.
  std::map<std::optional<policy::QueueIndex>, CountedClaims> counted_;
  policy::Amounts held_;
  Tolerations tolerations_;
  std::vector<bool> changed_claims_;  ///< by part, since the last update
  Read read_;
  DemandTable demands_;
  ShapeTable shapes_;
};

}  // namespace dray::planner
