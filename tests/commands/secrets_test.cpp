#include <zstd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/commands/child.h"
#include "tests/commands/fake_api.h"
#include "tests/commands/http.h"
#include "tests/unit/net/support.h"

// Secrets that are planted wherever dray is given one are in nothing that it writes.

namespace dray::commands_test::secrets_test {
namespace {

namespace fs = std::filesystem;
using net::testing::make_certificate;
using testing::TempFolder;

/// Each of them anywhere, whole or its distinctive middle.
const std::array<std::string, 8> sentinels{"sentinelBearerToken7f3a", "sentinelExecToken91bc",
                                           "sentinelPassword5d20",    "sentinelProxyPass88e1",
                                           "sentinelHeaderToken4c6f", "sentinelFileToken2a9d",
                                           "sentinelAuthProvider17b", "sentinelOtlpHeader63d"};

std::string all_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a file of the record holds; its end may be missing.
std::string unpacked(const std::string& packed) {
  std::string text;
  auto* const stream = ZSTD_createDStream();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string part(1U << 16U, '\0');
  while (in.pos < in.size) {
    ZSTD_outBuffer out{part.data(), part.size(), 0};
    const auto left = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(left) != 0) break;
    text.append(part, 0, out.pos);
  }
  ZSTD_freeDStream(stream);
  return text;
}

/// The lines of a PEM key, each a secret of its own.
std::vector<std::string> secrets_of(const std::string& key) {
  auto all = lines(key);
  std::erase_if(all,
                [](const std::string& line) { return line.size() < 16 || line.contains("--"); });
  REQUIRE_FALSE(all.empty());
  return all;
}

void check_none(const std::string& where, const std::string& text,
                const std::vector<std::string>& more = {}) {
  INFO(where << ": " << text);
  for (const auto& secret : sentinels) CHECK_FALSE(text.contains(secret));
  for (const auto& secret : more) CHECK_FALSE(text.contains(secret));
}

std::vector<std::string> serve(const std::string& kubeconfig, const std::string& record) {
  return {"serve",
          "--kubeconfig",
          kubeconfig,
          "--leader-elect=false",
          "--extender-address",
          "127.0.0.1:0",
          "--admin-address",
          "127.0.0.1:0",
          "--insecure-extender",
          "--dashboard-address",
          "127.0.0.1:0",
          "--record",
          record,
          "-v",
          "10"};
}

const std::string pod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"team",)"
    R"("resourceVersion":"1","uid":"p"},"spec":{"schedulerName":"dray-scheduler",)"
    R"("containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}})";

/// Runs dray against `api`, asks it everything with secrets in the requests, and looks at all that
/// came of it.
void check_run(const std::string& kubeconfig, bool reaches,
               const std::vector<std::string>& secrets = {}) {
  const TempFolder folder;
  const auto record = folder.path() + "/record";
  Child child(serve(kubeconfig, record));
  const auto dashboard =
      port_after(child.wait_for_error("dashboard on port "), "dashboard on port ");
  const auto ports = child.wait_for_error("health and metrics on port ");
  const auto admin = port_after(ports, "health and metrics on port ");
  const auto extender = port_after(ports, "extender on port ");
  child.wait_for_error(reaches ? "the cluster has been listed" : "pods: ");
  const std::string headers = "Authorization: Bearer " + sentinels[4] +
                              "\r\nProxy-Authorization: Basic " + sentinels[4] +
                              "\r\nCookie: session=" + sentinels[4] + "\r\n";
  for (const auto* path : {"overview", "nodes", "queues", "waiting", "ledger", "policy", "health",
                           "metrics", "explain?pod=team/p", "nothing"}) {
    const auto target = std::string("/v1/dashboard/") + path;
    check_none(target, ask(dashboard, target, {}, headers).body, secrets);
  }
  for (const auto* path : {"/metrics", "/readyz?verbose", "/livez?verbose", "/nothing"}) {
    check_none(path, ask(admin, path, {}, headers).body, secrets);
  }
  for (const auto& body : {R"({"Pod":)" + pod + R"(,"NodeNames":["n"]})", std::string("{")}) {
    for (const auto* verb : {"filter", "prioritize", "preempt", "bind"}) {
      const auto answer = try_to_ask(extender, std::string("/v1/") + verb, body, headers);
      if (answer) check_none(verb, answer->body, secrets);
    }
  }
  child.send(SIGTERM);
  const auto ended = child.wait();
  CHECK(ended.status == 0);
  check_none("log", ended.err, secrets);
  CHECK(ended.out.empty());
  bool recorded = false;
  for (const auto& file : fs::directory_iterator(record)) {
    const auto text = unpacked(all_of(file.path().string()));
    recorded = recorded || !text.empty();
    check_none(file.path().string(), text, secrets);
  }
  CHECK(recorded);
}

std::string plugin_text(const std::string& output) {
  return "#!/bin/sh\n" + output + "\n";
}

}  // namespace

TEST_CASE("no secret of a kubeconfig or of a request is in logs, records, metrics or views") {
  const TempFolder folder;
  const bool refuses = GENERATE(false, true);
  const FakeApi api({}, refuses ? 401 : 200, {{"/api/v1/pods", pod}});
  // By name: in the sandbox hosts are looked up, too.
  const auto url = "http://localhost:" + std::to_string(api.port());
  const auto write = [&](const std::string& user, const std::string& more = {}) {
    return folder.write("kubeconfig", kubeconfig_text(url, user, more));
  };
  SECTION("a bearer token") {
    check_run(write("{token: " + sentinels[0] + "}"), !refuses);
    CHECK(api.logins().at(0) == "Bearer " + sentinels[0]);
  }
  SECTION("a bearer token in a file") {
    const auto token = folder.write("token", sentinels[5]);
    check_run(write("{tokenFile: " + token + "}"), !refuses);
    CHECK(api.logins().at(0) == "Bearer " + sentinels[5]);
  }
  SECTION("a token of a plugin") {
    const auto plugin = folder.write(
        "plugin", plugin_text("echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
                              "\"ExecCredential\",\"status\":{\"token\":\"" +
                              sentinels[1] + "\"}}'"));
    fs::permissions(plugin, fs::perms::owner_all);
    check_run(
        write("{exec: {apiVersion: client.authentication.k8s.io/v1, command: " + plugin +
              ", interactiveMode: Never, env: [{name: PASSWORD, value: " + sentinels[2] + "}]}}"),
        !refuses);
    CHECK(api.logins().at(0) == "Bearer " + sentinels[1]);
  }
}

TEST_CASE("a client's key is in nothing that dray writes") {
  const TempFolder folder;
  const auto authority = make_certificate({"authority", "", true});
  const auto server_pair = make_certificate({"server", "IP:127.0.0.1"}, &authority);
  const auto client_pair = make_certificate({"client", ""}, &authority);
  net::HttpServerOptions options;
  options.tls = net::ServerTlsFiles{.certificate = folder.write("crt", server_pair.certificate),
                                    .key = folder.write("key", server_pair.key),
                                    .client_ca = folder.write("ca", authority.certificate)};
  const FakeApi api(options, 200, {{"/api/v1/pods", pod}});
  const auto kubeconfig = folder.write(
      "kubeconfig",
      kubeconfig_text("https://127.0.0.1:" + std::to_string(api.port()),
                      "{client-certificate: " + folder.write("client", client_pair.certificate) +
                          ", client-key: " + folder.write("client-key", client_pair.key) + "}",
                      ", certificate-authority: " + folder.path() + "/ca"));
  check_run(kubeconfig, true, secrets_of(client_pair.key));
}

TEST_CASE("errors about secrets do not show them") {
  const TempFolder folder;
  const auto plugin = [&](const std::string& output) {
    auto path = folder.write("plugin", plugin_text(output));
    fs::permissions(path, fs::perms::owner_all);
    return "{exec: {apiVersion: client.authentication.k8s.io/v1, command: " + path +
           ", interactiveMode: Never, env: [{name: PASSWORD, value: " + sentinels[2] + "}]}}";
  };
  struct Row {
    std::string name;
    std::string user;
    std::string server = "http://127.0.0.1:9";
    std::string cluster = {};
  };
  const std::vector<Row> rows{
      {"a password", "{username: admin, password: " + sentinels[2] + "}"},
      {"a login of another kind",
       "{auth-provider: {name: x, config: {id-token: " + sentinels[6] + "}}}"},
      {"a key that is none",
       "{client-certificate-data: eA==, client-key-data: " + sentinels[2] + "}",
       "https://127.0.0.1:9"},
      {"a token that is no text", "{token: {value: " + sentinels[0] + "}}"},
      {"a plugin that prints what is no credential", plugin("echo " + sentinels[1])},
      {"a plugin that prints half of one",
       plugin("echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
              "\"ExecCredential\",\"status\":{\"token\":\"" +
              sentinels[1] + "'")},
      {"a plugin that prints another kind",
       plugin("echo '{\"kind\":\"Secret\",\"status\":{\"token\":\"" + sentinels[1] + "\"}}'")},
      {"a plugin that fails", plugin("echo " + sentinels[1] + "; exit 3")},
      {"a proxy with a password that cannot be used", "{token: x}", "http://127.0.0.1:9",
       ", proxy-url: \"socks5://user:" + sentinels[3] + "@127.0.0.1:9\""},
      {"a server with a password", "{token: x}", "http://user:" + sentinels[3] + "@127.0.0.1:9"},
  };
  for (const auto& row : rows) {
    const auto kubeconfig =
        folder.write("kubeconfig", kubeconfig_text(row.server, row.user, row.cluster));
    const auto ended =
        dray({"serve", "--kubeconfig", kubeconfig, "--insecure-extender", "--extender-address",
              "127.0.0.1:0", "--admin-address", "127.0.0.1:0", "-v", "10"});
    CHECK(ended.status != 0);
    check_none(row.name, ended.err);
    const auto doctor = dray({"doctor", "--kubeconfig", kubeconfig});
    check_none(row.name, doctor.err + doctor.out);
  }
}

}  // namespace dray::commands_test::secrets_test
