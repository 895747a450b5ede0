#include "dray/base/time.h"

#include <chrono>
#include <string>

#include <catch2/catch.hpp>

namespace dray::time_test {
namespace {

struct Row {
  std::string text;
  std::string micro;  ///< empty: refused
};

TEST_CASE("times are read as Go reads RFC 3339") {
  const auto row = GENERATE(Row{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z"},
                            Row{"2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05.500000Z"},
                            Row{"2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123456Z"},
                            Row{"2026-01-02T03:04:05+01:30", "2026-01-02T01:34:05.000000Z"},
                            Row{"2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00.000000Z"},
                            Row{"1969-12-31T23:59:59.25Z", "1969-12-31T23:59:59.250000Z"},
                            Row{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"},
                            Row{"2023-02-29T00:00:00Z", ""}, Row{"2026-01-02T03:04:60Z", ""},
                            Row{"2026-01-02T03:04:05.Z", ""}, Row{"2026-01-02 03:04:05Z", ""},
                            Row{"2026-01-02T03:04:05", ""}, Row{"2026-01-02T03:04:05Zx", ""},
                            Row{"2026-1-02T03:04:05Z", ""}, Row{"", ""});
  DYNAMIC_SECTION(row.text) {
    const auto time = parse_time(row.text);
    CHECK((time ? format_micro_time(*time) : "") == row.micro);
  }
}

TEST_CASE("whole seconds are cut, not rounded") {
  CHECK(format_time(Time(std::chrono::microseconds(999'999))) == "1970-01-01T00:00:00Z");
  CHECK(format_time(Time(std::chrono::microseconds(-1))) == "1969-12-31T23:59:59Z");
}

TEST_CASE("a refused time is named") {
  CHECK(parse_time("noon").error().message == "not an RFC 3339 time: \"noon\"");
}

}  // namespace
}  // namespace dray::time_test
