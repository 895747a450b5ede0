#pragma once

#include <string>
#include <vector>

#include "dray/planner/what_if.h"

namespace dray::app {

/// What became of one pod in `dray allocate`.
struct AllocateVerdict {
  PodKey pod;
  planner::JobOutcome outcome;
  std::vector<planner::WhatIf::NodeVerdict> nodes;  ///< only with --explain
};

/// Columns POD, NODE, DEVICES, WHY; below each pod its warnings, the conditions that its devices
/// wait for, and its nodes (those of one verdict in one line). `wide`: and each device by its whole
/// name.
[[nodiscard]] std::string allocate_table(const std::vector<AllocateVerdict>& verdicts,
                                         bool wide = false);
/// Those that get devices, for other commands: `pod/default/p`, a line each.
[[nodiscard]] std::string allocate_names(const std::vector<AllocateVerdict>& verdicts);

/// {"mode":…,"pods":[{"pod","node","reason","message","detail","warnings","claims","nodes"}]}; a
/// claim's allocation has the form of status.allocation.
[[nodiscard]] std::string allocate_json(const std::vector<AllocateVerdict>& verdicts,
                                        const std::string& mode);

}  // namespace dray::app
