#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "net/http_server.h"

// A server's answers that say what was asked, and the requests for them.

namespace dray::net::testing {

/// Holds requests to /hold until opened.
struct Door {
  std::promise<void> arrived;
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
};

inline boost::asio::awaitable<HttpResponse> answer(HttpRequest request,
                                                   std::shared_ptr<Door> door) {
  if (request.path() == "/hold") {
    door->arrived.set_value();
    boost::asio::steady_timer poll(co_await boost::asio::this_coro::executor);
    while (door->opened.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      poll.expires_after(std::chrono::milliseconds(1));
      co_await poll.async_wait(boost::asio::use_awaitable);
    }
  }
  if (request.path() == "/throw") throw std::runtime_error("broken");
  if (request.path() == "/name") co_return text_response(200, request.client_name);
  co_return text_response(200, request.method + " " + request.target + " " + request.body);
}

inline HttpHandler echo(std::shared_ptr<Door> door = nullptr) {
  return [door](HttpRequest request) { return answer(std::move(request), door); };
}

inline std::string get(const std::string& path, const std::string& more = "Connection: close\r\n") {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
}

}  // namespace dray::net::testing
