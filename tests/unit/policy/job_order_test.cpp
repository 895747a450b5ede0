#include "dray/policy/job_order.h"

#include <catch2/catch.hpp>
#include <limits>

namespace dray::policy::job_order_test {

using namespace std::chrono_literals;

TEST_CASE("jobs of a queue go by priority, phase, age and uid") {
  struct Row {
    std::string name;
    JobRank first, second;
  };
  const auto row = GENERATE(values<Row>({
      {"priority before all",
       {2, GangPhase::above_minimum, Time(9s), Uid("z")},
       {1, GangPhase::below_minimum, Time(1s), Uid("a")}},
      {"below its minimum before at it",
       {1, GangPhase::below_minimum, Time(9s), Uid("z")},
       {1, GangPhase::at_minimum, Time(1s), Uid("a")}},
      {"at its minimum before above it",
       {1, GangPhase::at_minimum, Time(9s), Uid("z")},
       {1, GangPhase::above_minimum, Time(1s), Uid("a")}},
      {"the older one",
       {1, GangPhase::below_minimum, Time(1s), Uid("z")},
       {1, GangPhase::below_minimum, Time(2s), Uid("a")}},
      {"the uid",
       {1, GangPhase::below_minimum, Time(1s), Uid("a")},
       {1, GangPhase::below_minimum, Time(1s), Uid("b")}},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK((compare_jobs(row.first, row.second) < 0));
    CHECK((compare_jobs(row.second, row.first) > 0));
    CHECK((compare_jobs(row.first, row.first) == 0));
  }
}

TEST_CASE("waiting adds priority by full periods") {
  CHECK(aged_priority(5, 59min, 1h) == 5);
  CHECK(aged_priority(5, 60min, 1h) == 6);
  CHECK(aged_priority(-5, 10h, 1h) == 5);
  CHECK(aged_priority(5, 10h, std::nullopt) == 5);
  CHECK(aged_priority(5, -10h, 1h) == 5);
  constexpr auto highest = std::numeric_limits<std::int32_t>::max();
  CHECK(aged_priority(highest - 1, Duration::max(), 1us) == highest);
}

}  // namespace dray::policy::job_order_test
