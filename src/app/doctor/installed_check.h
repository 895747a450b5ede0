#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/doctor/finding.h"
#include "app/doctor/manifests.h"

namespace dray::app {

/// What a cluster has of the objects of manifests/.
struct InstalledThere {
  std::map<std::string, Tree, std::less<>> found;  ///< by Installed::path()
  std::set<std::string, std::less<>> unknown;      ///< paths that we may not read
  Installation where;                              ///< whose objects these are
  std::vector<OtherDray> others;                   ///< beside it
};

/// Where the ConfigMap dray-exclusion is in the API.
[[nodiscard]] std::string exclusion_path(const Installation& where);
/// The lines of a text that are not empty.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

/// What of manifests/ is missing in a cluster, or was altered there: accounts, the Lease, the
/// ConfigMap dray-exclusion, the admission policies and their bindings, priority level and flow
/// schemas; other drays whose marks these policies refuse. What may not be read is not judged.
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
