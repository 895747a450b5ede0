#include "app/simulate/progress.h"

#include <catch2/catch.hpp>

#include <string>

namespace dray::app::progress_test {

TEST_CASE("a line says how far the runs are, and what is left at the pace of those made now") {
  struct Row {
    std::string name;
    SweepProgress progress;
    std::string line;
  };
  using std::chrono::seconds;
  const auto row = GENERATE(
      Row{"none is done: nobody knows how long they take",
          {.runs = 40, .taken = seconds(5)},
          "[..............................] 0/40 runs, 5s"},
      Row{"a quarter is done",
          {.runs = 40, .done = 10, .taken = seconds(60)},
          "[#######.......................] 10/40 runs, 1m00s, about 3m00s left"},
      Row{"what was kept took no time of this process",
          {.runs = 40, .done = 30, .kept = 28, .taken = seconds(60)},
          "[######################........] 30/40 runs, 1m00s, 28 kept before, about 5m00s left"},
      Row{"all is done",
          {.runs = 2, .done = 2, .taken = seconds(0)},
          "[##############################] 2/2 runs, 0s, about 0s left"});
  DYNAMIC_SECTION(row.name) {
    CHECK(progress_line(row.progress) == row.line);
  }
}

}  // namespace dray::app::progress_test
