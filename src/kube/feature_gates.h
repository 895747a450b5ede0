#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string_view>

#include "dray/alloc/feature_gates.h"
#include "dray/base/error.h"
#include "kube/token_source.h"
#include "net/http_client.h"

namespace dray::kube {

/// Takes in a line of a component's /metrics, if it says how a gate stands
/// (`kubernetes_feature_enabled`, from Kubernetes 1.26 on).
void take_gate(std::string_view line, alloc::FeatureGates& gates);

/// The API server's gates, off its own /metrics: nothing else of the API tells them. Line by line,
/// as the page may be large; `silence` bounds each wait for more of it.
[[nodiscard]] boost::asio::awaitable<Result<alloc::FeatureGates>> read_feature_gates(
    std::shared_ptr<net::HttpClient> client, std::shared_ptr<TokenSource> tokens,
    std::chrono::milliseconds silence = std::chrono::seconds(10));

}  // namespace dray::kube
