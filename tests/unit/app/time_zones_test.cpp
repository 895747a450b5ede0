#include "app/time_zones.h"

#include <catch2/catch.hpp>

namespace dray::app {

TEST_CASE("a time zone is read from the system; a folder is none") {
  const auto zone = read_time_zone("UTC");
  if (!zone) {
    WARN("skipped: no time zone database here");
    return;
  }
  CHECK(zone->starts_with("TZif"));
  CHECK_FALSE(read_time_zone("Nowhere/Land"));
  CHECK_FALSE(read_time_zone("America"));
  CHECK_FALSE(read_time_zone(""));
}

}  // namespace dray::app
