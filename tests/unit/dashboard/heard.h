#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <string>

#include "net/http.h"
#include "tests/unit/service/support.h"

namespace dray::dashboard {

/// Keeps what it is sent; whoever reads may go away.
class Listener final : public net::BodySink {
 public:
  boost::asio::awaitable<bool> write(std::string bytes) override {
    text.change([&](std::string& all) { all += bytes; });
    co_return !gone;
  }
  service::testing::Watched<std::string> text;
  std::atomic<bool> gone{false};
};

}  // namespace dray::dashboard
