#include "engine/protocol/timers.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>

namespace dray::engine::timers_test {
namespace {

using namespace std::chrono_literals;

constexpr Time begin = Time(std::chrono::hours(24 * 365 * 50));

TEST_CASE("timers come when they are due, by time and then by key") {
  Timers<std::string> timers;
  timers.arm("late", begin + 2s);
  timers.arm("b", begin + 1s);
  timers.arm("a", begin + 1s);
  CHECK(timers.next() == begin + 1s);
  CHECK(!timers.take_due(begin + 1s - 1us));
  CHECK(timers.take_due(begin + 1s) == "a");
  CHECK(timers.take_due(begin + 1s) == "b");
  CHECK(!timers.take_due(begin + 1s));
  CHECK(timers.next() == begin + 2s);
  CHECK(timers.take_due(begin + 1h) == "late");
  CHECK(!timers.next());
}

TEST_CASE("a key has one timer: another replaces it, and none ends it") {
  Timers<std::string> timers;
  timers.arm("a", begin + 1s);
  timers.arm("a", begin + 5s);
  CHECK(timers.next() == begin + 5s);
  CHECK(!timers.take_due(begin + 1s));
  CHECK(timers.armed("a"));
  timers.arm("a", std::nullopt);
  CHECK(!timers.armed("a"));
  CHECK(!timers.next());
  CHECK(!timers.take_due(begin + 1h));
}

TEST_CASE("what has come is not armed any more, and may be armed again") {
  Timers<std::string> timers;
  timers.arm("a", begin);
  CHECK(timers.take_due(begin) == "a");
  CHECK(!timers.armed("a"));
  timers.arm("a", begin);
  CHECK(timers.take_due(begin) == "a");
}

TEST_CASE("cleared timers do not come") {
  Timers<std::string> timers;
  timers.arm("a", begin);
  timers.clear();
  CHECK(!timers.armed("a"));
  CHECK(!timers.take_due(begin));
  timers.arm("a", begin + 1s);
  CHECK(timers.next() == begin + 1s);
}

}  // namespace
}  // namespace dray::engine::timers_test
