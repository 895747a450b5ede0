#include "app/common/config_file.h"

#include <catch2/catch.hpp>

#include "app/serve/serve_options.h"
#include "tests/unit/net/support.h"

namespace dray::app::config_file_test {
namespace {

using Catch::Contains;

constexpr const char* head = "apiVersion: dray.dev/v1alpha1\nkind: DrayConfiguration\n";

/// The flags of `dray serve`, given on the command line and then in a file.
struct Bench {
  Bench() { add_serve_flags(command, flags); }

  void command_line(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);
    command.parse(arguments);
  }
  Result<void> apply(const std::string& text) {
    return apply_config_file(command, folder.write("dray.yaml", text), dray_configuration());
  }
  /// What is wrong, without the folder.
  std::string error(const std::string& text) {
    const auto applied = apply(text);
    if (applied) return "";
    const auto& message = applied.error().message;
    const auto file = message.find("dray.yaml");
    return file == std::string::npos ? message : message.substr(file);
  }

  net::testing::TempFolder folder;
  CLI::App command;
  ServeFlags flags;
};

}  // namespace

TEST_CASE("a file sets flags of every type by their camelCase names") {
  Bench bench;
  bench.command_line({});
  REQUIRE(bench.apply(std::string(head) + "adminAddress: 127.0.0.1:1\n"
                                          "leaderElect: false\n"
                                          "kubeApiQps: 12.5\n"
                                          "nominateFromNodes: 3\n"
                                          "allowedClients: [a, b]\n"
                                          "devices: first-fit\n"));
  CHECK(bench.flags.admin_address == "127.0.0.1:1");
  CHECK_FALSE(bench.flags.leader_elect);
  CHECK(bench.flags.kube_api_qps == 12.5);
  CHECK(bench.flags.nominate_from_nodes == 3);
  CHECK(bench.flags.allowed_clients == std::vector<std::string>{"a", "b"});
  CHECK(bench.flags.devices == "first-fit");
  // What it does not name stays.
  CHECK(bench.flags.extender_address == "0.0.0.0:9443");
}

TEST_CASE("the command line wins over the file") {
  Bench bench;
  bench.command_line({"--admin-address", "127.0.0.1:2"});
  REQUIRE(bench.apply(std::string(head) + "adminAddress: 127.0.0.1:1\ndrain: 3s\n"));
  CHECK(bench.flags.admin_address == "127.0.0.1:2");
  CHECK(bench.flags.drain == "3s");
}

TEST_CASE("what is wrong is told with file, line and column") {
  struct Row {
    const char* name;
    std::string text;
    const char* want;
  };
  const std::string ok = head;
  const auto row = GENERATE_COPY(
      Row{"an unknown field", ok + "adminAdress: x\n",
          "dray.yaml:3:1: no field \"adminAdress\"; did you mean adminAddress?"},
      Row{"a file within the file", ok + "config: other.yaml\n",
          "dray.yaml:3:1: no field \"config\""},
      Row{"a field twice", ok + "drain: 1s\ndrain: 2s\n", "dray.yaml:4:1: drain: is there already"},
      Row{"help", ok + "help: true\n", "dray.yaml:3:1: no field \"help\""},
      Row{"a number that is none", ok + "nominateFromNodes: many\n", "dray.yaml:3:20: "},
      Row{"a word of another set", ok + "mode: worst\n", "dray.yaml:3:7: "},
      Row{"a map for a value", ok + "drain: {a: 1}\n", "dray.yaml:3:8: drain: expected a value"},
      Row{"nothing", ok + "drain:\n", "dray.yaml:3:1: drain: expected a value"},
      Row{"no value", ok + "allowedClients: []\n",
          "dray.yaml:3:17: allowedClients: expected a value"},
      Row{"a list of lists", ok + "allowedClients: [[a]]\n",
          "dray.yaml:3:18: expected a plain value"},
      Row{"another kind", "apiVersion: dray.dev/v1alpha1\nkind: Policy\n",
          "dray.yaml:2:7: expected kind: DrayConfiguration"},
      Row{"another version", "apiVersion: dray.dev/v9\nkind: DrayConfiguration\n",
          "dray.yaml:1:13: expected apiVersion: dray.dev/v1alpha1"},
      Row{"no kind", "apiVersion: dray.dev/v1alpha1\n", "expected kind: DrayConfiguration"},
      Row{"no map", "[a]\n", "dray.yaml:1:1: expected a DrayConfiguration"},
      Row{"no YAML", "a: [\n", "dray.yaml"});
  DYNAMIC_SECTION(row.name) {
    Bench bench;
    bench.command_line({});
    CHECK_THAT(bench.error(row.text), Contains(row.want));
  }
}

TEST_CASE("a file that is not there is an error that names it") {
  Bench bench;
  const auto applied =
      apply_config_file(bench.command, bench.folder.path() + "/nowhere.yaml", dray_configuration());
  REQUIRE_FALSE(applied);
  CHECK_THAT(applied.error().message, Contains("nowhere.yaml"));
}

TEST_CASE("the configuration that is installed is one that dray takes") {
  Bench bench;
  CHECK(flag_name("adminAddress") == "admin-address");
  CHECK(flag_name("kubeApiQps") == "kube-api-qps");
  CHECK(flag_name("drain") == "drain");
}

}  // namespace dray::app::config_file_test
