#include "kube/config.h"

#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/net/support.h"

namespace dray::kube::config_test {
namespace {

using namespace std::chrono_literals;
using net::testing::TempFolder;

std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
         "contexts:\n- name: here\n  context: {cluster: c, user: u, namespace: ns}\n"
         "clusters:\n- name: c\n  cluster: {" +
         cluster +
         "}\n"
         "users:\n- name: u\n  user: {" +
         user + "}\n";
}

Result<ClusterConfig> load(const TempFolder& folder, const std::string& cluster,
                           const std::string& user) {
  return load_kubeconfig(folder.write("config", kubeconfig(cluster, user)));
}

}  // namespace

TEST_CASE("a kubeconfig with data, files and a token is read") {
  TempFolder folder;
  folder.write("ca.crt", "CA");
  const auto config =
      load(folder,
           "server: 'https://10.0.0.1:6443', certificate-authority: ca.crt, tls-server-name: api",
           "client-certificate-data: Q0VSVA==, client-key-data: S0VZ, token: secret");
  REQUIRE(config);
  CHECK(config->server == net::Url{true, "10.0.0.1", 6443, ""});
  CHECK(config->tls == net::ClientTls{"CA", "CERT", "KEY", "api", true});
  CHECK(config->token == "secret");
  CHECK(config->namespace_name == "ns");
  CHECK(config->warnings.empty());
}

TEST_CASE("what is unwise is warned of") {
  TempFolder folder;
  const auto insecure = load(folder, "server: 'https://x', insecure-skip-tls-verify: true", "");
  REQUIRE(insecure);
  CHECK_FALSE(insecure->tls.verify);
  CHECK(insecure->warnings.size() == 1);
  CHECK(load(folder, "server: 'http://x'", "token: t").value().warnings.size() == 1);
}

TEST_CASE("what dray does not do is named, and what is wrong too") {
  struct Row {
    const char* name;
    const char* cluster;
    const char* user;
    ErrorCode code;
    const char* word;
  };
  const auto row = GENERATE(
      Row{"exec", "server: 'https://x'", "exec: {command: aws}", ErrorCode::unsupported, "exec"},
      Row{"password", "server: 'https://x'", "username: me", ErrorCode::unsupported, "username"},
      Row{"proxy", "server: 'https://x', proxy-url: 'http://p'", "", ErrorCode::unsupported,
          "proxy-url"},
      Row{"no server", "certificate-authority: x", "", ErrorCode::invalid, "server"},
      Row{"a bad server", "server: x", "", ErrorCode::invalid, "server"},
      Row{"no such file", "server: 'https://x', certificate-authority: nowhere", "",
          ErrorCode::not_found, "nowhere"},
      Row{"bad data", "server: 'https://x', certificate-authority-data: '!'", "",
          ErrorCode::invalid, "base64"},
      Row{"half a pair", "server: 'https://x'", "client-key-data: S0VZ", ErrorCode::invalid,
          "belong together"});
  DYNAMIC_SECTION(row.name) {
    TempFolder folder;
    const auto config = load(folder, row.cluster, row.user);
    REQUIRE_FALSE(config);
    CHECK(config.error().code == row.code);
    CHECK(config.error().message.find(row.word) != std::string::npos);
    CHECK(config.error().message.starts_with("kubeconfig " + folder.path()));
  }
}

TEST_CASE("a pod finds its cluster in environment and files") {
  TempFolder folder;
  folder.write("ca.crt", "CA");
  folder.write("token", "t1\n");
  folder.write("namespace", "dray-system");
  std::map<std::string, std::string> env{{"KUBERNETES_SERVICE_HOST", "fd00::1"},
                                         {"KUBERNETES_SERVICE_PORT", "443"}};
  const GetEnv getenv = [&env](const char* name) -> std::optional<std::string> {
    const auto found = env.find(name);
    if (found == env.end()) return std::nullopt;
    return found->second;
  };
  const auto config = in_cluster_config(getenv, folder.path());
  REQUIRE(config);
  CHECK(config->server == net::Url{true, "fd00::1", 443, ""});
  CHECK(config->tls.ca == "CA");
  CHECK(config->namespace_name == "dray-system");
  env.erase("KUBERNETES_SERVICE_HOST");
  CHECK(in_cluster_config(getenv, folder.path()).error().code == ErrorCode::not_found);
}

TEST_CASE("a token file is read again after a while, or when its token was refused") {
  TempFolder folder;
  ClusterConfig config;
  config.token_file = folder.write("token", "t1\n");
  TokenSource source(config);
  const TokenSource::Clock::time_point start{};
  CHECK(source.token(start) == "t1");
  folder.write("token", "t2\n");
  CHECK(source.token(start + 29s) == "t1");
  CHECK(source.token(start + 30s) == "t2");
  folder.write("token", "t3\n");
  source.refused();
  CHECK(source.token(start + 31s) == "t3");
  folder.write("token", "");
  CHECK(source.token(start + 90s) == "t3");
}

}  // namespace dray::kube::config_test
