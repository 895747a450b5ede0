#include "app/match/match_report.h"

#include <catch2/catch.hpp>

#include "tests/unit/app/match_cluster.h"

namespace dray::app::match_report_test {

using namespace match_testing;

TEST_CASE("it is said which devices match, and what decided on the others") {
  const Match match("a", "device.attributes[\"d.io\"].size > 5");
  CHECK(
      match_table(match.matches) ==
      "NODE  DEVICE     MATCH  WHY NOT\n"
      "n0    d.io/n0/x  error  device.attributes[\"d.io\"].size: no such key: size\n"
      "n0    d.io/n0/y  no     class a: selector 1: device.attributes[\"d.io\"].model == \"A\" is "
      "false: device.attributes[\"d.io\"].model = \"B\"\n"
      "n1    d.io/n1/x  error  device.attributes[\"d.io\"].size: no such key: size\n"
      "n1    d.io/n1/y  no     class a: selector 1: device.attributes[\"d.io\"].model == \"A\" is "
      "false: device.attributes[\"d.io\"].model = \"B\"\n"
      "0 of 4 devices match, 2 do not, 2 failed\n");
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
