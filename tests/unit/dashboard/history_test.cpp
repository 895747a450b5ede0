#include "dashboard/history.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>

#include "tests/unit/dashboard/history_samples.h"

namespace dray::dashboard::history_test {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::at_second;
using testing::status_of;

TEST_CASE("history begins anew with other queues") {
  History history;
  history.add(at_second(0), status_of({{"old", 1}}));
  for (int i = 1; i <= 5; ++i) history.add(at_second(i), status_of({{"a", i}, {"b", 2}}));
  const auto curves = history.of("gpu");
  CHECK(curves.times.size() == 5);
  REQUIRE(curves.queues.size() == 2);
  CHECK(curves.queues[0].queue == "a");
  CHECK(curves.queues[0].used.back() == 5);
  CHECK(curves.queues[1].fair_share.front() == 8);
  CHECK(history.of("cpu").queues.empty());
}

TEST_CASE("history begins with the first plan, which tells of queues") {
  History history;
  CHECK_FALSE(history.add(at_second(0), status_of({})).added);
  CHECK(history.samples().empty());
}

TEST_CASE("history is bounded: the older, the farther apart, and at most two weeks") {
  History history;
  std::size_t most = 0;
  std::size_t added = 0;
  std::size_t dropped = 0;
  Time now;
  for (std::int64_t second = 0; second < std::int64_t{16} * 86'400; second += 60) {
    now = at_second(second);
    const auto change = history.add(now, status_of({{"a", 1}}));
    added += change.added ? 1 : 0;
    dropped += change.dropped.size();
    most = std::max(most, history.samples().size());
  }
  CHECK(most <= 120 + 552 + 289 + 2);
  CHECK(added - dropped == history.samples().size());
  CHECK(now - history.samples().front().at <= History::oldest);
  CHECK(now - history.samples().front().at > History::oldest - hours(2));
  const auto between = [&](Duration younger, Duration older) {
    return std::ranges::count_if(history.samples(), [&](const History::Sample& sample) {
      return now - sample.at >= younger && now - sample.at < older;
    });
  };
  CHECK(between(minutes(0), hours(1)) == 60);
  CHECK(between(hours(10), hours(11)) == 12);
  CHECK(between(days(5), days(6)) == 24);
}

TEST_CASE("a curve is of the span that is asked for") {
  History history;
  for (int i = 0; i < 100; ++i) history.add(at_second(std::int64_t{60} * i), status_of({{"a", i}}));
  CHECK(history.of("gpu", minutes(10)).times.size() == 11);
  CHECK(history.of("gpu", minutes(10)).queues[0].used.front() == 89);
  CHECK(history.of("gpu").times.size() == 100);
}

TEST_CASE("where the clock was put back, history goes on from there") {
  History history;
  for (int i = 0; i < 10; ++i) history.add(at_second(i), status_of({{"a", i}}));
  const auto change = history.add(at_second(5), status_of({{"a", 50}}));
  CHECK(change.dropped.size() == 5);
  const auto curves = history.of("gpu");
  CHECK(curves.times.size() == 6);
  CHECK(curves.queues[0].used.back() == 50);
}

TEST_CASE("what an earlier run left comes before") {
  History first;
  first.add(at_second(0), status_of({{"a", 1}}));
  History second;
  second.restore({first.samples().begin(), first.samples().end()});
  second.add(at_second(10), status_of({{"a", 2}}));
  CHECK(second.of("gpu").queues[0].used == std::vector<float>{1, 2});
}

}  // namespace dray::dashboard::history_test
