#include "dray/alloc/features.h"

#include <catch2/catch.hpp>

namespace dray::features_test {

using alloc::Features;

TEST_CASE("presets") {
  CHECK(Features::preset("default") == Features());
  CHECK_FALSE(Features::preset("some"));
  const auto none = *Features::preset("none");
  const auto ga = *Features::preset("ga");
  const auto all = *Features::preset("all");
  CHECK_FALSE(none.admin_access);
  CHECK_FALSE(none.consumable_capacity);
  CHECK((ga.admin_access && ga.prioritized_list && ga.device_taints));
  CHECK_FALSE((ga.partitionable_devices || ga.consumable_capacity));
  CHECK((all.compatibility_groups && all.derived_attributes && all.list_type_attributes));
}

TEST_CASE("any of four features brings upstream's experimental allocator") {
  CHECK_FALSE(Features().experimental());
  for (const auto* name : {"ListTypeAttributes", "OptionalNodeOperations", "DerivedAttributes",
                           "CompatibilityGroups"}) {
    INFO(name);
    Features features;
    REQUIRE(features.set(name, true));
    CHECK(features.experimental());
    REQUIRE(features.set(name, false));
    CHECK(features == Features());
  }
  CHECK_FALSE(Features().set("Nope", true));
}

TEST_CASE("the gates of Kubernetes drive the features, under their own names") {
  const auto set = [](const char* gate) {
    auto features = *Features::preset("none");
    return features.set_gate(gate, true) ? std::optional(features) : std::nullopt;
  };
  CHECK(set("DRAPartitionableDevices")->partitionable_devices);
  CHECK(set("DRADeviceBindingConditions")->device_binding_and_status);
  CHECK(set("DRADeviceCompatibilityGroups")->compatibility_groups);
  CHECK(set("DRANodeAllocatableResources")->node_allocatable_resources);
  CHECK_FALSE(set("DRADeviceBindingAndStatus"));
  CHECK_FALSE(set("DRACompatibilityGroups"));
  CHECK_FALSE(set("PartitionableDevices"));
  CHECK_FALSE(set("DRANope"));
}

}  // namespace dray::features_test
