#pragma once

#include "metrics/metrics.h"
#include "net/http.h"
#include "service/engine_strand.h"

namespace dray::service {

/// The extender's HTTP face: POST /v1/{filter,prioritize,preempt,bind}. kube-scheduler takes any
/// status but 200 for a failure and ignores the body, so a request that cannot be read is answered
/// 200 with the fault in the answer's Error where there is one (filter, bind), and 400 elsewhere.
[[nodiscard]] net::HttpHandler extender_routes(EngineStrand& engine, metrics::Metrics& metrics);

}  // namespace dray::service
