#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "net/http.h"

namespace dray::kube {

/// What a request needs to know besides the write itself.
struct WriteContext {
  std::string gate = "dray.dev/admission";
  std::string controller = "dray";   ///< reportingController of Events
  std::string instance = "dray";     ///< reportingInstance of Events
  std::string claim_version = "v1";  ///< of resource.k8s.io, as the server serves it
  Time now;
  std::string trace = {};  ///< id of the trace that an Event belongs to; empty: none
};

/// The object that the answer to a write holds.
enum class Answered : std::uint8_t { nothing, claim, pod, lease, config_map };

struct WriteRequest {
  net::HttpRequest http;
  Answered answered = Answered::nothing;
};

/// The request that carries a write out. Claims and pods are patched (strategic merge) rather than
/// put: the body says only what dray changes, so that fields that dray does not know, and those
/// that came since, stay; the uid, and for claims the resourceVersion decided on, are
/// preconditions. A ReleaseClaim is its first step: the GET that tells what there is to release.
[[nodiscard]] WriteRequest request_for(const engine::Write& write, const WriteContext& context);

/// The patch that a ReleaseClaim needs on the claim as it is; no body: there is nothing to release.
[[nodiscard]] WriteRequest release_request(const engine::ReleaseClaim& release,
                                           const ResourceClaim& claim, const WriteContext& context);

/// The PodTemplate of a pod set, by the place of both, from what a GET of its example answered;
/// `request` is as the API server has it. Error: the pod cannot be read, or is another.
[[nodiscard]] Result<WriteRequest> template_request(const engine::RequestNodes& wanted,
                                                    std::size_t place,
                                                    const ProvisioningRequest& request,
                                                    const std::string& pod);
/// The GET of the request that is there already.
[[nodiscard]] WriteRequest read_request(const engine::RequestNodes& wanted);
/// The GET of the example of a pod set.
[[nodiscard]] WriteRequest read_example(const engine::ExamplePod& example);

/// The ProvisioningRequest in an answer; `unavailable` where none is.
[[nodiscard]] Result<ProvisioningRequest> provisioning_request_in(const std::string& body);

/// The outcome that an answer means.
[[nodiscard]] engine::WriteOutcome outcome_of(const engine::Write& write, Answered answered,
                                              const net::HttpResponse& response);

/// The error that a failed request's answer means: code by status, the API server's own message.
[[nodiscard]] Error error_of(const net::HttpResponse& response);

/// The admission policy of manifests/exclusion.yaml says that the write is not the leader's: its
/// epoch is over, or this API server has not heard of it yet.
[[nodiscard]] bool is_other_epoch(const net::HttpResponse& response);
/// A 429 that is a disruption budget's no, and not the API server's asking for patience.
[[nodiscard]] bool is_budget(const net::HttpResponse& response);
/// `allocate claim default/c0`: for errors and logs.
[[nodiscard]] std::string describe(const engine::Write& write);

}  // namespace dray::kube
