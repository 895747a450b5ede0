#include "app/demo/demo_table.h"

#include <catch2/catch.hpp>

namespace dray::app::demo_table_test {
namespace {

using namespace std::chrono_literals;

AllocatedDevice device(const std::string& request, const std::string& name) {
  AllocatedDevice made;
  made.request = request;
  made.device = {DriverName("d"), PoolName("n0"), DeviceName(name)};
  return made;
}

DemoRow placed(std::vector<AllocatedDevice> devices) {
  DemoRow row;
  row.pod = {"demo", "p0"};
  row.kind = Outcome::Kind::placed;
  row.node = "n0";
  row.devices = std::move(devices);
  row.reason = "why here";
  row.took = 1234us;
  return row;
}

}  // namespace

TEST_CASE("devices are told by request: two by name, more by their ends") {
  CHECK(describe_devices({}).empty());
  CHECK(describe_devices({device("gpu", "g0")}) == "gpu: g0");
  CHECK(describe_devices({device("gpu", "g0"), device("gpu", "g1")}) == "gpu: g0 g1");
  CHECK(describe_devices({device("gpu", "g0"), device("gpu", "g1"), device("gpu", "g2"),
                          device("nic", "n")}) == "gpu: 3 x g0…g2, nic: n");
}

TEST_CASE("a line stands under the header") {
  const auto line = table_line(placed({device("gpu", "g0")}));
  CHECK(line ==
        "p0               n0             gpu: g0                                           1234  "
        "why here");
  CHECK(table_header().find("WHY") == line.find("why here"));
  CHECK(table_header().find("NODE") == line.find("n0"));
}

TEST_CASE("a pod that waits has neither node nor devices") {
  DemoRow row;
  row.pod = {"demo", "p0"};
  row.reason = "dray: \"no\"";
  CHECK(table_line(row).starts_with("p0               -              -      "));
  CHECK(json_line(row) ==
        R"({"pod":"demo/p0","node":null,"devices":[],"reason":"dray: \"no\"","micros":0})");
}

TEST_CASE("the JSON names devices in full") {
  CHECK(json_line(placed({device("gpu", "g0")})) ==
        R"({"pod":"demo/p0","node":"n0","devices":["d/n0/g0"],"reason":"why here","micros":1234})");
}

}  // namespace dray::app::demo_table_test
