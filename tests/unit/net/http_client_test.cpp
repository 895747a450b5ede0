#include "net/http_client.h"

#include <catch2/catch.hpp>
#include <set>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::net::http_client_test {
namespace {

using namespace std::chrono_literals;
using testing::CertificateSpec;
using testing::KeyPair;
using testing::Loop;
using testing::make_certificate;
using testing::RawServer;
using testing::TempFolder;
namespace asio = boost::asio;

struct Seen {
  std::mutex mutex;
  std::set<std::string> peers;
};

asio::awaitable<HttpResponse> answer(HttpRequest request, std::shared_ptr<Seen> seen) {
  {
    const std::lock_guard lock(seen->mutex);
    seen->peers.insert(request.peer);
  }
  co_return text_response(
      200, request.client_name + "|" + request.method + request.target + request.body);
}

struct Echo {
  explicit Echo(HttpServerOptions options = {}) : server(loop.io, std::move(options), handler()) {
    port = server.listen().value();
  }
  HttpHandler handler() {
    return [seen = seen](HttpRequest request) { return answer(std::move(request), seen); };
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

HttpRequest request(std::string method, std::string target, std::string body = {}) {
  HttpRequest made;
  made.method = std::move(method);
  made.target = std::move(target);
  made.body = std::move(body);
  return made;
}

std::unique_ptr<HttpClient> client_of(Loop& loop, const RawServer& server) {
  HttpClientOptions options;
  options.base = {false, "127.0.0.1", server.port(), ""};
  return HttpClient::make(loop.io, options).value();
}

/// An authority and a server below it with files for HttpServer.
struct Pki {
  KeyPair ca =
      make_certificate({.common_name = "test ca", .subject_alt_name = "", .authority = true});
  KeyPair other_ca =
      make_certificate({.common_name = "other ca", .subject_alt_name = "", .authority = true});
  TempFolder folder;

  HttpServerOptions server(const CertificateSpec& spec, bool mutual) const {
    const auto pair = make_certificate(spec, &ca);
    HttpServerOptions options;
    options.tls =
        ServerTlsFiles{folder.write("tls.crt", pair.certificate), folder.write("tls.key", pair.key),
                       mutual ? folder.write("ca.crt", ca.certificate) : ""};
    return options;
  }
  HttpClientOptions client() const {
    HttpClientOptions options;
    options.base.tls = true;
    options.tls.ca = ca.certificate;
    return options;
  }
};

const CertificateSpec localhost{.common_name = "dray",
                                .subject_alt_name = "DNS:localhost,IP:127.0.0.1"};

}  // namespace

TEST_CASE("requests share kept-alive connections") {
  Echo echo;
  const auto client = echo.client();
  for (int i = 0; i < 20; ++i) {
    const auto response = echo.loop.run(client->send(request("POST", "/a", "b"), 5s));
    REQUIRE(response);
    CHECK(response->status == 200);
    CHECK(response->body == "|POST/ab");
  }
  CHECK(echo.seen->peers.size() == 1);
}

TEST_CASE("no more connections are open than allowed") {
  Echo echo;
  HttpClientOptions options;
  options.max_connections = 3;
  const auto client = echo.client(options);
  std::vector<std::future<Result<HttpResponse>>> pending;
  for (int i = 0; i < 200; ++i) {
    pending.push_back(echo.loop.start(client->send(request("GET", "/" + std::to_string(i)), 20s)));
  }
  for (int i = 0; i < 200; ++i) {
    const auto response = pending[static_cast<std::size_t>(i)].get();
    REQUIRE(response);
    CHECK(response->body == "|GET/" + std::to_string(i));
  }
  CHECK(echo.seen->peers.size() <= 3);
}

TEST_CASE("a base path and headers are sent") {
  RawServer server;
  Loop loop;
  HttpClientOptions options;
  options.base = {false, "localhost", server.port(), "/proxy"};
  const auto client = HttpClient::make(loop.io, options).value();
  auto asked = request("PUT", "/x", "ab");
  asked.headers = {{"Authorization", "Bearer t"}};
  auto pending = loop.start(client->send(asked, 5s));
  auto socket = server.accept();
  const auto text = RawServer::read_until(socket, "\r\n\r\nab");
  CHECK(text == "PUT /proxy/x HTTP/1.1\r\nHost: localhost:" + std::to_string(server.port()) +
                    "\r\nAuthorization: Bearer t\r\nContent-Length: 2\r\n\r\nab");
  RawServer::send(
      socket, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-Length: 1\r\n\r\nx");
  const auto response = pending.get();
  REQUIRE(response);
  CHECK(response->status == 409);
  CHECK(response->body == "x");
}

TEST_CASE("a connection that the server closed while idle is not used") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  const auto* const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  {
    auto pending = loop.start(client->send(request("POST", "/1"), 5s));
    auto socket = server.accept();
    RawServer::read_until(socket, "\r\n\r\n");
    RawServer::send(socket, ok);
    REQUIRE(pending.get());
    // Closed here; loopback delivers the end before close() returns.
  }
  auto pending = loop.start(client->send(request("POST", "/2"), 5s));
  auto socket = server.accept();
  CHECK(RawServer::read_until(socket, "\r\n\r\n").starts_with("POST /2 "));
  RawServer::send(socket, ok);
  CHECK(pending.get());
}

TEST_CASE("only what has no effect is sent again when a kept connection dies under it") {
  const auto method =
      GENERATE(std::string("GET"), std::string("PUT"), std::string("POST"), std::string("PATCH"));
  DYNAMIC_SECTION(method) {
    RawServer server;
    Loop loop;
    const auto client = client_of(loop, server);
    auto first = loop.start(client->send(request("GET", "/1"), 5s));
    auto socket = server.accept();
    RawServer::read_until(socket, "\r\n\r\n");
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    REQUIRE(first.get());
    auto second = loop.start(client->send(request(method, "/2"), 5s));
    RawServer::read_until(socket, "\r\n\r\n");
    socket.close();
    if (method == "GET") {
      auto again = server.accept();
      CHECK(RawServer::read_until(again, "\r\n\r\n").starts_with("GET /2 "));
      RawServer::send(again, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      CHECK(second.get());
    } else {
      const auto result = second.get();
      REQUIRE_FALSE(result);
      CHECK(result.error().code == ErrorCode::unavailable);
    }
  }
}

TEST_CASE("an answer that is cut is an error, for GET too") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  auto pending = loop.start(client->send(request("GET", "/"), 5s));
  {
    auto socket = server.accept();
    RawServer::read_until(socket, "\r\n\r\n");
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  }
  const auto result = pending.get();
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "connection ended within a response");
}

TEST_CASE("a deadline ends every kind of waiting") {
  RawServer server;
  Loop loop;
  SECTION("for an answer") {
    const auto client = client_of(loop, server);
    const auto result = loop.run(client->send(request("GET", "/"), 30ms));
    REQUIRE_FALSE(result);
    CHECK(result.error() == Error{ErrorCode::unavailable, "read: timed out"});
  }
  SECTION("for a connection to become free") {
    HttpClientOptions options;
    options.base = {false, "127.0.0.1", server.port(), ""};
    options.max_connections = 1;
    const auto client = HttpClient::make(loop.io, options).value();
    auto first = loop.start(client->send(request("GET", "/1"), 5s));
    auto socket = server.accept();
    const auto result = loop.run(client->send(request("GET", "/2"), 30ms));
    REQUIRE_FALSE(result);
    CHECK(result.error().message == "no connection was free in time");
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    CHECK(first.get());
  }
}

TEST_CASE("nobody listening is unavailable") {
  Loop loop;
  std::uint16_t port = 0;
  {
    const RawServer gone;
    port = gone.port();
  }
  HttpClientOptions options;
  options.base = {false, "127.0.0.1", port, ""};
  const auto client = HttpClient::make(loop.io, options).value();
  const auto result = loop.run(client->send(request("GET", "/"), 5s));
  REQUIRE_FALSE(result);
  CHECK(result.error() == Error{ErrorCode::unavailable, "connect: Connection refused"});
}

TEST_CASE("close_all fails what is under way and the client goes on") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  auto pending = loop.start(client->send(request("POST", "/1"), 5s));
  auto socket = server.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  client->close_all();
  CHECK_FALSE(pending.get());
  auto next = loop.start(client->send(request("POST", "/2"), 5s));
  auto again = server.accept();
  RawServer::read_until(again, "\r\n\r\n");
  RawServer::send(again, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  CHECK(next.get());
}

TEST_CASE("TLS works with names and addresses that the certificate has") {
  const Pki pki;
  Echo echo(pki.server(localhost, false));
  const auto* const host = GENERATE("127.0.0.1", "localhost");
  DYNAMIC_SECTION(host) {
    auto options = pki.client();
    options.base.host = host;
    const auto client = echo.client(options);
    for (int i = 0; i < 3; ++i) {
      const auto response =
          echo.loop.run(client->send(request("POST", "/a", std::string(100'000, 'b')), 5s));
      REQUIRE(response);
      CHECK(response->body.size() == 100'007);
    }
    CHECK(echo.seen->peers.size() == 1);
  }
}

TEST_CASE("a server that is not who it should be gets no request") {
  struct Row {
    const char* name;
    CertificateSpec spec;
    bool trusted = true;
    const char* server_name = "";
    const char* want = "";
  };
  const auto row = GENERATE(
      Row{"another authority", localhost, false, "", "certificate"},
      Row{"another name",
          {.common_name = "localhost", .subject_alt_name = "DNS:example.com"},
          true,
          "",
          "mismatch"},
      Row{"expired",
          {.common_name = "x",
           .subject_alt_name = "IP:127.0.0.1",
           .authority = false,
           .valid_from = -7200,
           .valid_to = -3600},
          true,
          "",
          "expired"},
      Row{"not yet valid",
          {.common_name = "x",
           .subject_alt_name = "IP:127.0.0.1",
           .authority = false,
           .valid_from = 3600,
           .valid_to = 7200},
          true,
          "",
          "not yet valid"},
      Row{"not the name asked for", localhost, true, "kubernetes.default.svc", "mismatch"});
  DYNAMIC_SECTION(row.name) {
    const Pki pki;
    Echo echo(pki.server(row.spec, false));
    auto options = pki.client();
    if (!row.trusted) options.tls.ca = pki.other_ca.certificate;
    options.tls.server_name = row.server_name;
    const auto client = echo.client(options);
    const auto result = echo.loop.run(client->send(request("POST", "/"), 5s));
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::unavailable);
    CHECK(result.error().message.find(row.want) != std::string::npos);
    CHECK(echo.seen->peers.empty());
  }
}

TEST_CASE("verification can be switched off, and the name to check be given") {
  const Pki pki;
  Echo echo(pki.server({.common_name = "x", .subject_alt_name = "DNS:api.example.com"}, false));
  auto options = pki.client();
  SECTION("off") {
    options.tls.ca.clear();
    options.tls.verify = false;
  }
  SECTION("another name") {
    options.tls.server_name = "api.example.com";
  }
  const auto client = echo.client(options);
  CHECK(echo.loop.run(client->send(request("GET", "/"), 5s)));
}

TEST_CASE("mutual TLS lets in whom the authority signed, and whom the list names") {
  struct Row {
    const char* name;
    const char* common_name;  // none: no certificate
    bool ours = true;
    long valid_to = 3600;
    int status = 0;  // none: the handshake fails
  };
  const auto row = GENERATE(Row{"the scheduler", "system:kube-scheduler", true, 3600, 200},
                            Row{"somebody else of ours", "system:node:n1", true, 3600, 403},
                            Row{"no certificate", nullptr, true, 3600, 0},
                            Row{"another authority's", "system:kube-scheduler", false, 3600, 0},
                            Row{"an expired one", "system:kube-scheduler", true, -60, 0});
  DYNAMIC_SECTION(row.name) {
    const Pki pki;
    auto server = pki.server(localhost, true);
    server.allowed_clients = {"system:kube-scheduler"};
    Echo echo(server);
    auto options = pki.client();
    if (row.common_name != nullptr) {
      const auto pair = make_certificate({.common_name = row.common_name,
                                          .subject_alt_name = "",
                                          .authority = false,
                                          .valid_from = -7200,
                                          .valid_to = row.valid_to},
                                         row.ours ? &pki.ca : &pki.other_ca);
      options.tls.certificate = pair.certificate;
      options.tls.key = pair.key;
    }
    const auto client = echo.client(options);
    const auto result = echo.loop.run(client->send(request("GET", "/"), 5s));
    CHECK(result.has_value() == (row.status != 0));
    if (result) CHECK(result->status == row.status);
    if (row.status == 200) CHECK(result->body == "system:kube-scheduler|GET/");
  }
}

TEST_CASE(
    "a server takes a new certificate when its files change, and keeps the old one if they are "
    "bad") {
  const Pki pki;
  auto options = pki.server(localhost, false);
  options.tls_reload_every = 5ms;
  struct Notices {
    std::mutex mutex;
    std::vector<std::string> texts;
    std::promise<void> first;
  };
  const auto notices = std::make_shared<Notices>();
  options.on_notice = [notices](const std::string& text) {
    const std::lock_guard lock(notices->mutex);
    notices->texts.push_back(text);
    if (notices->texts.size() == 1) notices->first.set_value();
  };
  Echo echo(options);
  const auto before = echo.server.certificate_expiry();
  SECTION("good") {
    const auto pair = make_certificate({.common_name = "new",
                                        .subject_alt_name = "IP:127.0.0.1",
                                        .authority = false,
                                        .valid_from = -60,
                                        .valid_to = 86400},
                                       &pki.ca);
    // The pair does not fit together in between: that is noticed and passes.
    pki.folder.write("tls.key", pair.key);
    pki.folder.write("tls.crt", pair.certificate);
    notices->first.get_future().wait();
    while (echo.server.certificate_expiry() == before) std::this_thread::yield();
  }
  SECTION("bad") {
    pki.folder.write("tls.crt", "nonsense");
    notices->first.get_future().wait();
    const std::lock_guard lock(notices->mutex);
    CHECK(notices->texts.front().find("the old certificate stays") != std::string::npos);
    CHECK(echo.server.certificate_expiry() == before);
  }
  const auto client = echo.client(pki.client());
  CHECK(echo.loop.run(client->send(request("GET", "/"), 5s)));
}

TEST_CASE("a plain request to a TLS port and TLS to a plain port fail cleanly") {
  const Pki pki;
  SECTION("plain to TLS") {
    Echo echo(pki.server(localhost, false));
    const auto client = echo.client();
    CHECK_FALSE(echo.loop.run(client->send(request("GET", "/"), 5s)));
  }
  SECTION("TLS to plain") {
    Echo echo;
    const auto client = echo.client(pki.client());
    CHECK_FALSE(echo.loop.run(client->send(request("GET", "/"), 5s)));
  }
}

}  // namespace dray::net::http_client_test
