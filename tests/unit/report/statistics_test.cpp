#include "report/statistics.h"

#include <catch2/catch.hpp>

#include <vector>

namespace dray::report::statistics_test {

TEST_CASE("mean and deviation of a sample") {
  CHECK(spread_of(std::vector<double>{}).mean == 0);
  CHECK(spread_of(std::vector<double>{4}).deviation == 0);
  const auto spread = spread_of(std::vector<double>{2, 4, 6});
  CHECK(spread.mean == 4);
  CHECK(spread.deviation == 2);
}

}  // namespace dray::report::statistics_test
