#pragma once

#include <span>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/base/time.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"
#include "dray/model/reason.h"
#include "dray/policy/config.h"

namespace dray::planner {

/// What each of these nodes says to a waiting pod, in their order; Reason::none: it fits. They are
/// no part of the cluster: all that is known of one is what is given here, and the devices that the
/// first group of the policy (`nodeGroups`) whose labels it has says that its nodes have. Nobody is
/// on them. Nodes that differ by name alone are judged once.
[[nodiscard]] std::vector<Reason> verdicts_of_new_nodes(const cluster::Snapshot& real,
                                                        const policy::PolicyConfig& config,
                                                        const alloc::AllocatorOptions& options,
                                                        const Pod& pod,
                                                        std::span<const Node* const> nodes,
                                                        Time now);

}  // namespace dray::planner
