#include "wire/kubeconfig_codec.h"

#include <catch2/catch.hpp>

namespace dray::wire::kubeconfig_codec_test {
namespace {

constexpr auto two_contexts = R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: prod
clusters:
- cluster: {server: "https://prod:6443", certificate-authority-data: Q0E=}
  name: prod-cluster
- cluster: {server: "http://localhost:8001"}
  name: proxy
contexts:
- context: {cluster: prod-cluster, user: admin, namespace: team}
  name: prod
- context: {cluster: proxy}
  name: local
- context: {cluster: nowhere, user: admin}
  name: broken
users:
- name: admin
  user: {client-certificate: a.crt, client-key: a.key, tokenFile: token, exec: null}
- name: cloud
  user: {exec: {command: gke}, auth-provider: {name: x}}
)";

Result<KubeconfigContext> decode(const std::string& text, std::string_view context = {}) {
  return decode_kubeconfig(std::vector{KubeconfigText{"file", "/folder", text}}, context);
}

}  // namespace

TEST_CASE("the current context is taken, or the one that is named") {
  const auto current = decode(two_contexts);
  REQUIRE(current);
  CHECK(current->name == "prod");
  CHECK(current->server == "https://prod:6443");
  CHECK(current->ca_data == "Q0E=");
  CHECK(current->namespace_name == "team");
  CHECK(current->certificate_file == "a.crt");
  CHECK(current->key_file == "a.key");
  CHECK(current->token_file == "token");
  CHECK(current->other_logins.empty());
  const auto local = decode(two_contexts, "local");
  REQUIRE(local);
  CHECK(local->server == "http://localhost:8001");
  CHECK(local->certificate_file.empty());
}

TEST_CASE("a kubeconfig that leads nowhere says where") {
  struct Row {
    const char* name;
    std::string text;
    const char* context;
    const char* want;
  };
  const auto row = GENERATE_COPY(
      Row{"no such context", two_contexts, "stage", "has no context named \"stage\""},
      Row{"no such cluster", two_contexts, "broken", "has no cluster named \"nowhere\""},
      Row{"nothing", "", "", "is empty"},
      Row{"no current one", "kind: Config", "", "sets no current-context"},
      Row{"no list", "clusters: 3\ncurrent-context: x", "", "clusters: "});
  DYNAMIC_SECTION(row.name) {
    const auto context = decode(row.text, row.context);
    REQUIRE_FALSE(context);
    CHECK(context.error().message.find(std::string("file: ") + row.want) == 0);
  }
}

TEST_CASE("ways to log in that dray has not are listed") {
  std::string text = two_contexts;
  text.replace(text.find("user: admin, namespace"), 11, "user: cloud");
  CHECK(decode(text).value().other_logins == std::vector<std::string>{"auth-provider"});
}

TEST_CASE("several files are one kubeconfig: the first that names a thing says what it is") {
  const std::vector files{
      KubeconfigText{"one", "/1",
                     "contexts: [{name: a, context: {cluster: c, user: u}}]\n"
                     "clusters: [{name: c, cluster: {server: 'https://first'}}]\n"},
      KubeconfigText{"two", "/2",
                     "current-context: a\n"
                     "clusters: [{name: c, cluster: {server: 'https://second'}}]\n"
                     "users: [{name: u, user: {tokenFile: t}}]\n"}};
  const auto joined = decode_kubeconfig(files);
  REQUIRE(joined);
  CHECK(joined->server == "https://first");
  CHECK(joined->cluster_folder == "/1");
  CHECK(joined->token_file == "t");
  CHECK(joined->user_folder == "/2");
  const auto none = decode_kubeconfig(files, "b");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "one, two: has no context named \"b\"");
}

TEST_CASE("a plugin that gives tokens is read") {
  const auto context = decode(
      "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
      "clusters: [{name: c, cluster: {server: 'https://x'}}]\n"
      "users:\n- name: u\n  user:\n    exec:\n"
      "      {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token],\n"
      "       env: [{name: AWS_PROFILE, value: prod}], interactiveMode: Never,\n"
      "       provideClusterInfo: true, installHint: 'install aws'}\n");
  REQUIRE(context);
  CHECK(context->exec == ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                                    .command = "aws",
                                    .args = {"eks", "get-token"},
                                    .env = {{"AWS_PROFILE", "prod"}},
                                    .interactive_mode = "Never",
                                    .provide_cluster_info = true,
                                    .install_hint = "install aws"});
}

}  // namespace dray::wire::kubeconfig_codec_test
