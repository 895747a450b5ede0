#include "kube/exec_login.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "kube/config.h"
#include "kube/token_source.h"
#include "tests/unit/kube/exec_plugins.h"
#include "tests/unit/net/support.h"

namespace dray::kube::exec_login_test {
namespace {

using namespace std::chrono_literals;
using net::testing::TempFolder;
using testing::credential;
using testing::plugin;
using testing::script;

Result<wire::ExecCredential> run(wire::ExecPlugin given, const std::string& folder = "") {
  wire::KubeconfigContext context;
  context.exec = std::move(given);
  context.user_folder = folder;
  return ExecLogin(context, "CA").run(60s);
}

TEST_CASE("a plugin gives a token") {
  auto given = script("echo '" + credential(R"("token":"'$A'")") + "'");
  given.env = {{"A", "secret"}};
  CHECK(run(given).value().token == "secret");
}

TEST_CASE("a plugin is told what it is to print") {
  const auto given = run(script("case $KUBERNETES_EXEC_INFO in *'\"interactive\":false'*) echo '" +
                                credential(R"("token":"told")") + "';; esac"));
  CHECK(given.value().token == "told");
}

TEST_CASE("a plugin's path begins where the kubeconfig is") {
  const TempFolder folder;
  const auto path = folder.write("login", "#!/bin/sh\necho '" + credential(R"("token":"t")") + "'");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  auto given = plugin({});
  given.command = "./login";
  CHECK(run(given, folder.path()).value().token == "t");
}

TEST_CASE("what is wrong with a plugin is said, and what was run") {
  struct Row {
    std::string name;
    wire::ExecPlugin plugin;
    ErrorCode code;
    std::string want;
  };
  auto absent = plugin({});
  absent.command = "no-such-login";
  absent.install_hint = "install it so";
  auto old = plugin({});
  old.api_version = "client.authentication.k8s.io/v1alpha1";
  auto terminal = plugin({});
  terminal.interactive_mode = "Always";
  auto nothing = plugin({});
  nothing.command = "";
  const auto row = GENERATE_COPY(
      Row{"not there", absent, ErrorCode::not_found,
          "user: exec: no-such-login: cannot be run: No such file or directory\ninstall it so"},
      Row{"fails", script("exit 1"), ErrorCode::unavailable, "user: exec: sh: ended with 1"},
      Row{"prints nothing", script(":"), ErrorCode::invalid, "user: exec: sh: "},
      Row{"no token", script("echo '" + credential("") + "'"), ErrorCode::invalid,
          "user: exec: sh: gives no token"},
      Row{"a certificate", script("echo '" + credential(R"("clientCertificateData":"c")") + "'"),
          ErrorCode::unsupported, "user: exec: sh: gives a client certificate; only tokens"},
      Row{"an old version", old, ErrorCode::unsupported, "user: exec: sh: apiVersion \"client"},
      Row{"a terminal", terminal, ErrorCode::unsupported, "user: exec: sh: interactiveMode Always"},
      Row{"no command", nothing, ErrorCode::invalid, "user: exec: : has no command"});
  DYNAMIC_SECTION(row.name) {
    const auto given = run(row.plugin);
    REQUIRE_FALSE(given);
    CHECK(given.error().code == row.code);
    CHECK(given.error().message.starts_with(row.want));
  }
}

TEST_CASE("a kubeconfig's plugin is run when it is read") {
  const TempFolder folder;
  const auto path = folder.write(
      "config", std::string("current-context: a\n") +
                    "contexts: [{name: a, context: {cluster: c, user: u}}]\n"
                    "clusters: [{name: c, cluster: {server: 'https://x'}}]\n"
                    "users:\n- name: u\n  user:\n    exec:\n"
                    "      apiVersion: client.authentication.k8s.io/v1\n      command: sh\n"
                    "      args: ['-c', 'cat answer.json || cat " +
                    folder.path() + "/answer.json']\n");
  CHECK_THAT(load_kubeconfig(path).error().message,
             Catch::StartsWith("kubeconfig " + path + ": user: exec: sh: ended with"));
  folder.write("answer.json", credential(R"("token":"t")"));
  const auto config = load_kubeconfig(path);
  REQUIRE(config);
  CHECK(TokenSource(*config).token(TokenSource::Clock::now()) == "t");
}

}  // namespace
}  // namespace dray::kube::exec_login_test
