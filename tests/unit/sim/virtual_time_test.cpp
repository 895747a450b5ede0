#include "sim/virtual_time.h"

#include <catch2/catch.hpp>

#include <string>

#include "tests/objects/meta.h"

namespace dray::sim::virtual_time_test {

using namespace dray::testing;

TEST_CASE("actions are done by time, and in the order of asking where times are equal") {
  VirtualTime time(at(0));
  std::string done;
  time.at(at(2), [&] { done += 'd'; });
  time.at(at(1), [&] {
    done += 'a';
    time.at(at(1), [&] { done += 'c'; });
    time.at(at(0), [&] { done += 'x'; });  // the past is now, behind what was asked for before
  });
  time.at(at(1), [&] { done += 'b'; });
  CHECK(time.run_until(at(1), 100));
  CHECK(done == "abcx");
  CHECK(time.now() == at(1));
  CHECK(time.run_until(at(5), 100));
  CHECK(done == "abcxd");
  CHECK(time.now() == at(5));
  CHECK(time.events() == 5);
  CHECK(time.run_until(at(4), 100));
  CHECK(time.now() == at(5));  // it does not go back
}

TEST_CASE("more to do than was allowed is told, and not lost") {
  VirtualTime time(at(0));
  int done = 0;
  for (int i = 0; i < 3; ++i) time.at(at(1), [&] { ++done; });
  CHECK_FALSE(time.run_until(at(1), 2));
  CHECK(done == 2);
  CHECK(time.run_until(at(1), 1));
  CHECK(done == 3);
}

TEST_CASE("an alarm goes off once for all that is due") {
  VirtualTime time(at(0));
  Alarm alarm;
  std::string woken;
  const auto wake = [&](char who) { return [&woken, who] { woken += who; }; };
  alarm.set(time, std::nullopt, wake('n'));
  alarm.set(time, at(2), wake('a'));
  alarm.set(time, at(3), wake('b'));  // later: it is going to be asked again
  alarm.set(time, at(2), wake('c'));  // the same time
  alarm.set(time, at(1), wake('d'));  // earlier: this one instead
  CHECK(time.run_until(at(1), 100));
  CHECK(woken == "d");
  alarm.set(time, at(2), wake('e'));
  CHECK(time.run_until(at(9), 100));
  CHECK(woken == "da");  // whose time it is; one of them
}

TEST_CASE("an alarm that was taken back does not go off, and may be set again") {
  VirtualTime time(at(0));
  Alarm alarm;
  int woken = 0;
  alarm.set(time, at(1), [&] { ++woken; });
  alarm.cancel();
  CHECK(time.run_until(at(2), 100));
  CHECK(woken == 0);
  alarm.set(time, at(3), [&] { ++woken; });
  CHECK(time.run_until(at(3), 100));
  CHECK(woken == 1);
}

}  // namespace dray::sim::virtual_time_test
