#include "dray/sim/work_queue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/objects/meta.h"

namespace dray::sim::work_queue_test {

using namespace std::chrono_literals;
using dray::testing::start;

TEST_CASE("a key waits once, in its turn") {
  WorkQueue queue;
  CHECK_FALSE(queue.due(start));
  for (const auto* key : {"a", "b", "a"}) queue.add(key);
  CHECK(queue.due(start) == start);
  CHECK(queue.take(start) == "a");
  queue.add("a");
  CHECK(queue.take(start) == "b");
  CHECK(queue.take(start) == "a");
  CHECK_FALSE(queue.take(start));
}

TEST_CASE("a failed key comes back after a time that doubles, up to 1000 seconds") {
  WorkQueue queue;
  auto now = start;
  Duration wait = 5ms;
  for (int failure = 0; failure < 25; ++failure) {
    queue.add_rate_limited("a", now);
    REQUIRE(queue.due(now) == now + wait);
    CHECK_FALSE(queue.take(now + wait - 1us));
    now += wait;
    REQUIRE(queue.take(now) == "a");
    wait = std::min<Duration>(wait * 2, 1000s);
  }
  queue.forget("a");
  queue.add_rate_limited("a", now);
  CHECK(queue.due(now) == now + 5ms);
}

TEST_CASE("what is over is due now") {
  WorkQueue queue;
  queue.add_rate_limited("a", start);
  CHECK(queue.due(start + 1s) == start + 1s);
}

}  // namespace dray::sim::work_queue_test
