#include "dray/base/saturating_time.h"

#include <catch2/catch.hpp>

#include <cstdint>

namespace dray::saturating_time_test {
namespace {

using std::chrono::seconds;

constexpr Time now(seconds(1'800'000'000));

TEST_CASE("a sum of times ends at the last moment that there is") {
  CHECK(saturating_add(now, seconds(5)) == now + seconds(5));
  CHECK(saturating_add(now, -seconds(5)) == now - seconds(5));
  CHECK(saturating_add(now, Duration::max()) == Time::max());
  CHECK(saturating_add(Time::max(), Duration(1)) == Time::max());
  CHECK(saturating_add(Time::min(), Duration(-1)) == Time::min());
  CHECK(saturating_add(Time::max(), Duration::min()) < Time(Duration(0)));
}

TEST_CASE("so does a sum of spans, and a number of seconds") {
  CHECK(saturating_add(Duration(1), Duration(2)) == Duration(3));
  CHECK(saturating_add(Duration::max(), Duration(1)) == Duration::max());
  CHECK(saturating_add(Duration::min(), Duration(-1)) == Duration::min());
  CHECK(saturating_seconds(90) == seconds(90));
  CHECK(saturating_seconds(INT64_MAX) == Duration::max());
  CHECK(saturating_seconds(INT64_MIN) == Duration::min());
}

}  // namespace
}  // namespace dray::saturating_time_test
