#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/doctor/finding.h"
#include "app/doctor/installation.h"
#include "app/doctor/tree.h"
#include "dray/alloc/feature_gates.h"
#include "dray/base/time.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/lease.h"

namespace dray::app {

/// The clocks of one moment.
struct Clocks {
  Time here;
  std::optional<Time> api_server;  ///< its Date header, in whole seconds; none: it said none

  /// The same clocks when the one here shows that.
  [[nodiscard]] Clocks when(Time later) const {
    auto moved = *this;
    moved.here = later;
    if (moved.api_server) *moved.api_server += later - here;
    return moved;
  }
};

/// `Mon, 23 Nov 2026 07:36:40 GMT`, as the Date header has it (RFC 9110, 5.6.7); none: it is not
/// so.
[[nodiscard]] std::optional<Time> parse_http_date(std::string_view text);

/// Whether somebody holds the Lease at that moment.
[[nodiscard]] bool is_held(const Lease& lease, Time now);

/// dray's Lease and who holds it, the clocks of all Leases' holders, and the clock here.
[[nodiscard]] Findings check_leases(const std::vector<Lease>& leases, const Clocks& clocks,
                                    const Installation& where = {});

/// A minor version of Kubernetes 1: `v1.37.0-rc.1` is 37; none: the text is no version 1.
[[nodiscard]] std::optional<int> minor_of(std::string_view version);

/// What runs in which version.
struct Versions {
  std::string api_server;                                    ///< gitVersion; empty: not known
  std::string scheduler;                                     ///< tag of its image; empty: not known
  std::map<std::string, std::vector<std::string>> kubelets;  ///< nodes by kubeletVersion
};
[[nodiscard]] Findings check_versions(const Versions& versions, const Installation& where = {});

/// Gates that do not stand in the API server as in dray.
[[nodiscard]] Findings check_gates(const alloc::FeatureGates& cluster, const alloc::Features& ours);

/// The controller manager's pods (static ones of kube-system): how often its client may ask, and
/// whether the controller of claims runs.
[[nodiscard]] Findings check_controller_managers(const std::vector<Tree>& pods);

/// The policy file of a ConfigMap.
[[nodiscard]] Findings check_policy_file(std::string_view yaml, const std::string& object);

/// What a policy file that is valid names and the cluster does not have.
[[nodiscard]] Findings check_policy_of_cluster(std::string_view yaml, const std::string& object,
                                               const cluster::Snapshot& cluster);

}  // namespace dray::app
