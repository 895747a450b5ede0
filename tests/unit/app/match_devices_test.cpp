#include "app/match/match_devices.h"

#include <catch2/catch.hpp>

#include "app/match/match_report.h"

namespace dray::app::match_devices_test {
namespace {

Device device(const std::string& name, const std::string& model) {
  Device one;
  one.name = DeviceName(name);
  one.attributes["model"] = model;
  return one;
}

ResourceSlice slice(const std::string& node, std::int64_t generation, std::vector<Device> devices) {
  ResourceSlice one;
  one.driver = DriverName("d.io");
  one.pool = PoolName(node);
  one.pool_generation = generation;
  one.scope.node_name = NodeName(node);
  one.devices = std::move(devices);
  return one;
}

/// Two nodes with an A and a B each, older slices of one of them, and a class for A.
std::vector<KubeObject> objects() {
  DeviceClass is_a;
  is_a.meta.name = "a";
  is_a.selectors = {{R"(device.driver == "d.io")"}, {R"(device.attributes["d.io"].model == "A")"}};
  return {slice("n1", 2, {device("x", "A"), device("y", "B")}),
          slice("n0", 1, {device("y", "B"), device("x", "A")}), slice("n1", 1, {device("z", "A")}),
          is_a};
}

struct Match {
  cel::Interner interner;
  std::vector<OfferedDevice> devices = offered_devices(objects(), interner);
  std::vector<NamedSelector> selectors;
  std::vector<DeviceMatch> matches;

  Match(const std::string& class_name, const std::string& expression)
      : selectors(selectors_for(objects(), class_name, expression).value()),
        matches(match_devices(devices, selectors)) {}
};

}  // namespace

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

TEST_CASE("selectors that cannot be are refused") {
  CHECK(selectors_for(objects(), "b", "").error().message == "no DeviceClass \"b\"");
  CHECK_THAT(selectors_for(objects(), "", "device.nope").error().message,
             Catch::StartsWith("compilation failed: ERROR: <input>:1:7: undefined field 'nope'"));
}

}  // namespace dray::app::match_devices_test
