#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/commands/child.h"
#include "tests/temp_folder.h"

namespace dray::commands_test::simulate_columns_test {

TEST_CASE(
    "simulate reads a table whose columns have other names, and says what is wrong with them") {
  const testing::TempFolder folder;
  const auto table = folder.write("t.csv", "id,team,at,seconds,n\na,q,2026-01-05 09:00:00,60,8\n");
  const auto play = [&](const std::string& workload, const std::string& columns) {
    return dray({"simulate", "--cluster", "nodes:1x8", "--workload", workload, "--policy", "fcfs",
                 "-o", "csv", "--columns", columns});
  };
  const auto read = play("csv:" + table, "name=id,queue=team,submit=at,run_time=seconds,gpus=n");
  INFO(read.err);
  CHECK(read.status == 0);
  CHECK(read.out.find("\nfcfs,42,q,*,1,1,1,") != std::string::npos);
  struct Row {
    std::string workload;
    std::string columns;
    std::string err;
  };
  const std::vector<Row> rows{
      {"csv:" + table, "name", "--columns name: expected NAME=COLUMN"},
      {"csv:" + table, "quee=team", "there is no column quee to be read; did you mean queue?"},
      {"csv:" + table, "name=job", "t.csv:1:1: expected a column job in the first line, for name"},
      {"philly:" + table, "name=id", "--columns: of --workload csv:FILE alone"},
      {"pods:" + table, "name=id", "--columns: not with a workload of pods:FILE"}};
  for (const auto& row : rows) {
    const auto ended = play(row.workload, row.columns);
    INFO(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.err.find(row.err) != std::string::npos);
  }
}

}  // namespace dray::commands_test::simulate_columns_test
