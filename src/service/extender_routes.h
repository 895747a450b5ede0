#pragma once

#include <cstdint>

#include "metrics/metrics.h"
#include "net/http.h"
#include "service/engine_strand.h"
#include "service/partition.h"

namespace dray::service {

class Tracer;

/// With `declared` a request without a Content-Type is refused: where no client shows a
/// certificate, a web page of another site could send one.
enum class BodyType : std::uint8_t { any, declared };

/// The extender's HTTP face: POST /v1/{filter,prioritize,preempt,bind}. kube-scheduler takes any
/// status but 200 for a failure and ignores the body, so a request that cannot be read is answered
/// 200 with the fault in the answer's Error where there is one (filter, bind), and 400 elsewhere.
/// Filter names nodes of the partition alone. What the queue sheds gets 503 with Retry-After.
/// A `tracer` gets a span of
/// each call, in the trace of its traceparent or its pod. References outlive the handler.
[[nodiscard]] net::HttpHandler extender_routes(EngineStrand& engine, metrics::Metrics& metrics,
                                               const Partition& partition, RequestQueue& queue,
                                               Tracer* tracer = nullptr,
                                               BodyType type = BodyType::any);

}  // namespace dray::service
