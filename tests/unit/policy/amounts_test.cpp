#include "dray/policy/amounts.h"

#include <catch2/catch.hpp>

#include "trees.h"

namespace dray::policy::amounts_test {

TEST_CASE("amounts add up resource by resource") {
  auto sum = amounts({1, 2}) + amounts({0.5, -2});
  CHECK(sum == amounts({1.5, 0}));
  sum -= amounts({1.5, 0});
  CHECK(sum == Amounts(2));
  CHECK_FALSE(Amounts(2) == Amounts(3));
}

TEST_CASE("amounts are within bounds in every resource, and unlimited ones in all") {
  CHECK(amounts({1, 2}).within(amounts({1, 2})));
  CHECK_FALSE(amounts({1, 2}).within(amounts({5, 1})));
  CHECK(amounts({1e300, unlimited}).within(Amounts(2, unlimited)));
  CHECK_FALSE(amounts({unlimited}).within(amounts({5})));
}

}  // namespace dray::policy::amounts_test
