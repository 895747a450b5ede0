#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/doctor/finding.h"
#include "app/doctor/tree.h"

namespace dray::app {

/// Who chooses devices: the in-tree plugin (advise) or dray (allocate).
enum class SchedulerMode : std::uint8_t { advise, allocate };

/// What a configuration of kube-scheduler is judged by.
struct SchedulerWanted {
  SchedulerMode mode = SchedulerMode::allocate;
  std::string scheduler_name = "dray-scheduler";
};

/// What is wrong with a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) that calls
/// dray. `where` names it: a file or a ConfigMap. All of its extenders count
/// as dray's: it has a kube-scheduler process of its own.
[[nodiscard]] Findings check_scheduler_config(const Tree& config, const std::string& where,
                                              const SchedulerWanted& wanted);

/// The same of its text; one that cannot be read is one finding.
[[nodiscard]] Findings check_scheduler_config(std::string_view text, const std::string& where,
                                              const SchedulerWanted& wanted);

}  // namespace dray::app
