#include "net/http_session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <exception>
#include <utility>

namespace dray::net {
namespace {

namespace asio = boost::asio;

constexpr std::size_t header_chunk = 16UL * 1024;
constexpr std::size_t body_chunk = 64UL * 1024;
constexpr std::uint64_t uncounted_body = body_chunk;  ///< of each body: small requests are served
constexpr auto farewell = std::chrono::seconds(2);

/// What became of waiting for a request.
struct Received {
  enum class Outcome { request, refused, nothing } outcome = Outcome::nothing;
  HttpRequest request;
  bool keep_alive = false;
};

std::string http_date() {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(std::time(nullptr)));
}

bool may_carry_length(int status) {
  return status >= 200 && status != 204 && status != 304;
}

/// A header's value cannot end its line.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return text;
}

std::string head_of(const HttpResponse& response, bool keep_alive) {
  auto head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                          status_text(response.status), http_date());
  for (const auto& header : response.headers) {
    head += fmt::format("{}: {}\r\n", one_line(header.name), one_line(header.value));
  }
  if (response.stream) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (may_carry_length(response.status)) {
    head += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  return head + (keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

asio::awaitable<bool> read_more(std::shared_ptr<Session> session, std::size_t at_most) {
  auto& inbox = session->inbox;
  const auto had = inbox.size();
  inbox.resize(had + at_most);
  const auto got = co_await session->connection->read_some(std::span(inbox).subspan(had));
  const auto count = got.value_or(0);
  inbox.resize(had + count);
  co_return count > 0;
}

class ChunkedSink final : public BodySink {
 public:
  ChunkedSink(std::shared_ptr<const ServedBy> server, std::shared_ptr<Session> session)
      : server_(std::move(server)), session_(std::move(session)) {}

  asio::awaitable<bool> write(std::string bytes) override {
    if (bytes.empty()) co_return open();
    const auto head = fmt::format("{:x}\r\n", bytes.size());
    bytes += "\r\n";
    co_return co_await send(head, bytes);
  }

  asio::awaitable<bool> finish() { co_return co_await send("0\r\n\r\n", {}); }

 private:
  /// A stream is the connection's last exchange as long as it lasts: whoever says something now
  /// says goodbye. Without a look at that, one who has gone is noticed at the next write only.
  bool open() const { return !failed_ && !server_->draining && session_->connection->is_quiet(); }

  asio::awaitable<bool> send(std::string_view head, std::string_view body) {
    if (failed_ || !session_->connection->is_open()) co_return false;
    session_->connection->expires_after(server_->options.write_timeout);
    const auto sent = co_await session_->connection->write(head, body);
    session_->connection->expires_at(Connection::Clock::time_point::max());
    failed_ = !sent;
    co_return open();
  }

  std::shared_ptr<const ServedBy> server_;
  std::shared_ptr<Session> session_;
  bool failed_ = false;
};

/// Sends the response; whether the connection may go on.
asio::awaitable<bool> send_response(std::shared_ptr<const ServedBy> server,
                                    std::shared_ptr<Session> session, HttpResponse response,
                                    bool head_request, bool keep_alive) {
  keep_alive = keep_alive && !server->draining;
  const auto head = head_of(response, keep_alive);
  const bool streams = response.stream && !head_request;
  const auto body = head_request || streams || !may_carry_length(response.status)
                        ? std::string_view()
                        : std::string_view(response.body);
  session->connection->expires_after(server->options.write_timeout);
  if (!co_await session->connection->write(head, body)) co_return false;
  if (streams) {
    session->connection->expires_at(Connection::Clock::time_point::max());
    const auto sink = std::make_shared<ChunkedSink>(server, session);
    co_await response.stream(sink);
    if (!co_await sink->finish()) co_return false;
  }
  co_return keep_alive;
}

asio::awaitable<void> refuse(std::shared_ptr<const ServedBy> server,
                             std::shared_ptr<Session> session, HttpParseError why) {
  auto response = text_response(why.status, why.message + "\n");
  if (why.status == 503) response.headers.push_back({"Retry-After", "1"});
  co_await send_response(std::move(server), std::move(session), std::move(response), false, false);
}

Received complete(HttpRequestParser& parser, const std::shared_ptr<Connection>& connection) {
  const bool keep_alive = parser.keep_alive();
  auto request = parser.take();
  request.peer = connection->peer();
  request.client_name = connection->peer_name();
  // Who keeps the request does not keep the connection, which ends before its io_context does.
  request.has_left = [asked_on = std::weak_ptr(connection)] {
    const auto open = asked_on.lock();
    return open == nullptr || open->peer_has_closed();
  };
  return {Received::Outcome::request, std::move(request), keep_alive};
}

/// Receives one request, each of its parts within its time. `body` outlives it.
asio::awaitable<Received> receive(std::shared_ptr<const ServedBy> server,
                                  std::shared_ptr<Session> session, HeldBody* body) {
  const auto& options = server->options;
  auto& connection = *session->connection;
  if (session->inbox.empty()) {
    session->inbox = {};  // an idle connection holds no more than it needs
    connection.expires_after(options.idle_timeout);
    if (!co_await read_more(session, header_chunk)) co_return Received{};
  }
  session->busy = true;
  connection.expires_after(options.header_timeout);
  HttpRequestParser parser(options.limits);
  bool in_body = false;
  for (;;) {
    const auto used = parser.feed(session->inbox);
    if (!session->allowed && (!used || parser.header_done())) {
      // Named: g++ 12 destroys what is made inside of a co_await expression twice.
      HttpParseError why{403, "this client certificate's name is not allowed here"};
      co_await refuse(server, session, std::move(why));
      co_return Received{Received::Outcome::refused, {}, false};
    }
    if (!used) {
      co_await refuse(server, session, used.error());
      co_return Received{Received::Outcome::refused, {}, false};
    }
    session->inbox.erase(0, *used);
    if (!body->grow_to(parser.body_received())) {
      HttpParseError why{503, "bodies of other requests take all memory that there is for them"};
      co_await refuse(server, session, std::move(why));
      co_return Received{Received::Outcome::refused, {}, false};
    }
    if (parser.done()) co_return complete(parser, session->connection);
    if (parser.header_done() && !std::exchange(in_body, true)) {
      connection.expires_after(options.body_timeout);
      if (parser.expects_continue()) {
        const auto sent = co_await connection.write("HTTP/1.1 100 Continue\r\n\r\n", {});
        if (!sent) co_return Received{};
      }
    }
    if (!co_await read_more(session, in_body ? body_chunk : header_chunk)) co_return Received{};
  }
}

asio::awaitable<HttpResponse> handle(std::shared_ptr<const ServedBy> server, HttpRequest request) {
  const auto& hosts = server->options.hosts;
  if (!hosts.empty() && !asks_for_host(request, hosts)) {
    co_return text_response(403, "this port is asked for by a name that is not its own\n");
  }
  try {
    co_return co_await server->handler(std::move(request));
  } catch (const std::exception& broken) {
    if (server->options.on_notice) {
      server->options.on_notice(std::string("request handler: ") + broken.what());
    }
    co_return text_response(500, "internal error\n");
  }
}

/// One request and its answer; whether another may follow.
asio::awaitable<bool> serve_one(std::shared_ptr<const ServedBy> server,
                                std::shared_ptr<Session> session) {
  HeldBody body(server);
  auto received = co_await receive(server, session, &body);
  if (received.outcome == Received::Outcome::nothing) session->connection->close();
  if (received.outcome != Received::Outcome::request) co_return false;
  const bool head_request = received.request.method == "HEAD";
  session->connection->expires_at(Connection::Clock::time_point::max());
  auto response = co_await handle(server, std::move(received.request));
  const bool goes_on = co_await send_response(server, session, std::move(response), head_request,
                                              received.keep_alive);
  session->busy = false;
  co_return goes_on && !server->draining;
}

}  // namespace

bool HeldBody::grow_to(std::uint64_t bytes) {
  if (bytes <= uncounted_body + counted_) return true;
  const auto more = bytes - uncounted_body - counted_;
  counted_ += more;
  const auto before = server_->body_bytes.fetch_add(more);
  return before + more <= server_->options.max_body_bytes;
}

asio::awaitable<bool> start_tls(std::shared_ptr<const ServedBy> server,
                                std::shared_ptr<Session> session,
                                std::shared_ptr<const TlsContext> tls) {
  session->connection->expires_after(server->options.handshake_timeout);
  if (!co_await session->connection->start_tls_server(tls)) {
    session->connection->close();
    co_return false;
  }
  const auto& allowed = server->options.allowed_clients;
  session->allowed = allowed.empty() ||
                     std::ranges::find(allowed, session->connection->peer_name()) != allowed.end();
  co_return true;
}

asio::awaitable<void> serve_session(std::shared_ptr<const ServedBy> server,
                                    std::shared_ptr<Session> session) {
  for (bool more = true; more;) more = co_await serve_one(server, session);
  co_await session->connection->close_gently(farewell);
}

}  // namespace dray::net
