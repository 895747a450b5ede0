#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "kube/cluster_api.h"
#include "kube/config.h"

namespace dray::kube {

struct ListOptions {
  std::chrono::milliseconds request_deadline = std::chrono::seconds(30);
  std::size_t chunk = 500;  ///< objects a request
  /// Asked now and then; false ends it with an Error. Absent: it goes on.
  std::function<bool()> go_on = {};
};

/// Every object of the kinds as the API server has them now, once, by kind in the order asked for:
/// for commands that look at a cluster and end. Blocks. The first request that fails ends it; a
/// kind that is not served is an error, unless not every cluster has it. The lists are of one
/// moment each, not of one together.
[[nodiscard]] Result<Listed> list_objects(const ClusterConfig& config, std::span<const Kind> kinds,
                                          const ListOptions& options = {});

}  // namespace dray::kube
