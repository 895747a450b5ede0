#include "net/tls_failures.h"

#include <catch2/catch.hpp>

#include "tests/unit/net/echo.h"
#include "tests/unit/net/support.h"

namespace dray::net::tls_failures_test {
namespace {

using namespace std::chrono_literals;
using testing::make_certificate;

TEST_CASE("a failure of TLS lasts from its first to the next answer") {
  TlsFailures failures;
  const TlsFailures::Clock::time_point start{};
  CHECK_FALSE(failures.failing());
  failures.failed(start + 1s, "unknown authority");
  failures.failed(start + 5s, "expired");
  CHECK(failures.failing()->since == start + 1s);
  CHECK(failures.failing()->what == "expired");
  failures.ended();
  CHECK_FALSE(failures.failing());
  failures.failed(start + 9s, "expired");
  CHECK(failures.failing()->since == start + 9s);
}

TEST_CASE("what keeps a client from its server is TLS only where a certificate is refused") {
  const auto ca =
      make_certificate({.common_name = "ca", .subject_alt_name = "", .authority = true});
  const auto other =
      make_certificate({.common_name = "other ca", .subject_alt_name = "", .authority = true});
  const auto pair = make_certificate({.common_name = "x", .subject_alt_name = "IP:127.0.0.1"}, &ca);
  const testing::TempFolder folder;
  HttpServerOptions serving;
  serving.tls = ServerTlsFiles{folder.write("crt", pair.certificate), folder.write("key", pair.key),
                               folder.write("ca", ca.certificate)};
  testing::Echo echo(std::move(serving));
  const auto failures = std::make_shared<TlsFailures>();
  HttpClientOptions options;
  options.base.tls = true;
  options.tls = {ca.certificate, pair.certificate, pair.key, "", true};
  options.tls_failures = failures;
  const auto ask = [&](const HttpClientOptions& with) {
    const auto client = echo.client(with);
    return echo.loop.run(client->send(testing::request("GET", "/"), 20s));
  };
  REQUIRE(ask(options));
  CHECK_FALSE(failures->failing());
  SECTION("the client does not know the authority") {
    auto wrong = options;
    wrong.tls.ca = other.certificate;
    const auto answer = ask(wrong);
    REQUIRE_FALSE(answer);
    REQUIRE(failures->failing());
    CHECK(failures->failing()->what == answer.error().message);
  }
  SECTION("the server does not take the client's certificate") {
    auto wrong = options;
    wrong.tls.certificate.clear();
    wrong.tls.key.clear();
    REQUIRE_FALSE(ask(wrong));
    CHECK(failures->failing());
  }
  SECTION("nobody listens there: not TLS, and no failure of TLS any more") {
    failures->failed(TlsFailures::Clock::now(), "before");
    echo.server.stop_listening();
    REQUIRE_FALSE(ask(options));
    CHECK_FALSE(failures->failing());
    return;
  }
  REQUIRE(ask(options));
  CHECK_FALSE(failures->failing());
}

TEST_CASE("new certificates hold for the next request, on a new connection") {
  const auto ca =
      make_certificate({.common_name = "ca", .subject_alt_name = "", .authority = true});
  const auto server =
      make_certificate({.common_name = "x", .subject_alt_name = "IP:127.0.0.1"}, &ca);
  const auto old = make_certificate({.common_name = "old", .subject_alt_name = ""}, &ca);
  const auto next = make_certificate({.common_name = "next", .subject_alt_name = ""}, &ca);
  const testing::TempFolder folder;
  HttpServerOptions serving;
  serving.tls = ServerTlsFiles{folder.write("crt", server.certificate),
                               folder.write("key", server.key), folder.write("ca", ca.certificate)};
  testing::Echo echo(std::move(serving));
  HttpClientOptions options;
  options.base.tls = true;
  options.tls = {ca.certificate, old.certificate, old.key, "", true};
  const auto client = echo.client(options);
  const auto name = [&] {
    const auto answer = echo.loop.run(client->send(testing::request("GET", "/"), 20s)).value();
    return answer.body.substr(0, answer.body.find('|'));
  };
  CHECK(name() == "old");
  CHECK(name() == "old");
  options.tls.certificate = next.certificate;
  CHECK_FALSE(client->set_tls(options.tls));  // not its key
  CHECK(name() == "old");
  options.tls.key = next.key;
  REQUIRE(client->set_tls(options.tls));
  CHECK(name() == "next");
  CHECK(echo.seen->peers.size() == 2);
  options.tls.server_name = "another.name";
  REQUIRE(client->set_tls(options.tls));
  CHECK_FALSE(echo.loop.run(client->send(testing::request("GET", "/"), 20s)));
}

}  // namespace
}  // namespace dray::net::tls_failures_test
