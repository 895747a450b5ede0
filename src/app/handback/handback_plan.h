#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/doctor/manifests.h"
#include "app/doctor/own_objects.h"
#include "dray/model/object.h"

namespace dray::app {

/// A request that takes something of dray's out of a cluster. Done twice it does no harm.
struct HandbackStep {
  std::string doing;   ///< `delete`, `lift`, `unmark`
  std::string object;  ///< `Pod team/p0`
  std::string method;  ///< DELETE or PATCH
  std::string path;
  std::string body;          ///< of a PATCH
  std::string content_type;  ///< of the body

  bool operator==(const HandbackStep&) const = default;
};

/// The admission bindings and policies of `manifests`, the bindings first: a policy without one
/// refuses nobody.
[[nodiscard]] std::vector<HandbackStep> policy_steps(const std::vector<Installed>& manifests);

/// What dray's own pods and claims have of it, once no policy refuses that it is taken off: gates,
/// annotations and the condition DrayAdmitted. Pods, claims, allocations and the queue that a pod's
/// owner named stay. A pod whose claim dray alone would make keeps its gate: see
/// stranded_objects().
[[nodiscard]] std::vector<HandbackStep> object_steps(const std::vector<KubeObject>& objects,
                                                     const OwnContext& context);

/// Pods whose claim dray alone would make.
[[nodiscard]] std::vector<std::string> left_behind(const std::vector<KubeObject>& objects,
                                                   const OwnContext& context);

/// Who leads, and so would undo what is handed back: the holder of that dray's Lease; none: nobody
/// does.
[[nodiscard]] std::optional<std::string> live_leader(const std::vector<Lease>& leases,
                                                     const Installation& where, Time now);

/// The policies of other drays that let nobody but the accounts that they name take a gate or a
/// mark off, and do not name that one: `policies` is the cluster's list, `own` what is deleted
/// before.
[[nodiscard]] std::vector<std::string> policies_that_refuse(const Tree& policies,
                                                            const std::vector<Installed>& own,
                                                            const std::string& account);

}  // namespace dray::app
