#include "app/allocate/allocate_report.h"

#include <catch2/catch.hpp>

namespace dray::allocate_report_test {

using namespace dray::app;

namespace {

AllocateVerdict placed() {
  AllocatedDevice device;
  device.request = "gpu";
  device.device = {DriverName("d"), PoolName("n0"), DeviceName("gpu-0")};
  device.binding_conditions = {"Ready"};
  AllocateVerdict verdict{.pod = {"default", "p0"}, .outcome = {}, .nodes = {}};
  verdict.outcome.detail = "why here";
  verdict.outcome.warnings = {"mind this"};
  auto& placement = verdict.outcome.placements.emplace_back();
  placement.node = NodeName("n0");
  auto& claim = placement.claims.emplace_back();
  claim.claim = {"default", "c0"};
  claim.allocation.devices.push_back(device);
  return verdict;
}

AllocateVerdict waiting() {
  AllocateVerdict verdict{.pod = {"default", "p1"}, .outcome = {}, .nodes = {}};
  verdict.outcome.reason = Reason::devices_in_use;
  verdict.outcome.detail = "counts";
  for (const char* node : {"n0", "n1"}) {
    auto& each = verdict.nodes.emplace_back();
    each.node = NodeName(node);
    each.reason = Reason::devices_in_use;
    auto& request = each.requests.emplace_back();
    request.claim = "default/c1";
    request.request = "gpu";
    request.wanted = 2;
    request.devices = 8;
    request.nearest_miss = std::string("d/") + node + "/gpu-0 (kept out by being in use)";
  }
  return verdict;
}

}  // namespace

TEST_CASE("the table has a line for each pod, and what is to be said below it") {
  const auto table = allocate_table({placed(), waiting()});
  CHECK(table.starts_with("POD  "));
  CHECK(table.find("default/p0               n0               gpu: gpu-0") != std::string::npos);
  CHECK(table.find("    warning: mind this\n") != std::string::npos);
  CHECK(table.find("    waits for Ready before it is bound\n") != std::string::npos);
  CHECK(table.find("dray: too few matching devices are free (counts)") != std::string::npos);
  // Both nodes have one verdict.
  CHECK(table.find("    n0 and 1 more: DevicesInUse\n") != std::string::npos);
  CHECK(table.find("default/c1/gpu wants 2: 8 devices") != std::string::npos);
  CHECK(table.find("nearest miss d/n0/gpu-0 (kept out by being in use)") != std::string::npos);
}

TEST_CASE("the JSON has allocations in the form of the API") {
  CHECK(allocate_json({placed()}, "best") ==
        R"({"mode":"best","pods":[{"pod":"default/p0","node":"n0","claims":[{"claim":"default/c0",)"
        R"("allocation":{"devices":{"results":[{"request":"gpu","driver":"d","pool":"n0",)"
        R"("device":"gpu-0","bindingConditions":["Ready"]}]}},"waitsFor":["Ready"]}],)"
        R"("detail":"why here","warnings":["mind this"]}]})");
  const auto json = allocate_json({waiting()}, "first-fit");
  CHECK(json.find(R"("node":null,"reason":"DevicesInUse","message":"dray: )") != std::string::npos);
  CHECK(json.find(R"({"node":"n1","fits":false,"reason":"DevicesInUse")") != std::string::npos);
}

}  // namespace dray::allocate_report_test
