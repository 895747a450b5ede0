#include "app/repair/repair_report.h"

#include <catch2/catch.hpp>

namespace dray::app::repair_report_test {
namespace {

std::vector<RepairResult> results() {
  RepairFinding idle;
  idle.claim = {"team", "idle"};
  idle.what = "its devices are kept for nobody";
  RepairFinding twice;
  twice.kind = Repair::double_use;
  twice.claim = {"another-team", "c"};
  twice.what = "d/p/g is also in team/x";
  return {{.finding = idle, .done = "released", .mended = true},
          {.finding = twice, .done = "not mended: pod \"p\" uses it meanwhile", .mended = false}};
}

TEST_CASE("a line a finding, columns as wide as what they hold") {
  CHECK(repair_table(results()) ==
        "FOUND                 CLAIM           WHAT\n"
        "nobody uses it        team/idle       its devices are kept for nobody: released\n"
        "device in two claims  another-team/c  d/p/g is also in team/x: not mended: pod \"p\" uses "
        "it meanwhile\n");
  CHECK(repair_table({}) == "No claim has a device that another has, or is kept for nobody.\n");
}

TEST_CASE("the same as JSON") {
  CHECK(repair_json({results()[1]}) ==
        R"({"findings":[{"found":"device in two claims","namespace":"another-team","claim":"c",)"
        R"("what":"d/p/g is also in team/x",)"
        R"("done":"not mended: pod \"p\" uses it meanwhile","mended":false}]})");
  CHECK(repair_json({}) == R"({"findings":[]})");
}

}  // namespace
}  // namespace dray::app::repair_report_test
