#include "app/match/match_devices.h"

#include <catch2/catch.hpp>

#include "tests/unit/app/match_cluster.h"

namespace dray::app::match_devices_test {
using namespace match_testing;

TEST_CASE("devices of the newest generation are offered, in order") {
  cel::Interner interner;
  std::vector<std::string> ids;
  for (const auto& one : offered_devices(objects(), interner)) ids.push_back(one.id());
  CHECK(ids == std::vector<std::string>{"d.io/n0/x", "d.io/n0/y", "d.io/n1/x", "d.io/n1/y"});
}

TEST_CASE("a device is found by name, where one goes by it") {
  cel::Interner interner;
  const auto devices = offered_devices(objects(), interner);
  CHECK(find_device(devices, "n1/x").value()->id() == "d.io/n1/x");
  CHECK(find_device(devices, "d.io/n1/x").value()->id() == "d.io/n1/x");
  CHECK(find_device(devices, "x").error().message ==
        "\"x\" is d.io/n0/x and d.io/n1/x, at least: give more of it");
  CHECK(find_device(devices, "q").error().message == "no device goes by \"q\"");
}

TEST_CASE("the verdict names the selector that decided, and why") {
  const Match match("a", "device.attributes[\"d.io\"].size > 5");
  REQUIRE(match.matches.size() == 4);
  CHECK(match.matches[0].verdict == cel::Verdict::error);
  CHECK(match.matches[0].selector.empty());
  CHECK(match.matches[1].verdict == cel::Verdict::no);
  CHECK(match.matches[1].selector == "class a: selector 1");
  CHECK(
      match.matches[1].why ==
      R"(device.attributes["d.io"].model == "A" is false: device.attributes["d.io"].model = "B")");
}

TEST_CASE("selectors that cannot be are refused") {
  CHECK(selectors_for(objects(), "b", "").error().message == "no DeviceClass \"b\"");
  CHECK_THAT(selectors_for(objects(), "", "device.nope").error().message,
             Catch::StartsWith("compilation failed: ERROR: <input>:1:7: undefined field 'nope'"));
}

}  // namespace dray::app::match_devices_test
