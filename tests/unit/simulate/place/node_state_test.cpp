#include "simulate/place/node_state.h"

#include <catch2/catch.hpp>

#include "tests/unit/simulate/place/nodes.h"

namespace dray::simulate::node_state_test {

using namespace testing;

TEST_CASE("a pod fits where CPU, memory, places, the model and its GPUs do") {
  const auto used = node(4000, {300, 1000, 700});
  CHECK(used.fits(shape(4000, 1, 1000)));
  CHECK_FALSE(used.fits(shape(4001, 1, 1000)));
  CHECK_FALSE(used.fits(shape(1, 2, 1000)));
  CHECK(used.fits(shape(1, 1, 701)));
  CHECK(used.fits(shape(1, 0, 0)));
  auto other = shape(1, 1, 100);
  other.models = 2;
  CHECK_FALSE(used.fits(other));
  other.models = 1;
  CHECK(used.fits(other));
  other.memory_mib = 1001;
  CHECK_FALSE(used.fits(other));
  auto full = used;
  full.pods_left = 0;
  CHECK_FALSE(full.fits(shape(1, 0, 0)));
}

TEST_CASE("the fitting GPUs with the least left are taken, and given back") {
  auto used = node(4000, {1000, 300, 700, 1000});
  CHECK(least_left(used, shape(1, 1, 200)) == 0b0010);
  CHECK(least_left(used, shape(1, 1, 500)) == 0b0100);
  CHECK(least_left(used, shape(1, 2, 1000)) == 0b1001);
  const auto before = used;
  used.take(shape(1000, 1, 500), 0b0100);
  CHECK(used.free[2] == 200);
  CHECK(used.gpu_milli == before.gpu_milli - 500);
  CHECK(used.milli_cpu == 3000);
  CHECK(used.held[gpu_class(shape(1, 1, 500))] == 1);
  used.give_back(shape(1000, 1, 500), 0b0100);
  CHECK(used.free == before.free);
  CHECK(used.pods_left == before.pods_left);
  CHECK(used.held == before.held);
}

}  // namespace dray::simulate::node_state_test
