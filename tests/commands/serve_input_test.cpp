#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::serve_input_test {
namespace {

struct Row {
  std::string name;
  std::vector<std::string> arguments;
  std::string want;  ///< of the standard error, behind `dray serve: `
};

void check(const std::vector<std::string>& arguments, const std::string& want) {
  std::vector<std::string> all{"serve"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const auto ended = dray(all);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err == "dray serve: " + want + "\n");
}

}  // namespace

TEST_CASE("serve says which flag is wrong, and what would be right") {
  const std::vector<std::string> base{"--cluster", "config/demo/cluster", "--insecure-extender"};
  const auto row = GENERATE(
      Row{"no TLS and not on loopback",
          {},
          "--insecure-extender is for a loopback --extender-address only: whoever reaches the "
          "extender can have pods bound"},
      Row{"an address without a port",
          {"--extender-address", "127.0.0.1"},
          "--extender-address: \"127.0.0.1\" is no address; write 127.0.0.1:9443 or [::1]:9443"},
      Row{"a time that is none",
          {"--extender-address", "127.0.0.1:0", "--drain", "never"},
          "--drain: \"never\" is no time; write 500ms, 90s or 1m30s"},
      Row{"half of the admin port's TLS",
          {"--extender-address", "127.0.0.1:0", "--admin-tls-cert", "x"},
          "--admin-tls-cert and --admin-tls-key go together"},
      Row{"a policy that is not there",
          {"--extender-address", "127.0.0.1:0", "--policy", "/no/such"},
          "/no/such: cannot be read: no such file or directory"});
  DYNAMIC_SECTION(row.name) {
    auto arguments = base;
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    check(arguments, row.want);
  }
  SECTION("neither TLS nor leave to go without") {
    check({"--cluster", "config/demo/cluster"},
          "the extender needs --extender-tls-cert, --extender-tls-key and --client-ca (or "
          "--insecure-extender on a loopback address)");
  }
  SECTION("a cluster that is not there") {
    check({"--cluster", "/no/such", "--insecure-extender", "--extender-address", "127.0.0.1:0"},
          "/no/such: cannot be read: no such file or directory");
  }
}

TEST_CASE("a configuration file's faults have file, line and column") {
  struct File {
    std::string name;
    std::string text;
    std::string want;  ///< behind the path
  };
  const std::string head = "apiVersion: dray.dev/v1alpha1\nkind: DrayConfiguration\n";
  const auto file = GENERATE_COPY(
      File{"an unknown field", head + "adminAdress: x\n",
           ":3:1: no field \"adminAdress\"; did you mean adminAddress?"},
      File{"another version", "apiVersion: dray.dev/v1\nkind: DrayConfiguration\n",
           ":1:13: expected apiVersion: dray.dev/v1alpha1"},
      File{"another kind", "apiVersion: dray.dev/v1alpha1\nkind: Policy\n",
           ":2:7: expected kind: DrayConfiguration"},
      File{"a value that is none of a field's", head + "mode: fast\n",
           ":3:7: --mode: fast not in {allocate,advise}"},
      File{"a map for a value", head + "cluster: [{a: b}]\n", ":3:11: expected a plain value"},
      File{"no value", head + "policy:\n", ":3:1: policy: expected a value"});
  DYNAMIC_SECTION(file.name) {
    const TempFile config("config.yaml", file.text);
    check({"--config", config.path()}, config.path() + file.want);
  }
  SECTION("a file that is not there") {
    check({"--config", "/no/such.yaml"},
          "/no/such.yaml: cannot be read: no such file or directory");
  }
}

}  // namespace dray::commands_test::serve_input_test
