#include "net/http_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <utility>

#include "net/async_event.h"
#include "net/http_session.h"
#include "net/published.h"
#include "net/session_set.h"

namespace dray::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto accept_error = asio::as_tuple(asio::use_awaitable);
constexpr auto accept_pause = std::chrono::milliseconds(50);
constexpr auto notice_pause =
    std::chrono::seconds(1);  // between two lines about failures to accept

using Strand = asio::strand<asio::io_context::executor_type>;

}  // namespace

/// Shared by the server object and its coroutines.
struct HttpServer::State {
  State(asio::io_context& context, HttpServerOptions given, HttpHandler handler)
      : io(context),
        strand(asio::make_strand(context)),
        served(std::make_shared<ServedBy>()),
        changed(strand),
        reload_timer(strand) {
    served->options = std::move(given);
    served->handler = std::move(handler);
  }

  void notice(const std::string& text) const {
    if (served->options.on_notice) served->options.on_notice(text);
  }
  bool listens_with(const std::shared_ptr<tcp::acceptor>& one) const {
    const std::lock_guard lock(mutex);
    return acceptor == one;
  }
  /// Of sessions: those in a handshake have a bound of their own.
  bool is_full() const {
    const std::lock_guard lock(mutex);
    return sessions.size() >= served->options.max_connections;
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex);
    return sessions.size() + handshakes.size();
  }
  std::vector<std::shared_ptr<Session>> all() const {
    const std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<Session>> open;
    open.reserve(sessions.size() + handshakes.size());
    sessions.append_to(open);
    handshakes.append_to(open);
    return open;
  }
  /// Whether it may go on.
  [[nodiscard]] bool add(const std::shared_ptr<Session>& session) {
    const std::lock_guard lock(mutex);
    session->number = ++accepted;
    if (!served->options.tls) return admit(session);
    const auto most = served->options.max_handshakes;
    handshakes.make_room_of(session->network, share_of(most));
    handshakes.make_room(most);
    handshakes.add(session);
    return true;
  }
  /// It has shown its certificate. Whether it may go on.
  [[nodiscard]] bool admit_shaken(const std::shared_ptr<Session>& session) {
    const std::lock_guard lock(mutex);
    return handshakes.remove(session->number) && admit(session);
  }
  void remove(const std::shared_ptr<Session>& session) {
    const std::lock_guard lock(mutex);
    handshakes.remove(session->number);
    sessions.remove(session->number);
  }

  // Fixed after construction.
  asio::io_context& io;
  Strand strand;
  std::shared_ptr<ServedBy> served;
  // Owned by the strand.
  AsyncEvent changed;  ///< notified when a connection is gone
  asio::steady_timer reload_timer;
  // Shared.
  Published<TlsContext> tls;
  std::mutex tls_mutex;  ///< of tls_text: what `tls` was made of
  ServerTls tls_text;
  mutable std::mutex mutex;
  std::shared_ptr<tcp::acceptor> acceptor;
  std::uint16_t port = 0;
  SessionSet handshakes;  ///< that are not finished
  SessionSet sessions;
  std::uint64_t accepted = 0;

 private:
  /// The mutex is held here and below.
  bool admit(const std::shared_ptr<Session>& session) {
    const auto most = served->options.max_connections;
    if (served->options.oldest_gives_way) {
      sessions.make_room_of(session->network, share_of(most));
      sessions.make_room(most);
    } else if (sessions.count_of(session->network) >= share_of(most)) {
      return false;
    }
    sessions.add(session);
    return true;
  }
  /// What one address may have of `most`.
  [[nodiscard]] std::size_t share_of(std::size_t most) const {
    return std::max<std::size_t>(1, most * served->options.max_percent_of_one_address / 100);
  }
};

namespace {

asio::awaitable<void> run_session(std::shared_ptr<HttpServer::State> state,
                                  std::shared_ptr<Session> session) {
  const std::shared_ptr<const ServedBy> served = state->served;
  bool ready = true;
  if (served->options.tls) {
    const auto tls = state->tls.load();
    ready = co_await start_tls(served, session, tls);
    if (ready && !state->admit_shaken(session)) {
      session->connection->close();
      ready = false;
    }
  }
  if (ready) co_await serve_session(served, session);
  state->remove(session);
  asio::post(state->strand, [state] { state->changed.notify_all(); });
}

asio::awaitable<void> accept_all(std::shared_ptr<HttpServer::State> state,
                                 std::shared_ptr<tcp::acceptor> acceptor) {
  using Clock = std::chrono::steady_clock;
  auto next_notice = Clock::time_point::min();
  while (state->listens_with(acceptor)) {
    const auto& options = state->served->options;
    if (state->is_full() && !options.oldest_gives_way) {
      co_await state->changed.wait_until(Clock::now() + accept_pause);
      continue;
    }
    auto session_strand = asio::make_strand(state->io);
    auto [ec, socket] = co_await acceptor->async_accept(session_strand, accept_error);
    if (!state->listens_with(acceptor)) co_return;
    if (ec) {
      // Out of file descriptors, most likely: what is open goes on, and closes some day.
      if (Clock::now() >= next_notice) {
        next_notice = Clock::now() + notice_pause;
        state->notice("accept: " + ec.message());
      }
      co_await state->changed.wait_until(Clock::now() + accept_pause);
      continue;
    }
    error_code ignored;
    ignored = socket.set_option(tcp::no_delay(true), ignored);
    auto session = std::make_shared<Session>(std::move(socket));
    if (state->add(session)) {
      asio::co_spawn(session_strand, run_session(state, session), asio::detached);
    } else {
      session->connection->close_soon();
    }
  }
}

Result<void> load_tls(HttpServer::State& state) {
  const std::lock_guard lock(state.tls_mutex);
  auto text = read_tls_files(*state.served->options.tls);
  if (!text) return std::unexpected(std::move(text.error()));
  if (*text == state.tls_text) return {};
  auto context = TlsContext::server(*text);
  if (!context) return std::unexpected(std::move(context.error()));
  state.tls_text = std::move(*text);
  state.tls.store(std::move(*context));
  return {};
}

/// Looks at the content, not at times: mounted Secrets swap a link.
asio::awaitable<void> reload_tls(std::shared_ptr<HttpServer::State> state,
                                 std::shared_ptr<tcp::acceptor> until) {
  std::string told;
  while (state->listens_with(until)) {
    state->reload_timer.expires_after(state->served->options.tls_reload_every);
    co_await state->reload_timer.async_wait(accept_error);
    if (!state->listens_with(until)) co_return;
    const auto before = state->tls.load();
    const auto loaded = load_tls(*state);
    if (!loaded && loaded.error().message != told) {
      told = loaded.error().message;
      state->notice("tls reload: " + told + ": the old certificate stays");
    } else if (loaded && state->tls.load() != before) {
      told.clear();
      state->notice("tls reload: new certificate in use");
    }
  }
}

Result<std::shared_ptr<tcp::acceptor>> open_acceptor(const Strand& strand,
                                                     const std::string& address,
                                                     std::uint16_t port) {
  error_code ec;
  const auto where = asio::ip::make_address(address, ec);
  if (ec) return fail(ErrorCode::invalid, "listen address " + address + ": " + ec.message());
  auto acceptor = std::make_shared<tcp::acceptor>(strand);
  const tcp::endpoint endpoint(where, port);
  ec = acceptor->open(endpoint.protocol(), ec);
  if (!ec) ec = acceptor->set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) ec = acceptor->bind(endpoint, ec);
  if (!ec) ec = acceptor->listen(asio::socket_base::max_listen_connections, ec);
  if (ec) {
    return fail(ErrorCode::unavailable,
                "listen on " + address + ":" + std::to_string(port) + ": " + ec.message());
  }
  return acceptor;
}

}  // namespace

HttpServer::HttpServer(asio::io_context& io, HttpServerOptions options, HttpHandler handler)
    : state_(std::make_shared<State>(io, std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() {
  stop_listening();
  close_all();
}

Result<std::uint16_t> HttpServer::listen() {
  const auto& options = state_->served->options;
  if (options.tls) {
    if (auto loaded = load_tls(*state_); !loaded) {
      return std::unexpected(std::move(loaded.error()).within("tls"));
    }
  }
  auto opened = open_once();
  if (!opened) return std::unexpected(std::move(opened.error()));
  if (!*opened) return state_->port;
  // Not under the mutex: called from one of the threads of `io`, these start at once.
  asio::co_spawn(state_->strand, accept_all(state_, *opened), asio::detached);
  if (options.tls) asio::co_spawn(state_->strand, reload_tls(state_, *opened), asio::detached);
  return state_->port;
}

/// A new acceptor; null if there is one already.
Result<std::shared_ptr<asio::ip::tcp::acceptor>> HttpServer::open_once() {
  const std::lock_guard lock(state_->mutex);
  if (state_->acceptor) return std::shared_ptr<tcp::acceptor>();
  const auto& options = state_->served->options;
  const auto port = state_->port != 0 ? state_->port : options.port;
  auto acceptor = open_acceptor(state_->strand, options.address, port);
  if (!acceptor) return acceptor;
  state_->acceptor = *acceptor;
  state_->port = (*acceptor)->local_endpoint().port();
  state_->served->draining = false;
  return acceptor;
}

void HttpServer::stop_listening() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->acceptor) return;
  // Frees the port at once; only the strand may close what it waits on.
  ::shutdown(state_->acceptor->native_handle(), SHUT_RDWR);
  asio::post(state_->strand, [state = state_, acceptor = std::move(state_->acceptor)] {
    error_code ignored;
    ignored = acceptor->close(ignored);
    state->reload_timer.cancel();
  });
  state_->acceptor = nullptr;
}

void HttpServer::close_all() {
  for (const auto& session : state_->all()) session->connection->close_soon();
}

namespace {

/// On the session's strand: an idle connection has nothing to wait for.
void close_if_idle(const std::shared_ptr<Session>& session) {
  asio::post(session->connection->executor(), [session] {
    if (!session->busy) session->connection->close();
  });
}

asio::awaitable<std::size_t> drain_sessions(std::shared_ptr<HttpServer::State> state,
                                            std::chrono::steady_clock::time_point deadline) {
  for (const auto& session : state->all()) close_if_idle(session);
  while (state->count() > 0 && std::chrono::steady_clock::now() < deadline) {
    co_await state->changed.wait_until(deadline);
  }
  const auto left = state->all();
  for (const auto& session : left) session->connection->close_soon();
  co_return left.size();
}

}  // namespace

asio::awaitable<std::size_t> HttpServer::drain(std::chrono::milliseconds at_most) {
  const auto state = state_;
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  state->served->draining = true;
  stop_listening();
  co_return co_await asio::co_spawn(state->strand, drain_sessions(state, deadline),
                                    asio::use_awaitable);
}

std::size_t HttpServer::connections() const {
  return state_->count();
}

std::optional<Time> HttpServer::certificate_expiry() const {
  const auto tls = state_->tls.load();
  if (!tls) return std::nullopt;
  return tls->certificate_expiry();
}

}  // namespace dray::net
