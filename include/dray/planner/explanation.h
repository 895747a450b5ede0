#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dray/model/reason.h"
#include "dray/planner/plan.h"
#include "dray/planner/pod_claims.h"
#include "dray/policy/resource.h"

namespace dray::planner {

/// Who decides about a pod.
enum class Decider : std::uint8_t {
  dray,
  other_scheduler,  ///< its spec.schedulerName is not dray's
  nobody_needed,    ///< it is dray's, and bypasses it: there are no devices to choose, and no queue
};

/// A question about one pod, with all that the answer reads: taken at one moment, answered
/// anywhere.
struct Question {
  std::shared_ptr<const Pod> pod;
  Decider decider = Decider::dray;
  std::string scheduler_name;     ///< dray's
  std::string gate;               ///< dray's
  std::optional<Uid> job;         ///< absent: the pod is in none
  std::optional<NotReady> lacks;  ///< why it is in none
  PlanInput input;                ///< its budget bounds each plan that the answer takes
  /// Namespaces whose jobs the answer may name; absent: the pod's tenant's, of its namespace or its
  /// queue.
  std::optional<std::set<std::string, std::less<>>> named;
};

/// How a pod stands.
enum class Standing : std::uint8_t {
  done,      ///< finished, or going
  runs,      ///< has its node
  starts,    ///< would get its place at once
  follows,   ///< would get its place once others have left it
  waits,     ///< gets none now
  bypasses,  ///< Decider::nobody_needed
  not_ours,  ///< Decider::other_scheduler
};
/// Its name, for people and in JSON: `waits`.
[[nodiscard]] std::string_view name(Standing standing);

/// The pod's job, where it is more than the pod.
struct JobView {
  std::string name;  ///< namespace/name
  std::size_t members = 0;
  std::size_t running = 0;    ///< have their nodes
  std::size_t minimum = 0;    ///< that have to start together now; 0: it has its minimum
  std::size_t have_room = 0;  ///< of minimum: how many found a node before one did not

  bool operator==(const JobView&) const = default;
};

/// What a queue has of a resource that the job asks for.
struct QueueLevel {
  std::string queue;
  policy::Resource resource;
  double quota = 0;
  double limit = 0;
  double used = 0;
  double fair_share = 0;
  double asked = 0;  ///< by the job, for what waits of it

  bool operator==(const QueueLevel&) const = default;
};

/// The job's queue, and its place there.
struct QueueView {
  std::string name;
  std::vector<QueueLevel> levels;  ///< from the job's own queue upwards
  std::size_t position = 0;        ///< from 1; 0: the job does not take part in the order
  std::size_t waiting = 0;         ///< jobs of the queue that take part
  std::vector<std::string> ahead;  ///< of the same queue, the first of them; in their order
  std::size_t more_ahead = 0;      ///< and so many more
  std::size_t others_ahead = 0;    ///< jobs of other queues, whose names are theirs

  bool operator==(const QueueView&) const = default;
};

/// Nodes that refuse the pod for one reason.
struct NodesView {
  Reason reason = Reason::none;
  std::string text;
  std::size_t count = 0;
  std::vector<std::string> names;  ///< the first of them

  bool operator==(const NodesView&) const = default;
};

/// Why a pod waits, where it runs, or where it would go. For people, whichever face shows it: names
/// of others are not in it (see Question::named).
struct Explanation {
  std::string pod;  ///< namespace/name
  Standing standing = Standing::waits;
  Reason reason = Reason::none;      ///< why it waits
  std::string summary;               ///< what decides, in a sentence without a full stop
  std::string node;                  ///< where it runs or would go
  std::vector<std::string> devices;  ///< `request: driver/pool/device`
  std::optional<JobView> job;
  std::optional<QueueView> queue;
  std::vector<NodesView> nodes;    ///< that refuse it, the largest group first
  std::size_t nodes_left_out = 0;  ///< in further groups
  std::string nearest;             ///< the nearest miss; empty: none is known
  std::vector<std::string> helps;  ///< what would help, each tried on the planner or from numbers
  std::vector<std::string> notes;  ///< what others last said of the pod

  bool operator==(const Explanation&) const = default;
};

/// Pure: the same question gives the same answer. Costs a plan, and some more where the pod waits.
[[nodiscard]] Explanation explain(const Question& question, const alloc::AllocatorOptions& options);

}  // namespace dray::planner
