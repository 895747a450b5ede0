#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::time_test {
namespace {

TEST_CASE("times and durations: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(timestamp('2024-02-29T13:14:15.016Z').getFullYear() == 2024)",
      R"(timestamp('2024-02-29T13:14:15.016Z').getMonth() == 1)",
      R"(timestamp('2024-02-29T13:14:15.016Z').getDate() == 29)",
      R"(timestamp('2024-02-29T13:14:15.016Z').getDayOfMonth() == 28)",
      R"(timestamp('2024-02-29T13:14:15.016Z').getHours() == 13)",
      R"(timestamp('2024-02-29T13:14:15.016Z').getMinutes() == 14)",
      R"(timestamp('2024-02-29T13:14:15.016Z').getSeconds() == 15)",
      R"(timestamp('2024-02-29T13:14:15.016Z').getMilliseconds() == 16)",
      R"(timestamp('2024-03-03T00:00:00Z').getDayOfWeek() == 0)",
      R"(timestamp('2024-01-01T00:00:00Z').getDayOfYear() == 0)",
      R"(timestamp('2024-12-31T00:00:00Z').getDayOfYear() == 365)",
      R"(timestamp('2024-01-01T00:30:00Z').getHours('-01:00') == 23)",
      R"(timestamp('2024-01-01T00:30:00Z').getFullYear('-01:00') == 2023)",
      R"(timestamp('2024-01-01T00:30:00Z').getMinutes('00:45') == 15)",
      R"(duration('1h30m').getHours() == 1)", R"(duration('1h30m').getMinutes() == 90)",
      R"(duration('90s').getSeconds() == 90)", R"(duration('1.5s').getMilliseconds() == 1500)",
      R"(timestamp('2024-01-01T00:00:00+01:00') == timestamp('2023-12-31T23:00:00Z'))",
      R"(duration('-1.5h') == duration('-90m'))", R"(duration('1ms') == duration('1000us'))",
      R"(duration('1us') == duration('1000ns'))");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("times and durations: what fails says why") {
  const auto row = GENERATE(
      Failing{
          R"(timestamp(dyn('yesterday')) == timestamp(0))",
          R"(program instantiation failed: type conversion error from 'string' to 'google.protobuf.Timestamp')"},
      Failing{
          R"(duration(dyn('1 hour')) == duration('1h'))",
          R"(program instantiation failed: type conversion error from 'string' to 'google.protobuf.Duration')"},
      Failing{R"(timestamp(0).getHours('Nowhere/City') == 0)",
              R"(unknown time zone Nowhere/City)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::time_test
