#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "dashboard/board.h"
#include "net/http_server.h"
#include "net/own_thread.h"

namespace dray::dashboard {

/// The bounds of the dashboard's port: what is asked there is short. Browsers hold some connections
/// open, and streams for long.
[[nodiscard]] net::HttpServerOptions dashboard_port();

struct DashboardOptions {
  net::HttpServerOptions server = dashboard_port();
  BoardOptions board;
};

/// What start() does where another has the port.
enum class WhenTaken : std::uint8_t { fail, any_port };

/// Whether only this host reaches the address.
[[nodiscard]] bool is_loopback(std::string_view address);

/// The dashboard's port: a budget of connections of its own, and a thread of its own, so that
/// whoever looks slows nobody down who decides. All functions may be called from any other thread.
class Dashboard {
 public:
  /// `thread` is the dashboard's alone, and outlives the io_context of `sources`.
  Dashboard(net::OwnThread& thread, DashboardOptions options, Sources sources);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  /// The port that it got.
  Result<std::uint16_t> start(WhenTaken when = WhenTaken::fail);
  /// Ends the streams, and what is asked within a second.
  boost::asio::awaitable<void> drain();

 private:
  net::OwnThread& thread_;
  net::HttpServerOptions options_;
  std::shared_ptr<Board> board_;
  std::optional<net::HttpServer> server_;  ///< once it is started
};

}  // namespace dray::dashboard
