#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/doctor/finding.h"
#include "app/doctor/manifests.h"

namespace dray::app {

/// What a cluster has of the objects of manifests/.
struct InstalledThere {
  std::map<std::string, Tree, std::less<>> found;  ///< by Installed::path()
  std::set<std::string, std::less<>> unknown;      ///< paths that we may not read
};

/// What of manifests/ is missing in a cluster, or was altered there: accounts, the Lease, the
/// ConfigMap dray-exclusion, the admission policies and their bindings, priority level and flow
/// schemas. What may not be read is not judged.
[[nodiscard]] Findings check_installed(const std::vector<Installed>& manifests,
                                       const InstalledThere& there,
                                       const std::string& scheduler_name);

/// Mode advise: whether the policies for mode allocate refuse what kube-scheduler's plugin
/// allocates.
[[nodiscard]] Findings check_plugin_may_allocate(const InstalledThere& there);

/// The drivers that the ConfigMap dray-exclusion names (`*`: all); none: it cannot be seen.
[[nodiscard]] std::optional<std::vector<std::string>> exclusive_drivers(
    const InstalledThere& there);

}  // namespace dray::app
