#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/listing.h"
#include "dray/base/error.h"
#include "dray/engine/engine.h"
#include "dray/planner/plan.h"
#include "dray/policy/policy.h"

namespace dray::app {

/// The flags of commands that show a cluster under a policy.
struct ViewFlags {
  ClusterSource source;
  std::string policy;
  std::string output = "table";
  engine::Options options;
};
void add_view_flags(CLI::App& command, ViewFlags& flags);

/// A cluster as dray sees it: what is in use, by which jobs, in which queues.
struct ClusterView {
  std::shared_ptr<const cluster::Snapshot> snapshot;
  std::shared_ptr<const policy::Policy> policy;
  std::vector<engine::Engine::JobRow> jobs;
  std::vector<planner::QueueReport> queues;
};

/// Reads the cluster once. Errors of the policy name its file first; warnings go to the standard
/// error in the name of the command.
[[nodiscard]] Result<ClusterView> load_view(const ViewFlags& flags, std::string_view command);

}  // namespace dray::app
