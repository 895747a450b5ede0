#include "net/tls.h"

#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/net/echo.h"
#include "tests/unit/net/support.h"

namespace dray::net::tls_test {
namespace {

using namespace std::chrono_literals;
using testing::CertificateSpec;
using testing::Echo;
using testing::KeyPair;
using testing::make_certificate;
using testing::request;
using testing::TempFolder;

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

const std::string scheduler = "system:kube-scheduler";

enum class Issuer : std::uint8_t { ours, other, itself, below, below_unsent, leaf };

struct Client {
  const char* name;
  std::optional<CertificateSpec> spec;  // none: no certificate
  Issuer issuer = Issuer::ours;
  int status = 0;  // none: the handshake fails
};

CertificateSpec named(std::string name, std::string alternative = {}) {
  return {.common_name = std::move(name), .subject_alt_name = std::move(alternative)};
}

std::vector<Client> client_certificates() {
  const auto lasting = [&](long from, long to) {
    auto spec = named(scheduler);
    spec.valid_from = from;
    spec.valid_to = to;
    return spec;
  };
  const auto used_for = [&](const char* usage) {
    auto spec = named(scheduler);
    spec.key_usage = usage;
    return spec;
  };
  return {Client{"the scheduler", named(scheduler), Issuer::ours, 200},
          Client{"for clients alone", used_for("clientAuth"), Issuer::ours, 200},
          Client{"by an authority below ours", named(scheduler), Issuer::below, 200},
          Client{"somebody else of ours", named("system:node:n1"), Issuer::ours, 403},
          Client{"a longer name", named(scheduler + ".example.com"), Issuer::ours, 403},
          Client{"a shorter name", named("system:kube"), Issuer::ours, 403},
          Client{"other letters", named("System:Kube-Scheduler"), Issuer::ours, 403},
          Client{"the name among the alternatives alone",
                 named("other", "DNS:dray,URI:" + scheduler), Issuer::ours, 403},
          Client{"no name", named({}), Issuer::ours, 403},
          Client{"no certificate", std::nullopt, Issuer::ours, 0},
          Client{"another authority's", named(scheduler), Issuer::other, 0},
          Client{"signed by itself", named(scheduler), Issuer::itself, 0},
          Client{"an expired one", lasting(-7200, -60), Issuer::ours, 0},
          Client{"one of tomorrow", lasting(3600, 7200), Issuer::ours, 0},
          Client{"for servers alone", used_for("serverAuth"), Issuer::ours, 0},
          Client{"an authority between is missing", named(scheduler), Issuer::below_unsent, 0},
          Client{"signed by who is no authority", named(scheduler), Issuer::leaf, 0}};
}

}  // namespace

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
  const auto row = GENERATE(from_range(client_certificates()));
  DYNAMIC_SECTION(row.name) {
    const Pki pki;
    auto server = pki.server(localhost, true);
    server.allowed_clients = {scheduler};
    Echo echo(server);
    auto options = pki.client();
    if (row.spec) {
      auto between = named("between");
      between.authority = row.issuer != Issuer::leaf;
      const auto below = make_certificate(between, &pki.ca);
      const KeyPair* issuer = &below;
      if (row.issuer == Issuer::ours) issuer = &pki.ca;
      if (row.issuer == Issuer::other) issuer = &pki.other_ca;
      if (row.issuer == Issuer::itself) issuer = nullptr;
      const auto pair = make_certificate(*row.spec, issuer);
      const bool sends_chain = row.issuer == Issuer::below || row.issuer == Issuer::leaf;
      options.tls.certificate = pair.certificate + (sends_chain ? below.certificate : "");
      options.tls.key = pair.key;
    }
    const auto client = echo.client(options);
    const auto result = echo.loop.run(client->send(request("GET", "/"), 5s));
    CHECK(result.has_value() == (row.status != 0));
    if (result) CHECK(result->status == row.status);
    if (row.status == 200) CHECK(result->body == "system:kube-scheduler|GET/");
    if (row.status != 200) CHECK(echo.seen->peers.empty());
  }
}

TEST_CASE("a client that is not allowed is refused before its body is read") {
  const Pki pki;
  auto server = pki.server(localhost, true);
  server.allowed_clients = {"system:kube-scheduler"};
  server.limits.body_bytes = 10;
  Echo echo(server);
  auto options = pki.client();
  const auto pair = make_certificate({.common_name = "system:node:n1",
                                      .subject_alt_name = "",
                                      .authority = false,
                                      .valid_from = -7200,
                                      .valid_to = 3600},
                                     &pki.ca);
  options.tls.certificate = pair.certificate;
  options.tls.key = pair.key;
  const auto client = echo.client(options);
  // More than the port takes from anybody: whose body is read gets 413.
  const auto result = echo.loop.run(client->send(request("POST", "/", std::string(100, 'x')), 5s));
  REQUIRE(result);
  CHECK(result->status == 403);
  CHECK(echo.seen->peers.empty());
}

TEST_CASE("silent connections keep no client out that shows its certificate") {
  const Pki pki;
  auto server = pki.server(localhost, true);
  server.max_connections = 2;
  server.max_handshakes = 2;
  Echo echo(server);
  std::vector<std::unique_ptr<testing::RawClient>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<testing::RawClient>(echo.port));
  auto options = pki.client();
  const auto pair = make_certificate({.common_name = "system:kube-scheduler",
                                      .subject_alt_name = "",
                                      .authority = false,
                                      .valid_from = -7200,
                                      .valid_to = 3600},
                                     &pki.ca);
  options.tls.certificate = pair.certificate;
  options.tls.key = pair.key;
  const auto client = echo.client(options);
  const auto result = echo.loop.run(client->send(request("GET", "/"), 5s));
  REQUIRE(result);
  CHECK(result->status == 200);
  CHECK(silent.front()->read_all().empty());  // the oldest was closed
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

TEST_CASE("certificates that cannot be used are errors that say which") {
  const Pki pki;
  const auto own = make_certificate(localhost, &pki.ca);
  const auto other = make_certificate(localhost, &pki.ca);
  const auto says = [](const auto& made, const std::string& word) {
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::invalid);
    CHECK_THAT(made.error().message, Catch::Contains(word));
  };
  says(TlsContext::server({.certificate = "x", .key = own.key, .client_ca = ""}), "certificate: ");
  says(TlsContext::server({.certificate = own.certificate, .key = "x", .client_ca = ""}), "key: ");
  says(TlsContext::server({.certificate = own.certificate, .key = other.key, .client_ca = ""}),
       "key: ");
  says(TlsContext::server({.certificate = own.certificate, .key = own.key, .client_ca = "x"}),
       "client: certificate authority: ");
  ClientTls client;
  client.ca = "x";
  says(TlsContext::client(client), "certificate authority: ");
  client.ca = pki.ca.certificate;
  client.certificate = own.certificate;
  client.key = other.key;
  says(TlsContext::client(client), "client: key: ");
  CHECK(TlsContext::server({.certificate = own.certificate, .key = own.key, .client_ca = ""}));
}

TEST_CASE("a file that is missing or empty is named") {
  TempFolder folder;
  const auto good = folder.write("good", "text");
  const auto empty = folder.write("empty", "");
  const auto nowhere = folder.path() + "/nowhere";
  const auto message = [](const ServerTlsFiles& files) {
    const auto read = read_tls_files(files);
    return read ? std::string() : read.error().message;
  };
  CHECK(message({.certificate = nowhere, .key = good, .client_ca = ""}) ==
        "certificate: " + nowhere + ": cannot be read: no such file or directory");
  CHECK(message({.certificate = good, .key = empty, .client_ca = ""}) ==
        "key: " + empty + ": is empty");
  CHECK(message({.certificate = good, .key = good, .client_ca = nowhere}) ==
        "client ca: " + nowhere + ": cannot be read: no such file or directory");
  CHECK(message({.certificate = good, .key = good, .client_ca = good}).empty());
}

}  // namespace dray::net::tls_test
