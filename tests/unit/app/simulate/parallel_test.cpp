#include "app/simulate/parallel.h"

#include <catch2/catch.hpp>

#include <vector>

namespace dray::app::parallel_test {

TEST_CASE("every number is worked on once, on however many threads") {
  const auto threads = GENERATE(0U, 1U, 3U, 50U);
  std::vector<int> times(20);
  std::size_t last = 0;
  run_parallel(
      times.size(), threads, [&](std::size_t at) { ++times[at]; },
      [&](std::size_t done) { last = done; });
  CHECK(times == std::vector<int>(20, 1));
  CHECK(last == 20);
}

TEST_CASE("nothing to do is done at once") {
  bool called = false;
  run_parallel(0, 4, [&](std::size_t) { called = true; });
  CHECK_FALSE(called);
}

}  // namespace dray::app::parallel_test
