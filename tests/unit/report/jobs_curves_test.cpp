#include <catch2/catch.hpp>

#include "report/jobs_report.h"
#include "tests/unit/report/measured_run.h"

namespace dray::report::jobs_curves_test {

using Catch::Contains;
using testing::measured;

TEST_CASE("queues against their fair shares: on average, and over time") {
  const auto json = jobs_json({measured()});
  CHECK_THAT(json, Contains(R"("sharesOf":"fair")"));
  CHECK_THAT(json, Contains(R"("held":8,"fairShare":12,"owed":4})"));
  CHECK_THAT(json,
             Contains(R"("curves":[{"queue":"q","held":[8.00],"waiting":[16.00],)"
                      R"("share":[12.00]}],"overTime":{"jain":[1.0000],"fragmented":[25.00]})"));
  CHECK_THAT(jobs_csv({measured()}), Contains(",held,fairShare,owed,utilisation,"));
  CHECK_THAT(jobs_csv({measured()}), Contains(",8,12,4,,,,,\n"));
}

TEST_CASE("curves as CSV: a line for the run and each queue") {
  auto two = measured();
  two.run.curves = {{"a", {8, 4}, {0, 4}}, {"b", {4, 0}, {8, 12}}};
  two.run.fragmented = {4, 2};
  two.shares.of_queues = {{6, 6}, {6, 6}};
  CHECK(jobs_curves({two}) ==
        "policy,seed,queue,seconds,held,waiting,fairShare,jain,fragmented\n"
        "p,7,*,0,12.00,8.00,12.00,0.8000,25.00\n"
        "p,7,a,0,8.00,0.00,6.00,,\n"
        "p,7,b,0,4.00,8.00,6.00,,\n"
        "p,7,*,50,4.00,16.00,12.00,0.5000,12.50\n"
        "p,7,a,50,4.00,4.00,6.00,,\n"
        "p,7,b,50,0.00,12.00,6.00,,\n");
}

}  // namespace dray::report::jobs_curves_test
