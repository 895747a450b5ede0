#include "wire/yaml/duration.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

namespace dray::wire::duration_test {

using namespace std::chrono_literals;

TEST_CASE("a duration is whole numbers with units") {
  struct Row {
    std::string text;
    std::optional<Duration> want;
  };
  const auto row = GENERATE(values<Row>({
      {"0s", 0s},
      {"500ms", 500ms},
      {"90s", 90s},
      {"1h30m", 90min},
      {"7d", 168h},
      {"2w1d", 360h},
      {"", std::nullopt},
      {"60", std::nullopt},
      {"1.5h", std::nullopt},
      {"-1s", std::nullopt},
      {"1 s", std::nullopt},
      {"s", std::nullopt},
      {"1y", std::nullopt},
      {"9223372036854775807w", std::nullopt},
      {"15250284452471w", std::nullopt},
      {"9223372036854s9223372036854s", std::nullopt},
  }));
  DYNAMIC_SECTION("`" << row.text << "`") {
    CHECK(parse_duration(row.text) == row.want);
  }
}

TEST_CASE("a duration is written in the largest unit that fits") {
  struct Row {
    Duration duration;
    std::string want;
  };
  const auto row = GENERATE(values<Row>({{0s, "0s"},
                                         {500ms, "500ms"},
                                         {60s, "1m"},
                                         {90s, "90s"},
                                         {10min, "10m"},
                                         {36h, "36h"},
                                         {48h, "2d"},
                                         {168h, "1w"}}));
  CHECK(format_duration(row.duration) == row.want);
  CHECK(parse_duration(row.want) == row.duration);
}

}  // namespace dray::wire::duration_test
