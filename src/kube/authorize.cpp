#include "kube/authorize.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace dray::kube {

namespace asio = boost::asio;

namespace {

/// Requests of several threads wait for one plugin, each on its own executor: they look again, so
/// that none of them has to be woken from the plugin's thread.
constexpr auto look_again = std::chrono::milliseconds(50);

}  // namespace

asio::awaitable<net::HttpRequest> authorize(std::shared_ptr<TokenSource> tokens,
                                            net::HttpRequest request,
                                            TokenSource::Clock::time_point deadline) {
  auto token = tokens->try_token(TokenSource::Clock::now());
  if (!token) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (!token && TokenSource::Clock::now() < deadline) {
      timer.expires_at(std::min(deadline, TokenSource::Clock::now() + look_again));
      co_await timer.async_wait(asio::use_awaitable);
      token = tokens->try_token(TokenSource::Clock::now());
    }
  }
  if (token && !token->empty()) request.headers.push_back({"Authorization", "Bearer " + *token});
  co_return request;
}

}  // namespace dray::kube
