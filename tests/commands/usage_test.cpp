#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::usage_test {
namespace {

struct Row {
  std::string name;
  std::vector<std::string> arguments;
  std::string want;  ///< the first line of the standard error
};

}  // namespace

TEST_CASE("a folder in place of a file ends a command with words, not with a signal") {
  const auto arguments = GENERATE(
      std::vector<std::string>{"explain", "x", "-f", "config/demo/workload.yaml", "--policy",
                               "config"},
      std::vector<std::string>{"devices", "--kubeconfig", "config"},
      std::vector<std::string>{"serve", "--config", "config"},
      std::vector<std::string>{"serve", "--cluster", "config/demo/cluster", "--insecure-extender",
                               "--extender-address", "127.0.0.1:0", "--admin-address",
                               "127.0.0.1:0", "--dashboard-address", "", "--policy", "config"},
      std::vector<std::string>{"simulate", "-f", "config"},
      std::vector<std::string>{"policy", "fmt", "config"});
  CAPTURE(arguments);
  const auto ended = dray(arguments);
  CHECK(ended.status == 2);
  CHECK(ended.err.contains("config: cannot be read: is a directory"));
}

TEST_CASE("what the command line does not know is named, with status 2 and no output") {
  const auto row = GENERATE(
      Row{"no command", {}, "dray: a scheduling brain for accelerators on Kubernetes"},
      Row{"no command of several", {"policy"}, "Check, format, compare, test and try policy files"},
      Row{"a command that there is not",
          {"alocate", "-f", "x"},
          "dray: no command \"alocate\"; did you mean allocate?"},
      Row{"a command that is like none",
          {"x"},
          "dray: no command \"x\"; there are allocate, completion, convert, demo, devices, "
          "doctor, explain, handback, limits, lint, man, match, policy, queues, record, repair, "
          "replay, serve, simulate, snapshot, top"},
      Row{"serve", {"serve", "--bogus"}, "The following argument was not expected: --bogus"},
      Row{"demo", {"demo", "--bogus"}, "The following argument was not expected: --bogus"},
      Row{"allocate",
          {"allocate", "-f", "x", "--bogus"},
          "The following argument was not expected: --bogus"},
      Row{"match", {"match", "--bogus"}, "The following argument was not expected: --bogus"},
      Row{"lint", {"lint", "x", "--bogus"}, "The following argument was not expected: --bogus"},
      Row{"handback", {"handback", "--bogus"}, "The following argument was not expected: --bogus"},
      Row{"a value that is none of a flag's",
          {"demo", "-o", "xml"},
          "--output: xml not in {table,json}"},
      Row{"a file that is required", {"allocate"}, "--filename is required"});
  DYNAMIC_SECTION(row.name) {
    const auto ended = dray(row.arguments);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    REQUIRE(!ended.err.empty());
    CHECK(lines(ended.err).front() == row.want);
  }
}

TEST_CASE("a flag or a command that is nearly right is named") {
  CHECK(dray({"match", "true", "--clas", "x"}).err.contains("--clas; did you mean --class?\n"));
  CHECK(dray({"policy", "valdate", "x"}).err.contains("valdate; did you mean validate?\n"));
  CHECK(!dray({"lint", "x", "--bogus"}).err.contains("did you mean"));
  CHECK(dray({"top", "node"}).err.contains("\nnode; did you mean nodes?\n"));
  CHECK(dray({"top", "-o", "jsn"}).err.contains("\njsn; did you mean json?\n"));
  CHECK(!dray({"top", "-o", "quark"}).err.contains("did you mean"));
  CHECK(dray({}).err.contains("  explain "));
}

TEST_CASE("a cluster from files and a live one exclude each other") {
  const auto ended = dray({"match", "true", "--cluster", "a", "--kubeconfig", "b"});
  CHECK(ended.status == 2);
  // Which of the two is named first is the parser's affair.
  CHECK(ended.err.contains(" excludes --"));
}

TEST_CASE("help and version are no errors, and help lists every command") {
  const auto version = dray({"--version"});
  CHECK(version.status == 0);
  CHECK(lines(version.out).size() == 1);
  const auto help = dray({"--help"});
  CHECK(help.status == 0);
  for (const auto* command :
       {"serve", "demo", "allocate", "explain", "match", "lint", "doctor", "handback"}) {
    INFO(command);
    CHECK(help.out.contains("\n  " + std::string(command) + " "));
    const auto own = dray({command, "--help"});
    CHECK(own.status == 0);
    CHECK(own.out.contains("Usage: dray " + std::string(command) + " "));
    CHECK(own.err.empty());
  }
}

}  // namespace dray::commands_test::usage_test
