#include "dray/alloc/feature_gates.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace dray::alloc::feature_gates_test {
namespace {

/// `+GATE` where the cluster alone has it on, `-GATE` where dray alone has, `?GATE` where dray has
/// no such gate.
std::string shown(const std::vector<GateDifference>& differences) {
  std::string text;
  for (const auto& each : differences) {
    if (!text.empty()) text += ' ';
    text += (!each.known ? "?" : each.on_in_cluster ? "+" : "-") + each.gate;
  }
  return text;
}

TEST_CASE("gates that stand otherwise in the cluster than here are named, sorted") {
  struct Row {
    const char* name;
    FeatureGates cluster;
    std::string ours;  ///< a gate that is on here beyond the defaults
    std::string want;
  };
  const auto row =
      GENERATE(Row{"alike", {{"DRADeviceTaints", true}, {"DRADerivedAttributes", false}}, "", ""},
               Row{"on there alone", {{"DRADerivedAttributes", true}}, "", "+DRADerivedAttributes"},
               Row{"on here alone",
                   {{"DRADerivedAttributes", false}},
                   "DRADerivedAttributes",
                   "-DRADerivedAttributes"},
               Row{"off there alone", {{"DRADeviceTaints", false}}, "", "-DRADeviceTaints"},
               Row{"one of two names",
                   {{"DRADeviceBindingConditions", false}},
                   "",
                   "-DRADeviceBindingConditions"},
               Row{"of the plugin",
                   {{"DRANodeAllocatableResources", true}},
                   "",
                   "+DRANodeAllocatableResources"},
               Row{"an alpha one that the cluster has not got",
                   {},
                   "DRAListTypeAttributes",
                   "-DRAListTypeAttributes"},
               Row{"locked and removed since", {}, "", ""},
               Row{"of no matter to dray",
                   {{"DRAResourcePoolStatus", true}, {"DRAFractionalCapacityRange", false}},
                   "",
                   ""},
               Row{"not of DRA", {{"CPUManager", true}}, "", ""},
               Row{"newer than dray", {{"DRAFoo", true}}, "", "?DRAFoo"},
               Row{"newer than dray, and off", {{"DRAFoo", false}}, "", ""},
               Row{"several",
                   {{"DRAZ", true}, {"DRAPartitionableDevices", false}, {"DRAA", true}},
                   "",
                   "?DRAA -DRAPartitionableDevices ?DRAZ"});
  DYNAMIC_SECTION(row.name) {
    Features ours;
    if (!row.ours.empty()) REQUIRE(ours.set_gate(row.ours, true));
    CHECK(shown(gate_differences(row.cluster, ours)) == row.want);
  }
}

TEST_CASE("every gate that drives a switch is compared, but for the scheduler's own arithmetic") {
  auto features = *Features::preset("none");
  for (const auto name : feature_gate_names()) {
    INFO(name);
    const auto before = features;
    REQUIRE(features.set_gate(name, true));
    CHECK(features != before);
  }
  auto all = *Features::preset("all");
  all.node_allocatable_resources = true;
  all.fractional_capacity_range = false;
  CHECK(features == all);
  CHECK(std::ranges::is_sorted(feature_gate_names()));
}

TEST_CASE("a difference says which side has it, and what to start dray with") {
  CHECK(GateDifference{"DRAX", true, true}.to_string() ==
        "DRAX is on in the API server and off here: --feature-gates DRAX=true");
  CHECK(GateDifference{"DRAX", false, true}.to_string() ==
        "DRAX is off in the API server and on here: --feature-gates DRAX=false");
  CHECK(GateDifference{"DRAX", true, false}.to_string() ==
        "DRAX is on in the API server, and this dray does not know it");
}

}  // namespace
}  // namespace dray::alloc::feature_gates_test
