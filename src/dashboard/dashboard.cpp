#include "dashboard/dashboard.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

namespace dray::dashboard {

namespace asio = boost::asio;

namespace {

net::HttpServerOptions with_simulations(net::HttpServerOptions options, const BoardOptions& board) {
  options.limits.body_bytes_at.emplace(simulate_path, board.simulations.body_bytes);
  return options;
}

BoardOptions named(BoardOptions options, const std::string& address) {
  if (is_loopback(address)) options.hosts = {"localhost", "127.0.0.1", "[::1]", address};
  return options;
}

net::HttpHandler handler_of(const std::shared_ptr<Board>& board) {
  return [board](net::HttpRequest request) { return board->answer(std::move(request)); };
}

}  // namespace

net::HttpServerOptions dashboard_port() {
  net::HttpServerOptions options;
  options.limits.body_bytes = 1024;
  options.max_connections = 128;
  options.oldest_gives_way = true;
  options.idle_timeout = std::chrono::seconds(60);
  options.header_timeout = std::chrono::seconds(5);
  options.body_timeout = std::chrono::seconds(5);
  options.write_timeout = std::chrono::seconds(15);
  return options;
}

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

Dashboard::Dashboard(net::OwnThread& thread, DashboardOptions options, Sources sources)
    : thread_(thread),
      options_(with_simulations(std::move(options.server), options.board)),
      board_(std::make_shared<Board>(thread.io(), named(std::move(options.board), options_.address),
                                     sources)) {}

/// Nothing of it runs any more when its parts go.
Dashboard::~Dashboard() {
  thread_.stop();
  board_->end();
}

Result<std::uint16_t> Dashboard::start(WhenTaken when) {
  const auto handler = handler_of(board_);
  server_.emplace(thread_.io(), options_, handler);
  auto port = server_->listen();
  if (!port && port.error().code == ErrorCode::unavailable && when == WhenTaken::any_port) {
    options_.port = 0;
    server_.emplace(thread_.io(), options_, handler);
    port = server_->listen();
  }
  if (!port) return std::unexpected(std::move(port.error()).within("dashboard address"));
  asio::co_spawn(thread_.io(), board_->keep_history(), asio::detached);
  return port;
}

asio::awaitable<void> Dashboard::drain() {
  asio::post(thread_.io(), [board = board_] { board->stop(); });
  if (server_) co_await server_->drain(std::chrono::seconds(1));
}

}  // namespace dray::dashboard
