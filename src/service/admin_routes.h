#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "kube/cluster_api.h"
#include "metrics/metrics.h"
#include "net/http.h"
#include "net/published.h"
#include "service/engine_strand.h"

namespace dray::service {

/// What /readyz asks besides the engine. Any thread.
struct Readiness {
  std::atomic<bool> draining{false};
  std::atomic<bool> broken{false};  ///< an invariant does not hold: nothing is written any more
  Published<std::string> policy_problem;  ///< why the policy file as it is now is not in force
};

/// Health and metrics: /livez, /readyz (both with ?verbose), /metrics.
[[nodiscard]] net::HttpHandler admin_routes(EngineStrand& engine, kube::ClusterApi& api,
                                            metrics::Metrics& metrics, const Readiness& readiness);

}  // namespace dray::service
