#include "app/match/match_report.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/app/match_cluster.h"

namespace dray::app::match_report_test {

using namespace match_testing;

namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("it is said which devices match, and what decided on the others") {
  const Match match("a", "device.attributes[\"d.io\"].size > 5");
  CHECK(
      match_rows(match.matches) ==
      "NODE  DEVICE     MATCH  WHY NOT\n"
      "n0    d.io/n0/x  error  device.attributes[\"d.io\"].size: no such key: size\n"
      "n0    d.io/n0/y  no     class a: selector 1: device.attributes[\"d.io\"].model == \"A\" is "
      "false: device.attributes[\"d.io\"].model = \"B\"\n"
      "n1    d.io/n1/x  error  device.attributes[\"d.io\"].size: no such key: size\n"
      "n1    d.io/n1/y  no     class a: selector 1: device.attributes[\"d.io\"].model == \"A\" is "
      "false: device.attributes[\"d.io\"].model = \"B\"\n"
      "0 of 4 devices match, 2 do not, 2 failed\n");
}

TEST_CASE("devices that answer alike are one line, those that match first") {
  const Match one("", R"(device.attributes["d.io"].model == "A")");
  CHECK(match_table(one.matches, false) ==
        "MATCH  DEVICES  NODES  FIRST      WHY NOT\n"
        "yes          2      2  d.io/n0/x\n"
        "no           2      2  d.io/n0/y  device.attributes[\"d.io\"].model == \"A\" is false: "
        "device.attributes[\"d.io\"].model = \"B\"\n"
        "2 of 4 devices match, 2 do not, 0 failed\n");
  CHECK(match_table(one.matches, true).contains("\x1b[32myes\x1b[0m          2      2  "));
}

TEST_CASE("where each device has a value of its own, the first stands for all") {
  Match match("", "true");
  std::vector<DeviceMatch> matches;
  for (int i = 0; i < 20; ++i) {
    matches.push_back({match.devices.data(), cel::Verdict::no, "",
                       "device.x == 1 is false: device.x = " + std::to_string(i + 2)});
  }
  CHECK(match_table(matches, false)
            .contains("no          20      1  d.io/n0/x  device.x == 1 is false: device.x = 2 (and "
                      "19 other "
                      "values)\n"));
  matches.resize(12);
  CHECK(lines_of(match_table(matches, false)) == 14);
}

TEST_CASE("a match as JSON") {
  const Match match("", R"(device.attributes["d.io"].model == "A")");
  CHECK_THAT(match_json(match.matches),
             Catch::StartsWith(R"({"devices":[{"node":"n0","device":"d.io/n0/x","match":true},)") &&
                 Catch::EndsWith(R"("matched":2,"notMatched":2,"failed":0})"));
}

TEST_CASE("a device is explained, sub-expression by sub-expression") {
  Match match("", R"(device.driver == "d.io" || device.attributes["d.io"].model == "A")");
  CHECK(explain_table(match.devices[0], match.selectors) ==
        "device d.io/n0/x on n0\n"
        "expression:\n"
        "  device.driver == \"d.io\" || device.attributes[\"d.io\"].model == \"A\" = true\n"
        "    device.driver == \"d.io\" = true\n"
        "      device.driver = \"d.io\"\n"
        "    device.attributes[\"d.io\"].model == \"A\" = true  (not needed)\n"
        "      device.attributes[\"d.io\"].model = \"A\"  (not needed)\n");
  CHECK_THAT(explain_json(match.devices[0], match.selectors),
             Catch::Contains(R"({"expression":"device.driver","depth":2,"value":"\"d.io\"",)"
                             R"("reached":true})"));
}

}  // namespace dray::app::match_report_test
