#include "net/http_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "net/tunnel.h"

namespace dray::net {
namespace {

namespace asio = boost::asio;

constexpr std::size_t first_chunk = 16UL * 1024;
constexpr std::size_t later_chunk = 64UL * 1024;

bool carries_body(const HttpRequest& request) {
  return !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
         request.method == "PATCH";
}

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

Result<void> feed_from(std::string& inbox, HttpResponseParser& parser) {
  const auto used = parser.feed(inbox);
  if (!used) return std::unexpected(used.error());
  inbox.erase(0, *used);
  return {};
}

struct Answer {
  Result<void> received;
  bool begun = false;  ///< at least a byte of it came
};

/// Reads on until the response is complete; skips 1xx ones before it.
asio::awaitable<Answer> receive(std::shared_ptr<Connection> connection,
                                std::shared_ptr<HttpResponseParser> parser,
                                std::shared_ptr<std::string> inbox, HttpLimits limits,
                                bool head_request) {
  Answer answer;
  while (!parser->done()) {
    answer.received = co_await read_into(connection, parser, inbox);
    answer.begun = answer.begun || parser->header_done() || !inbox->empty();
    if (!answer.received) break;
    while (parser->done() && parser->response().status / 100 == 1) {
      *parser = HttpResponseParser(limits, head_request);
      answer.received = feed_from(*inbox, *parser);
      if (!answer.received) co_return answer;
    }
  }
  co_return answer;
}

}  // namespace

Result<std::string> request_head(const HttpRequest& request, const Url& base) {
  if (!is_one_line(request.method + request.target)) {
    return fail(ErrorCode::invalid, "not sent: its target is more than one line");
  }
  auto head = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\n", request.method, base.path,
                          request.target, base.authority());
  for (const auto& header : request.headers) {
    // Not with its value, which may be a secret.
    if (!is_one_line(header.name + header.value)) {
      return fail(ErrorCode::invalid, fmt::format("not sent: its header {} is more than one line",
                                                  is_one_line(header.name) ? header.name : ""));
    }
    head += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  if (carries_body(request)) head += fmt::format("Content-Length: {}\r\n", request.body.size());
  return head + "\r\n";
}

bool may_repeat(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

asio::awaitable<Result<void>> reach(std::shared_ptr<Connection> connection, Target target) {
  // No co_await in an operand of ?: g++ 12 frees what is in it twice.
  if (target.proxy) {
    auto reached = co_await connection->connect(target.proxy->host, target.proxy->port);
    if (reached) reached = co_await tunnel(connection, *target.proxy, target.url);
    if (!reached) co_return reached;
  } else {
    auto reached = co_await connection->connect(target.url.host, target.url.port);
    if (!reached) co_return reached;
  }
  if (!target.tls) co_return Result<void>{};
  co_return co_await connection->start_tls_client(target.tls, target.server_name);
}

asio::awaitable<Result<void>> read_into(std::shared_ptr<Connection> connection,
                                        std::shared_ptr<HttpResponseParser> parser,
                                        std::shared_ptr<std::string> inbox) {
  const auto had = inbox->size();
  inbox->resize(had + (parser->header_done() ? later_chunk : first_chunk));
  const auto got = co_await connection->read_some(std::span(*inbox).subspan(had));
  inbox->resize(had + got.value_or(0));
  if (!got) co_return std::unexpected(got.error());
  if (*got == 0) co_return parser->feed_end();
  co_return feed_from(*inbox, *parser);
}

asio::awaitable<Exchanged> exchange(std::shared_ptr<Connection> connection, bool fresh,
                                    Target target, std::shared_ptr<const HttpRequest> request,
                                    HttpLimits limits, Connection::Clock::time_point deadline) {
  Exchanged result;
  if (!fresh && !connection->is_quiet()) {
    result.stale = true;
    co_return result;
  }
  const auto head = request_head(*request, target.url);
  if (!head) {
    result.response = std::unexpected(head.error());
    co_return result;
  }
  connection->expires_at(deadline);
  if (fresh) {
    if (auto reached = co_await reach(connection, target); !reached) {
      result.response = std::unexpected(std::move(reached.error()));
      co_return result;
    }
  }
  if (request->may_go && !request->may_go()) {
    result.response = fail(ErrorCode::unavailable, "not sent: it may not go any more");
    co_return result;
  }
  const bool repeatable = !fresh && may_repeat(*request);
  if (auto sent = co_await connection->write(*head, request->body); !sent) {
    result.stale = repeatable && Connection::Clock::now() < deadline;
    result.response = std::unexpected(std::move(sent.error()));
    co_return result;
  }
  const bool head_request = request->method == "HEAD";
  const auto parser = std::make_shared<HttpResponseParser>(limits, head_request);
  const auto inbox = std::make_shared<std::string>();
  auto answer = co_await receive(connection, parser, inbox, limits, head_request);
  if (!answer.received) {
    result.stale = repeatable && !answer.begun && Connection::Clock::now() < deadline;
    result.response = std::unexpected(std::move(answer.received.error()));
    co_return result;
  }
  connection->expires_at(Connection::Clock::time_point::max());
  result.reusable = parser->keep_alive() && inbox->empty();
  result.response = std::move(parser->response());
  co_return result;
}

}  // namespace dray::net
