#include "app/serve/time_zones.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::app::time_zones_test {

TEST_CASE("a time zone is read from the system; a folder is none") {
  const auto zone = read_time_zone("UTC");
  if (!zone) {
    WARN("skipped: no time zone database here");
    return;
  }
  CHECK(zone->starts_with("TZif"));
  CHECK(read_time_zone("Nowhere/Land") == std::unexpected(std::string()));
  CHECK(read_time_zone("America") == std::unexpected(std::string("is a directory")));
  CHECK(read_time_zone("America/New_York/x") == std::unexpected(std::string("not a directory")));
}

}  // namespace dray::app::time_zones_test
