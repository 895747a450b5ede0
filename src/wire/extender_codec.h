#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "dray/model/extender_api.h"

// The extender protocol's JSON (k8s.io/kube-scheduler/extender/v1/types.go): Go's field names,
// which are accepted in any case, as Go does; what follows the first value is ignored. Both sides
// of each message, because the demo and the simulator speak as kube-scheduler.

namespace dray::wire {

[[nodiscard]] Result<extender::FilterRequest> decode_filter_request(std::string_view json);
[[nodiscard]] std::string encode(const extender::FilterRequest& request);

/// Answers in the form of the question: where that held whole Nodes, they come back as they were
/// sent; else NodeNames.
[[nodiscard]] std::string encode(const extender::FilterResponse& response,
                                 const extender::FilterRequest& request);
[[nodiscard]] Result<extender::FilterResponse> decode_filter_response(std::string_view json);

[[nodiscard]] std::string encode(const extender::PrioritizeResponse& response);
[[nodiscard]] Result<extender::PrioritizeResponse> decode_prioritize_response(
    std::string_view json);

[[nodiscard]] Result<extender::BindRequest> decode_bind_request(std::string_view json);
[[nodiscard]] std::string encode(const extender::BindRequest& request);
[[nodiscard]] std::string encode(const extender::BindResponse& response);
[[nodiscard]] Result<extender::BindResponse> decode_bind_response(std::string_view json);

/// Both forms of the request: whole pods (NodeNameToVictims) and UIDs (NodeNameToMetaVictims).
[[nodiscard]] Result<extender::PreemptRequest> decode_preempt_request(std::string_view json);
[[nodiscard]] std::string encode(const extender::PreemptRequest& request);
/// Never holds a null, which would crash kube-scheduler 1.37.
[[nodiscard]] std::string encode(const extender::PreemptResponse& response);
[[nodiscard]] Result<extender::PreemptResponse> decode_preempt_response(std::string_view json);

}  // namespace dray::wire
