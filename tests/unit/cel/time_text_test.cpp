#include "cel/text/time_text.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::cel::time_text_test {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST_CASE("durations are read as Go reads them") {
  CHECK(parse_duration("1h30m") == 5400 * second);
  CHECK(parse_duration("-1.5s") == -second * 3 / 2);
  CHECK(parse_duration("1ms1us1ns") == 1'001'001);
  CHECK(parse_duration("0") == 0);
  for (const char* wrong : {"", "1", "1x", "s", "1h 2m", "-", ".s", "9223372036854775808ns"}) {
    INFO(wrong);
    CHECK_FALSE(parse_duration(wrong));
  }
}

TEST_CASE("and written in both ways that upstream has") {
  CHECK(duration_go_text(5400 * second) == "1h30m0s");
  CHECK(duration_go_text(1'500'000) == "1.5ms");
  CHECK(duration_go_text(0) == "0s");
  CHECK(duration_seconds_text(5400 * second) == "5400s");
  CHECK(duration_seconds_text(-second * 3 / 2) == "-1.5s");
}

TEST_CASE("timestamps are RFC 3339, with an offset") {
  CHECK(parse_timestamp("1970-01-01T00:01:00Z")->seconds == 60);
  CHECK(parse_timestamp("1970-01-01T01:00:00+01:00")->seconds == 0);
  CHECK(parse_timestamp("1970-01-01T00:00:00.5Z")->nanoseconds == second / 2);
  CHECK(timestamp_text(*parse_timestamp("2024-02-29T01:02:03.040Z")) == "2024-02-29T01:02:03.04Z");
  for (const char* wrong : {"", "1970-01-01", "1970-01-01T00:00:00", "1970-13-01T00:00:00Z",
                            "2023-02-29T00:00:00Z", "1970-01-01T24:00:00Z"}) {
    INFO(wrong);
    CHECK_FALSE(parse_timestamp(wrong));
  }
}

TEST_CASE("days, weekdays and leap years") {
  const auto at = [](const char* text) { return civil_time(parse_timestamp(text)->seconds); };
  const auto leap = at("2024-12-31T23:59:58Z");
  CHECK(leap.day_of_year == 366);
  CHECK(leap.day_of_week == 2);
  CHECK(leap.second == 58);
  CHECK(at("1900-03-01T00:00:00Z").day_of_year == 60);
  CHECK(at("2000-03-01T00:00:00Z").day_of_year == 61);
  CHECK(at("1969-12-31T23:59:59Z").year == 1969);
}

TEST_CASE("offsets of time zones by number") {
  std::string error;
  CHECK(zone_offset("+01:30", 0, error) == 5400);
  CHECK(zone_offset("-01:30", 0, error) == -5400);
  CHECK(zone_offset("01:30", 0, error) == 5400);
  CHECK(zone_offset("UTC", 0, error) == 0);
  CHECK_FALSE(zone_offset("Nowhere/City", 0, error));
  CHECK_FALSE(error.empty());
}

}  // namespace
}  // namespace dray::cel::time_text_test
