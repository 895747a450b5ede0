#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "net/http_client.h"
#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::net::testing {

/// Whom an Echo has heard from.
struct Seen {
  std::mutex mutex;
  std::set<std::string> peers;
};

inline boost::asio::awaitable<HttpResponse> echoed(HttpRequest request,
                                                   std::shared_ptr<Seen> seen) {
  {
    const std::lock_guard lock(seen->mutex);
    seen->peers.insert(request.peer);
  }
  co_return text_response(
      200, request.client_name + "|" + request.method + request.target + request.body);
}

/// A server that answers `CLIENT|METHOD/TARGETBODY`, and clients of it.
struct Echo {
  explicit Echo(HttpServerOptions options = {}) : server(loop.io, std::move(options), handler()) {
    port = server.listen().value();
  }
  HttpHandler handler() {
    return [seen = seen](HttpRequest request) { return echoed(std::move(request), seen); };
  }
  std::unique_ptr<HttpClient> client(HttpClientOptions options = {}) {
    options.base.host = options.base.host.empty() ? "127.0.0.1" : options.base.host;
    options.base.port = port;
    return HttpClient::make(loop.io, std::move(options)).value();
  }

  std::shared_ptr<Seen> seen = std::make_shared<Seen>();
  Loop loop;
  HttpServer server;
  std::uint16_t port = 0;
};

inline HttpRequest request(std::string method, std::string target, std::string body = {}) {
  HttpRequest made;
  made.method = std::move(method);
  made.target = std::move(target);
  made.body = std::move(body);
  return made;
}

}  // namespace dray::net::testing
