#include "dashboard/caller_bounds.h"

#include <catch2/catch.hpp>

namespace dray::dashboard::caller_bounds_test {
namespace {

using namespace std::chrono_literals;

constexpr CallerBounds::Clock::time_point now{1h};

int asked(CallerBounds& bounds, const std::string& caller, CallerBounds::Clock::time_point at) {
  int count = 0;
  while (count < 1000 && bounds.may_ask(caller, at)) ++count;
  return count;
}

TEST_CASE("one caller who asks for too much uses up his own part alone") {
  CallerBounds bounds({.at_once = 4, .every = 200ms}, {.at_once = 100, .every = 20ms});
  CHECK(asked(bounds, "a", now) == 5);
  CHECK(asked(bounds, "b", now) == 5);
  CHECK(asked(bounds, "a", now) == 0);
  CHECK(asked(bounds, "a", now + 400ms) == 2);
}

TEST_CASE("many callers together may ask for no more than all may, and few are remembered") {
  CallerBounds bounds({.at_once = 4, .every = 10s}, {.at_once = 50, .every = 20s});
  int count = 0;
  for (int i = 0; i < 1000; ++i) count += asked(bounds, std::to_string(i), now);
  CHECK(count == 51);
  CHECK(bounds.callers() == 11);
  CHECK(bounds.may_ask("late", now + 1h));
  CHECK(bounds.callers() == 1);
}

TEST_CASE("a caller is his host, whatever the port") {
  CHECK(host_of("10.0.0.7:4711") == "10.0.0.7");
  CHECK(host_of("[2001:db8::1]:4711") == "[2001:db8::1]");
}

}  // namespace
}  // namespace dray::dashboard::caller_bounds_test
