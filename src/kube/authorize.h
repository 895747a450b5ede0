#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "kube/token_source.h"
#include "net/http.h"

namespace dray::kube {

/// The request with the bearer token of now. Where there is none to send because a plugin is
/// running for one, its end is waited for, until `deadline` and without holding up a thread.
[[nodiscard]] boost::asio::awaitable<net::HttpRequest> authorize(
    std::shared_ptr<TokenSource> tokens, net::HttpRequest request,
    TokenSource::Clock::time_point deadline);

}  // namespace dray::kube
