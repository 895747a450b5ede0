#include "dray/policy/job_order.h"

#include <catch2/catch.hpp>
#include <limits>

namespace dray::policy::job_order_test {

using namespace std::chrono_literals;

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
