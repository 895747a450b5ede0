#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/simulate/pod_fate.h"

namespace dray::simulate {

/// How pods fare under another policy; the worse for them comes first.
enum class Change : std::uint8_t {
  evicted,        ///< they run, and would have to go
  moved,          ///< they run, and would go on elsewhere
  newly_waiting,  ///< they would start, and now wait
  delayed,        ///< they would start at once, and now once others have left
  admitted,       ///< they wait, and would start
  unblocked,      ///< they wait, and others would leave for them
  spared,         ///< they would have been evicted or moved, and run on
  elsewhere,      ///< they would start on other nodes
  other_reason,   ///< they wait, but for something else
};
/// Its name, for people and in JSON: `newly-waiting`.
[[nodiscard]] std::string_view name(Change change);

/// Pods of a job that fare alike.
struct JobEffect {
  Change change = Change::evicted;
  std::string job;  ///< namespace/name
  std::size_t pods = 0;
  std::string queue;      ///< by the policy in force
  std::string new_queue;  ///< by the other one
  std::string was;        ///< `waits: the queue is at its limit`, `starts on n0`
  std::string would;
};

/// A queue's fair share of a resource by both; absent: the queue or the resource is not in it.
struct ShareEffect {
  std::string queue;
  std::string resource;
  std::optional<double> was;
  std::optional<double> would;
  double allocated = 0;  ///< by the other policy, where it has the queue
  double requested = 0;  ///< the same, those that wait included
};

/// What changes at once.
struct PolicyEffect {
  std::vector<JobEffect> jobs;      ///< by change, then by name
  std::vector<ShareEffect> shares;  ///< by queue and resource
};

/// Both are of the same objects.
[[nodiscard]] PolicyEffect effect_of(const Decided& was, const Decided& would);

}  // namespace dray::simulate
