#include "kube/config.h"

#include <catch2/catch.hpp>
#include <filesystem>
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

TEST_CASE("a kubeconfig's proxy is the server's") {
  TempFolder folder;
  const auto config = load(folder, "server: 'https://x', proxy-url: 'http://me:pw@proxy:3128'", "");
  REQUIRE(config);
  CHECK(config->proxy == net::Proxy{"proxy", 3128, "Basic bWU6cHc="});
  CHECK(!load(folder, "server: 'https://x'", "").value().proxy);
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
      Row{"exec of no version", "server: 'https://x'", "exec: {command: aws}",
          ErrorCode::unsupported, "user: exec: aws: apiVersion"},
      Row{"password", "server: 'https://x'", "username: me", ErrorCode::unsupported, "username"},
      Row{"a proxy of another scheme", "server: 'https://x', proxy-url: 'socks5://p'", "",
          ErrorCode::unsupported, "cluster: proxy-url: only proxies of scheme http"},
      Row{"no proxy", "server: 'https://x', proxy-url: 'http://'", "", ErrorCode::invalid,
          "cluster: proxy-url"},
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

GetEnv environment_of(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST_CASE("the usual kubeconfig files are those of KUBECONFIG that exist, else the home's") {
  const TempFolder folder;
  const auto one = folder.write("one", "");
  const auto two = folder.write("two", "");
  std::filesystem::create_directory(folder.path() + "/.kube");
  const auto home = folder.write(".kube/config", "");
  CHECK(usual_kubeconfigs(environment_of({{"KUBECONFIG", one + ":/no/such::" + two},
                                          {"HOME", folder.path()}})) == std::vector{one, two});
  CHECK(usual_kubeconfigs(environment_of({{"KUBECONFIG", "/no/such"}, {"HOME", folder.path()}}))
            .empty());
  CHECK(usual_kubeconfigs(environment_of({{"KUBECONFIG", ""}, {"HOME", folder.path()}})) ==
        std::vector{home});
  CHECK(usual_kubeconfigs(environment_of({})).empty());
}

TEST_CASE("without a file a pod's own cluster is meant, with a context the kubeconfig's") {
  const TempFolder folder;
  const auto path = folder.write("config", kubeconfig("server: 'https://named'", "token: t"));
  const std::map<std::string, std::string> outside{{"KUBECONFIG", path}};
  CHECK(usual_config(environment_of(outside), "").value().server.host == "named");
  auto pod = outside;
  pod["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  pod["KUBERNETES_SERVICE_PORT"] = "443";
  // The service account's files are not here.
  CHECK_THAT(usual_config(environment_of(pod), "").error().message,
             Catch::StartsWith("in-cluster: "));
  CHECK(usual_config(environment_of(pod), "here").value().server.host == "named");
  pod["KUBERNETES_SERVICE_HOST"] = "";
  CHECK(usual_config(environment_of(pod), "").value().server.host == "named");
  CHECK(has_usual_config(environment_of(pod)));
  CHECK_FALSE(has_usual_config(environment_of({})));
  CHECK_THAT(usual_config(environment_of({}), "").error().message,
             Catch::StartsWith("which cluster? "));
}

}  // namespace dray::kube::config_test
