#include "simulate/jobs/fragmented.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "dray/simulate/jobs_run.h"
#include "dray/simulate/measures.h"
#include "dray/simulate/trace.h"

namespace dray::simulate::fragmented_test {
namespace {

using std::chrono::seconds;

Setting setting_of(const std::string& rows) {
  auto jobs = read_jobs_csv("name,submit,run_time,gpus,queue\n" + rows).value().value;
  const std::vector<GpuNode> nodes{{"a", 64'000, 64'000, 8, "m"}, {"b", 64'000, 64'000, 8, "m"}};
  return Setting::make(nodes, std::move(jobs)).value();
}

}  // namespace

TEST_CASE("the curve has averages over equal parts of the time") {
  FragmentedOverTime over_time;
  over_time.saw(seconds(0), 1000);
  over_time.saw(seconds(15), 9000);
  over_time.saw(seconds(15), 3000);  // at the same moment the last counts
  over_time.saw(seconds(40), 0);
  CHECK(over_time.curve(seconds(10), seconds(50), 4) == std::vector<double>{2, 3, 3, 0});
  CHECK(over_time.curve(seconds(10), seconds(10), 4).empty());
}

TEST_CASE("GPUs that the typical job cannot use are fragmented, until they are idle again") {
  // One in five wants all of a node: it is typical, too.
  const auto setting =
      setting_of("one,0,9,1,q\ntwo,0,9,1,q\nthree,0,9,1,q\nfour,0,9,1,q\nall,0,9,8,q\n");
  FilledNodes nodes(setting);
  CHECK(nodes.fragmentation() == 0);
  const std::vector<Place> place{{1, 0}};
  nodes.started(0, place);
  // Seven GPUs of a node are no use to one of the five.
  CHECK(nodes.fragmentation() == Approx(7000 / 5.0));
  nodes.left(0);
  CHECK(nodes.fragmentation() == Approx(0));
}

TEST_CASE(
    "a pod without room by the trace is left out, and GPUs that are held are not taken again") {
  const auto setting = setting_of("all,0,9,8,q\nother,0,9,8,q\n");
  FilledNodes nodes(setting);
  const std::vector<Place> place{{0, 0xff}};
  nodes.started(0, place);
  const auto before = nodes.fragmentation();
  nodes.started(1, place);
  nodes.left(1);
  CHECK(nodes.fragmentation() == before);
}

TEST_CASE("a run's fragmentation is the same whoever fills the nodes alike") {
  const auto setting =
      setting_of("one,0,100,1,q\ntwo,0,50,1,q\nthree,0,70,1,q\nall,20,30,8,q\nfour,60,30,1,q\n");
  const auto strategy = run_jobs(setting, {"bestfit", Strategy::best_fit}, 1);
  const auto planner = run_jobs(setting, {"fcfs", policy_of(setting.workload(), false).value()}, 1);
  REQUIRE(strategy.fragmented.size() == curve_points);
  // All small ones are on one node under both.
  CHECK(strategy.fragmented == planner.fragmented);
  const auto measures = measure(setting.workload(), strategy);
  CHECK(measures.fragmented > 0);
  CHECK(measures.fragmented_idle > measures.fragmented);
}

}  // namespace dray::simulate::fragmented_test
