#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/doctor/finding.h"
#include "dray/model/object.h"

namespace dray::app {

/// What the objects of a cluster are judged by.
struct ObjectContext {
  std::string scheduler_name = "dray-scheduler";
  std::string gate = "dray.dev/admission";
  std::string exclusion = "ConfigMap dray-system/dray-exclusion";
  std::vector<std::string> other_schedulers;  ///< of other drays, which lift the same gate
  /// The drivers that are dray's alone by the ConfigMap dray-exclusion; none: it is not known.
  std::optional<std::vector<std::string>> exclusive_drivers;
  std::vector<std::string> unreadable;  ///< the errors of objects that cannot be read
};

/// What is wrong with slices, claims and pods: pools that are incomplete, of several generations or
/// with a device twice; drivers that two schedulers use, or that nothing keeps for dray; claims
/// that `dray repair` would mend; gates that nobody lifts; objects that cannot be read.
[[nodiscard]] Findings check_objects(const std::vector<KubeObject>& objects,
                                     const ObjectContext& context);

}  // namespace dray::app
