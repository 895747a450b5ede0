#include "net/tunnel.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "net/http.h"
#include "net/http_exchange.h"
#include "net/http_parser.h"

namespace dray::net {

namespace asio = boost::asio;

namespace {

std::unexpected<Error> refusal(const Proxy& proxy, const std::string& why) {
  return fail(ErrorCode::unavailable,
              fmt::format("the proxy {}:{} {}", proxy.host, proxy.port, why));
}

}  // namespace

asio::awaitable<Result<void>> tunnel(std::shared_ptr<Connection> connection, Proxy proxy,
                                     Url server) {
  const auto host = server.host.contains(':') ? "[" + server.host + "]" : server.host;
  auto head = fmt::format("CONNECT {0}:{1} HTTP/1.1\r\nHost: {0}:{1}\r\n", host, server.port);
  if (!proxy.authorization.empty()) {
    head += fmt::format("Proxy-Authorization: {}\r\n", proxy.authorization);
  }
  head += "\r\n";
  if (auto sent = co_await connection->write(head, ""); !sent) co_return sent;
  // As after HEAD, there is no body: what follows is the server's.
  const auto parser = std::make_shared<HttpResponseParser>(HttpLimits(), true);
  const auto inbox = std::make_shared<std::string>();
  while (!parser->header_done()) {
    if (auto read = co_await read_into(connection, parser, inbox); !read) co_return read;
  }
  const auto status = parser->response().status;
  if (status / 100 != 2) {
    co_return refusal(proxy, fmt::format("answers {} {}", status, status_text(status)));
  }
  // Neither TLS nor HTTP has the server speak first.
  if (!inbox->empty()) co_return refusal(proxy, "says more than it should");
  co_return Result<void>{};
}

}  // namespace dray::net
