#include "dray/cel/time_zone.h"

#include <string>

#include <catch2/catch.hpp>

#include "cel/text/time_text.h"

namespace dray::cel::time_zone_test {
namespace {

std::expected<std::string, std::string> zones(std::string_view name) {
  if (name == "America") return std::unexpected("is a directory");
  if (name == "zone.tab") return "# no zone";
  return std::unexpected("");
}

struct Row {
  std::string zone;
  std::string error;
};

TEST_CASE("a zone that cannot be had is refused in Go's words") {
  set_time_zone_source(zones);
  const auto row =
      GENERATE(Row{"Mars", "unknown time zone Mars"}, Row{"America", "is a directory"},
               Row{"zone.tab", "malformed time zone information"},
               Row{"../etc/passwd", "time: invalid location name"},
               Row{"/etc/localtime", "time: invalid location name"},
               Row{std::string("a\0b", 3), "invalid argument"},
               Row{std::string("/a\0b", 4), "time: invalid location name"},
               Row{"x:00", R"(strconv.Atoi: parsing "x": invalid syntax)"},
               Row{"99999999999999999999:00",
                   R"(strconv.Atoi: parsing "99999999999999999999": value out of range)"});
  std::string error;
  CHECK_FALSE(zone_offset(row.zone, 0, error));
  CHECK(error == row.error);
}

TEST_CASE("offsets need no zone") {
  std::string error;
  CHECK(zone_offset("", 0, error) == 0);
  CHECK(zone_offset("UTC", 0, error) == 0);
  CHECK(zone_offset("+02:30", 0, error) == 9000);
  CHECK(zone_offset("-2:30", 0, error) == -9000);
}

}  // namespace
}  // namespace dray::cel::time_zone_test
