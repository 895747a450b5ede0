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

// What `dray serve` can no longer do once it runs. tests/unit/app/sandbox_test.cpp tries each call.

namespace dray::commands_test::sandbox_test {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

const std::string policy = "apiVersion: dray.dev/v1alpha1\nkind: Policy\n";

/// `dray serve` on a cluster in memory and on ports that it chose.
struct Serve {
  Child child;
  std::string sandbox;  ///< what it says of it
  std::uint16_t extender = 0;
  std::uint16_t admin = 0;

  explicit Serve(const std::vector<std::string>& more) : child(arguments(more)) {
    const std::string words = "sandbox: ";
    const auto said = child.wait_for_error(words);
    sandbox = said.substr(said.find(words) + words.size());
    const auto ports = child.wait_for_error("extender on port ");
    extender = port_after(ports, "extender on port ");
    admin = port_after(ports, "health and metrics on port ");
    child.wait_for_error("the cluster has been listed");
  }

  static std::vector<std::string> arguments(const std::vector<std::string>& more) {
    std::vector<std::string> all{"serve",
                                 "--cluster",
                                 "config/demo/cluster",
                                 "--insecure-extender",
                                 "--extender-address",
                                 "127.0.0.1:0",
                                 "--admin-address",
                                 "127.0.0.1:0",
                                 "--dashboard-address",
                                 ""};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// The line of /proc/PID/`file` that begins with `name`, without its blanks.
  [[nodiscard]] std::string fact(const std::string& file, const std::string& name) const {
    std::ifstream in("/proc/" + std::to_string(child.pid()) + "/" + file);
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with(name)) continue;
      std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
      return line;
    }
    return "none";
  }

  /// Whether what it says of the sandbox has these words; if not, the test cannot say more.
  [[nodiscard]] bool has(const std::string& words) const {
    if (sandbox.contains(words)) return true;
    WARN("skipped: sandbox: " << sandbox);
    return false;
  }
};

}  // namespace

TEST_CASE("serve gives up what it does not need, and says what that is") {
  Serve serve({});
  CHECK(ask(serve.admin, "/readyz?verbose").body.contains("[+]sandbox ok: " + serve.sandbox));
  if (!serve.has("no new privileges, no core dumps")) return;
  CHECK(serve.fact("status", "NoNewPrivs:") == "NoNewPrivs:1");
  CHECK(serve.fact("limits", "Max core file size").starts_with("Maxcorefilesize00"));
  if (serve.has(" seccomp,")) CHECK(serve.fact("status", "Seccomp:") == "Seccomp:2");
  serve.child.send(SIGTERM);
  CHECK(serve.child.wait().status == 0);
}

TEST_CASE("serve without a sandbox says so") {
  Serve serve({"--sandbox", "off"});
  CHECK(serve.sandbox == "off: --sandbox=off");
  CHECK(ask(serve.admin, "/readyz?verbose").body.contains("[+]sandbox ok: off: --sandbox=off\n"));
  CHECK(serve.fact("status", "NoNewPrivs:") == "NoNewPrivs:0");
}

TEST_CASE("serve reads a file that is replaced in its folder, and none in another folder") {
  const TempFolder mount;
  const TempFolder other;
  const auto path = mount.path() + "/policy.yaml";
  fs::create_directory(mount.path() + "/..1");
  fs::create_directory(mount.path() + "/..2");
  std::ofstream(mount.path() + "/..1/policy.yaml") << policy;
  std::ofstream(mount.path() + "/..2/policy.yaml") << policy << "# another\n";
  const auto secret = other.write("policy.yaml", "no policy");
  const auto link = [&](const std::string& name, const std::string& to) {
    fs::create_symlink(to, mount.path() + "/new");
    fs::rename(mount.path() + "/new", mount.path() + "/" + name);
  };
  link("..data", "..1");
  link("policy.yaml", "..data/policy.yaml");
  for (const auto* sandbox : {"on", "off"}) {
    link("..data", "..1");
    link("policy.yaml", "..data/policy.yaml");
    Serve serve({"--policy", path, "--sandbox", sandbox});
    link("..data", "..2");
    serve.child.send(SIGHUP);
    serve.child.wait_for_error("policy: " + path + " is in force");
    link("policy.yaml", secret);
    serve.child.send(SIGHUP);
    const auto said = serve.child.wait_for_error("the one before stays in force");
    const bool refused = said.ends_with(path + ": cannot be read: permission denied");
    if (std::string(sandbox) == "off") {
      CHECK_FALSE(refused);
    } else if (serve.has("Landlock (ABI")) {
      CHECK(refused);
    }
    serve.child.send(SIGTERM);
    CHECK(serve.child.wait().status == 0);
  }
}

TEST_CASE("serve writes its record, and nothing in another folder") {
  const TempFolder folder;
  const TempFolder other;
  const auto record = folder.path() + "/record";
  Serve serve({"--record", record, "--record-segment-megabytes", "1"});
  if (!serve.has("Landlock (ABI")) return;
  CHECK_FALSE(fs::is_empty(record));
  fs::rename(record, record + ".before");
  fs::create_directory_symlink(other.path(), record);
  // More than a file of the record holds, so that the next one is begun.
  std::string names = "\"a\"";
  for (int i = 0; i < 3000; ++i) names += ",\"node-with-a-long-name-" + std::to_string(i) + "\"";
  const std::string body =
      R"({"Pod":{"metadata":{"name":"p","namespace":"default","uid":"u"},"spec":)"
      R"({"schedulerName":"dray-scheduler","containers":[{"name":"c","image":"i"}]}},"NodeNames":[)" +
      names + "]}";
  for (int i = 0; i < 30; ++i) CHECK(ask(serve.extender, "/v1/filter", body).status == 200);
  CHECK(serve.child.wait_for_error("recording has ended: ").ends_with("cannot be written"));
  CHECK(fs::is_empty(other.path()));
  CHECK(ask(serve.admin, "/livez").body == "ok");
}

TEST_CASE("serve with an exec plugin keeps the right to run it, and files of its choice") {
  const TempFolder folder;
  const auto plugin = folder.write("plugin",
                                   "#!/bin/sh\necho '{\"apiVersion\":"
                                   "\"client.authentication.k8s.io/v1\",\"kind\":"
                                   "\"ExecCredential\",\"status\":{\"token\":\"t\"}}'\n");
  fs::permissions(plugin, fs::perms::owner_all);
  const auto kubeconfig = folder.write(
      "kubeconfig", kubeconfig_text("http://127.0.0.1:9",
                                    "{exec: {apiVersion: client.authentication.k8s.io/v1, "
                                    "command: " +
                                        plugin + ", interactiveMode: Never}}"));
  Child child({"serve", "--kubeconfig", kubeconfig, "--insecure-extender", "--extender-address",
               "127.0.0.1:0", "--admin-address", "127.0.0.1:0", "--dashboard-address", ""});
  const auto said = child.wait_for_error("sandbox: ");
  CHECK((said.contains("no Landlock: the kubeconfig has an exec plugin") ||
         said.contains("off: built with a sanitizer")));
}

}  // namespace dray::commands_test::sandbox_test
