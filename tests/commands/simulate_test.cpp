#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/commands/child.h"

namespace dray::commands_test::simulate_test {
namespace {

std::vector<std::string> sample(std::vector<std::string> more) {
  std::vector<std::string> arguments{"simulate", "--cluster",
                                     "openb:config/simulate/openb-nodes.csv", "--workload",
                                     "openb:config/simulate/openb-pods.csv"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("simulate compares policies, the same on any number of threads") {
  const std::vector<std::string> policies{"--policy", "fgd",    "--policy", "dray",
                                          "--policy", "random", "--repeat", "6"};
  auto arguments = sample(policies);
  arguments.insert(arguments.end(), {"-o", "csv", "--threads", "1"});
  const auto alone = dray(arguments);
  CHECK(alone.status == 0);
  CHECK(alone.out.starts_with("policy,seed,demand,pods,allocated,fragmented,fragmented_idle\n"));
  CHECK(alone.out.find("\nrandom,47,") != std::string::npos);
  arguments.back() = "5";
  CHECK(dray(arguments).out == alone.out);
  const auto table = dray(sample(policies));
  CHECK(table.out.starts_with("POLICY  SEEDS"));
  CHECK(table.out.find("\ndray        6 ") != std::string::npos);
}

TEST_CASE("simulate says what is wrong with its input") {
  struct Row {
    std::string name;
    std::string workload;
    std::vector<std::string> arguments;
    std::string err;
  };
  const auto row =
      GENERATE(Row{"a policy that there is not", "", {"--policy", "best"}, "--policy best: "},
               Row{"a file that is no order",
                   "",
                   {"--policy", "fgd", "--order", "config/simulate/openb-pods.csv"},
                   "config/simulate/openb-pods.csv:1:1: seed: expected a whole number"},
               Row{"a bad row",
                   "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,1000\nb,x,1,0,0\n",
                   {"--policy", "fgd"},
                   "pods.csv:3:3: cpu_milli: expected a whole number from 0 to "});
  DYNAMIC_SECTION(row.name) {
    const TempFile pods("pods.csv", row.workload);
    auto arguments = sample(row.arguments);
    if (!row.workload.empty()) arguments[4] = "openb:" + pods.path();
    const auto ended = dray(arguments);
    CHECK(ended.status == 1);
    CHECK(ended.err.find(row.err) != std::string::npos);
  }
}

TEST_CASE("simulate --lenient skips what cannot be read, and says so") {
  const TempFile pods("pods.csv",
                      "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,1000\nb,x,1,0,0\n");
  const auto ended = dray({"simulate", "--cluster", "openb:config/simulate/openb-nodes.csv",
                           "--workload", "openb:" + pods.path(), "--policy", "fgd", "--lenient"});
  CHECK(ended.status == 0);
  CHECK(ended.err.find("1 row skipped, the first: 3:3: cpu_milli") != std::string::npos);
}

}  // namespace dray::commands_test::simulate_test
