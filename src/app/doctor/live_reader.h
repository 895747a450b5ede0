#pragma once

#include <string>
#include <vector>

#include "app/doctor/installed_check.h"
#include "app/doctor/rights.h"
#include "app/doctor/runtime_check.h"
#include "dray/alloc/feature_gates.h"
#include "dray/model/lease.h"
#include "kube/ask_now.h"

namespace dray::app {

/// kube-scheduler's configuration as its Deployment beside dray mounts it.
struct DeployedConfig {
  std::string where;  ///< `ConfigMap dray-system/dray-scheduler-config-…: scheduler.yaml`
  std::string text;   ///< empty: it could not be seen
};

/// What a live cluster says of itself beside the objects that dray keeps.
struct LiveFacts {
  Clocks clocks;
  Versions versions;
  InstalledThere installed;
  std::vector<Right> missing_rights;
  alloc::FeatureGates gates;  ///< empty: not known
  std::vector<Tree> controller_managers;
  DeployedConfig scheduler;
  std::string policy_file;         ///< of ConfigMap dray-policy; empty: there is none
  std::vector<std::string> notes;  ///< what could not be looked at, and why
};

/// Reads them of that installation, whose objects are `manifests`. An Error only where the API
/// server does not answer, or knows nobody of our name; what it refuses otherwise is a note. `now`
/// gives the clock here.
[[nodiscard]] Result<LiveFacts> read_live_facts(kube::AskNow& api,
                                                const std::vector<Installed>& manifests,
                                                Time (*now)(), const Installation& where = {});

/// The drays beside that one, and who calls them: a Lease `dray` and a ConfigMap dray-exclusion.
[[nodiscard]] std::vector<OtherDray> read_others(kube::AskNow& api,
                                                 const std::vector<Lease>& leases,
                                                 const Installation& where);

}  // namespace dray::app
