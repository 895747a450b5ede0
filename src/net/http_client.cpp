#include "net/http_client.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "net/gate.h"
#include "net/http_exchange.h"
#include "net/http_stream.h"

namespace dray::net {

namespace asio = boost::asio;
using Clock = Connection::Clock;

/// Shared by the client object and what it has under way. Any thread.
struct HttpClient::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, HttpClientOptions given)
      : io(context), options(std::move(given)), gate(context, options.max_connections) {}

  struct Line {
    std::shared_ptr<Connection> connection;
    Clock::time_point idle_since;
  };

  Target target() {
    const std::lock_guard lock(mutex);
    return {options.base, tls, server_name.empty() ? options.base.host : server_name,
            options.proxy};
  }
  void set_tls(std::shared_ptr<const TlsContext> context, std::string name) {
    const std::lock_guard lock(mutex);
    tls = std::move(context);
    server_name = std::move(name);
    for (const auto& line : idle) line.connection->close_soon();
    idle.clear();
  }
  /// Of `connection`: whether TLS keeps us from the server.
  void note(const Connection& connection, const std::optional<Error>& error) const {
    if (!options.tls_failures) return;
    if (error && connection.failed_by_tls()) {
      options.tls_failures->failed(Clock::now(), error->message);
    } else {
      options.tls_failures->ended();
    }
  }

  /// An idle connection, the one used last first; none: make a fresh one.
  std::shared_ptr<Connection> take_idle() {
    const std::lock_guard lock(mutex);
    while (!idle.empty()) {
      auto line = std::move(idle.back());
      idle.pop_back();
      if (Clock::now() - line.idle_since < options.idle_timeout) return line.connection;
      line.connection->close_soon();
    }
    return nullptr;
  }
  std::shared_ptr<Connection> make_fresh() {
    auto connection = std::make_shared<Connection>(Connection::Socket(asio::make_strand(io)));
    const std::lock_guard lock(mutex);
    std::erase_if(live, [](const auto& entry) { return entry.second.expired(); });
    live.emplace(connection.get(), connection);
    return connection;
  }
  /// `secured_by`: the context that it was made under.
  void keep(const std::shared_ptr<Connection>& connection, const TlsContext* secured_by) {
    const std::lock_guard lock(mutex);
    if (!live.contains(connection.get())) return;
    if (tls.get() != secured_by) {
      live.erase(connection.get());
      connection->close_soon();
      return;
    }
    const auto now = Clock::now();
    // What a burst opened and nobody has needed since: the server gives it up, too.
    while (!idle.empty() && now - idle.front().idle_since >= options.idle_timeout) {
      idle.front().connection->close_soon();
      idle.pop_front();
    }
    idle.push_back({connection, now});
  }
  void drop(const std::shared_ptr<Connection>& connection) {
    connection->close_soon();
    const std::lock_guard lock(mutex);
    live.erase(connection.get());
  }

  // Fixed after construction.
  asio::io_context& io;
  HttpClientOptions options;
  // Shared.
  Gate gate;
  std::mutex mutex;
  std::shared_ptr<const TlsContext> tls;
  std::string server_name;  ///< that certificates have to be for; empty: the URL's host
  std::deque<Line> idle;    ///< the longest idle first
  /// All that close_all() has to cut off; those that ended are dropped with the next fresh one.
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> live;
};

namespace {

template <class T>
std::optional<Error> error_in(const Result<T>& result) {
  return result ? std::nullopt : std::optional<Error>(result.error());
}

asio::awaitable<Result<HttpResponse>> send_on_any(std::shared_ptr<HttpClient::State> state,
                                                  std::shared_ptr<const HttpRequest> request,
                                                  Clock::time_point deadline) {
  for (;;) {
    // Before a connection is taken: an idle one is of this context or a later one.
    const auto target = state->target();
    auto connection = state->take_idle();
    const bool fresh = connection == nullptr;
    if (fresh) connection = state->make_fresh();
    auto done = co_await asio::co_spawn(
        connection->executor(),
        exchange(connection, fresh, target, request, state->options.limits, deadline),
        asio::use_awaitable);
    state->note(*connection, error_in(done.response));
    if (done.reusable) {
      state->keep(connection, target.tls.get());
    } else {
      state->drop(connection);
    }
    if (!done.stale) co_return std::move(done.response);
  }
}

}  // namespace

HttpClient::HttpClient(std::shared_ptr<State> state) : state_(std::move(state)) {}
HttpClient::~HttpClient() {
  close_all();
}

Result<std::unique_ptr<HttpClient>> HttpClient::make(asio::io_context& io,
                                                     HttpClientOptions options) {
  const auto tls = options.tls;
  const bool secure = options.base.tls;
  std::unique_ptr<HttpClient> client(
      new HttpClient(std::make_shared<State>(io, std::move(options))));
  if (secure) {
    if (auto set = client->set_tls(tls); !set) return std::unexpected(std::move(set.error()));
  }
  return client;
}

Result<void> HttpClient::set_tls(const ClientTls& tls) {
  auto context = TlsContext::client(tls);
  if (!context) return std::unexpected(std::move(context.error()).within("tls"));
  state_->set_tls(std::move(*context), tls.server_name);
  return {};
}

asio::awaitable<Result<HttpResponse>> HttpClient::send(HttpRequest request,
                                                       std::chrono::milliseconds deadline) {
  const auto state = state_;
  const auto until = Clock::now() + deadline;
  if (!co_await state->gate.enter(until)) {
    co_return fail(ErrorCode::unavailable, "no connection was free in time");
  }
  auto response =
      co_await send_on_any(state, std::make_shared<const HttpRequest>(std::move(request)), until);
  state->gate.leave();
  co_return response;
}

asio::awaitable<Result<std::shared_ptr<HttpStream>>> HttpClient::open(
    HttpRequest request, std::chrono::milliseconds deadline) {
  const auto state = state_;
  auto connection = state->make_fresh();
  const StreamOptions options{state->target(), state->options.limits.header_bytes,
                              state->options.line_bytes, Clock::now() + deadline};
  auto opened = co_await asio::co_spawn(
      connection->executor(),
      open_stream(connection, std::make_shared<const HttpRequest>(std::move(request)), options),
      asio::use_awaitable);
  state->note(*connection, error_in(opened));
  if (!opened) state->drop(connection);
  co_return opened;
}

void HttpClient::close_all() {
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> cut;
  {
    const std::lock_guard lock(state_->mutex);
    cut.swap(state_->live);
    state_->idle.clear();
  }
  for (const auto& [_, weak] : cut) {
    if (const auto connection = weak.lock()) connection->close_soon();
  }
}

}  // namespace dray::net
