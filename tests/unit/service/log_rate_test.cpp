#include "service/log_rate.h"

#include <catch2/catch.hpp>

#include "service/log.h"

namespace dray::service::log_rate_test {
namespace {

using namespace std::chrono_literals;

constexpr LogRate::Limit limit{.burst = 3, .a_second = 2};

}  // namespace

TEST_CASE("log lines of one kind are limited, and the next one says how many were left out") {
  LogRate rate;
  const auto kind = std::source_location::current();
  LogRate::Clock::time_point now{};
  for (int i = 0; i < 3; ++i) CHECK(rate.take(kind, limit, now) == 0);
  for (int i = 0; i < 100; ++i) CHECK(rate.take(kind, limit, now) == std::nullopt);
  now += 499ms;
  CHECK(rate.take(kind, limit, now) == std::nullopt);
  now += 1ms;
  CHECK(rate.take(kind, limit, now) == 101);
  CHECK(rate.take(kind, limit, now) == std::nullopt);
  now += 500ms;
  CHECK(rate.take(kind, limit, now) == 1);
}

TEST_CASE("a pause gives no more lines than come at once") {
  LogRate rate;
  const auto kind = std::source_location::current();
  LogRate::Clock::time_point now{};
  CHECK(rate.take(kind, limit, now) == 0);
  now += 1h;
  int written = 0;
  for (int i = 0; i < 100; ++i) written += rate.take(kind, limit, now) ? 1 : 0;
  CHECK(written == 3);
}

TEST_CASE("a kind of lines leaves no other out") {
  LogRate rate;
  const LogRate::Clock::time_point now{};
  const auto one = std::source_location::current();
  const auto other = std::source_location::current();
  for (int i = 0; i < 10; ++i) static_cast<void>(rate.take(one, limit, now));
  CHECK(rate.take(one, limit, now) == std::nullopt);
  CHECK(rate.take(other, limit, now) == 0);
}

TEST_CASE("what is told of lines that were left out has their number") {
  CHECK(lines_left_out(1) == "1 line like the next one was left out: too many in a short time");
  CHECK(lines_left_out(7) == "7 lines like the next one were left out: too many in a short time");
}

}  // namespace dray::service::log_rate_test
