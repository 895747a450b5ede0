#include "app/simulate/scenario.h"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "app/common/config_file.h"
#include "app/simulate/simulate_flags.h"
#include "tests/temp_folder.h"

namespace dray::app::scenario_test {
namespace {

using Catch::Contains;

const std::string head = "apiVersion: dray.dev/v1alpha1\nkind: Scenario\n";

struct Bench {
  Bench() { add_simulate_flags(command, flags); }

  /// What is wrong with a scenario of that text, without its folder; and nothing if nothing is.
  std::string error(const std::string& text) {
    flags.scenario = folder.write("scenario.yaml", text);
    const auto read = complete(command, flags);
    if (read) return "";
    const auto& message = read.error().message;
    return message.substr(message.find("scenario.yaml"));
  }

  testing::TempFolder folder;
  CLI::App command;
  SimulateFlags flags;
};

}  // namespace

TEST_CASE("a scenario says all that the flags say, with paths of its folder") {
  Bench bench;
  CHECK(bench
            .error(head + "cluster: openb:nodes.csv\nworkload: csv:/data/jobs.csv\n"
                          "policy: [fair, ../next.yaml]\norder: order.csv\nseed: 7\nrepeat: 3\n"
                          "lenient: true\noutput: csv\ndecisions: out.csv\nreport: out.html\n")
            .empty());
  const auto folder = bench.folder.path();
  CHECK(bench.flags.cluster == std::vector{"openb:" + folder + "/nodes.csv"});
  CHECK(bench.flags.workload == "csv:/data/jobs.csv");
  CHECK(bench.flags.policies ==
        std::vector<std::string>{"fair", folder.substr(0, folder.rfind('/')) + "/next.yaml"});
  CHECK(bench.flags.order == folder + "/order.csv");
  CHECK(bench.flags.decisions == folder + "/out.csv");
  CHECK(bench.flags.report == folder + "/out.html");
  CHECK(bench.flags.seed == 7);
  CHECK(bench.flags.repeat == 3);
  CHECK(bench.flags.lenient);
  CHECK(bench.flags.output == "csv");
}

TEST_CASE("paths are of the scenario's folder, and what is no path stays") {
  struct Row {
    std::string name;
    std::string flag;
    std::string value;
    std::string want;
  };
  const auto row =
      GENERATE(Row{"a trace", "workload", "philly:jobs.csv", "philly:week/jobs.csv"},
               Row{"what is drawn", "workload", "synthetic:jobs=5", "synthetic:jobs=5"},
               Row{"nodes that are made", "cluster", "nodes:4x8", "nodes:4x8"},
               Row{"manifests", "cluster", "cluster.json", "week/cluster.json"},
               Row{"a colon in a name", "cluster", "a:b.json", "week/a:b.json"},
               Row{"a policy file", "policy", "./p.yml", "week/p.yml"},
               Row{"a policy's name", "policy", "fair", "fair"},
               Row{"a word of another flag", "output", "csv", "csv"},
               Row{"a folder that is made", "checkpoint", "kept", "week/kept"},
               Row{"an absolute path", "order", "/o.csv", "/o.csv"},
               Row{"the standard input", "order", "-", "-"});
  DYNAMIC_SECTION(row.name) {
    CHECK(value_in_folder(row.flag, row.value, "week") == row.want);
  }
}

TEST_CASE("what is wrong with a scenario is told with its place") {
  struct Row {
    std::string name;
    std::string text;
    std::string want;
  };
  const auto row = GENERATE(
      Row{"an unknown key", "clutser: nodes:1x8\n",
          "scenario.yaml:3:1: no field \"clutser\"; did you mean cluster?"},
      Row{"a scenario within", "filename: x\n", "scenario.yaml:3:1: no field \"filename\""},
      Row{"a number out of bounds", "repeat: 0\n", "scenario.yaml:3:9: "},
      Row{"a form that there is not", "output: xml\n", "scenario.yaml:3:9: "},
      Row{"no cluster", "workload: synthetic:jobs=1\n", "scenario.yaml: no cluster in it"},
      Row{"no policy", "cluster: nodes:1x8\nworkload: synthetic:jobs=1\n",
          "scenario.yaml: no policy in it"});
  DYNAMIC_SECTION(row.name) {
    Bench bench;
    CHECK_THAT(bench.error(head + row.text), Contains(row.want));
  }
}

TEST_CASE("without a scenario the flags have to be there") {
  Bench bench;
  bench.flags.cluster = {"nodes:1x8"};
  CHECK(complete(bench.command, bench.flags).error().message ==
        "no --workload: give it, or a Scenario with -f");
}

TEST_CASE("every key of a scenario is told of") {
  std::ifstream in("docs/simulator.md");
  const std::string document{std::istreambuf_iterator<char>(in), {}};
  Bench bench;
  for (const auto* option : bench.command.get_options()) {
    const auto& name = option->get_lnames().front();
    if (name == "help") continue;
    CAPTURE(name);
    CHECK_THAT(document, Contains("`--" + name));
  }
}

}  // namespace dray::app::scenario_test
