#include "app/common/feature_gates.h"

#include <catch2/catch.hpp>

namespace dray::app::feature_gates_test {
namespace {

using Gates = std::vector<std::string>;

TEST_CASE("gates are switched by Kubernetes' names, the last word on one counts") {
  alloc::Features features;
  REQUIRE(set_feature_gates(
      features, Gates{"DRADerivedAttributes=true", "DRADeviceTaints=false",
                      "DRANodeAllocatableResources=false", "DRANodeAllocatableResources=true"}));
  CHECK(features.derived_attributes);
  CHECK_FALSE(features.device_taints);
  CHECK(features.node_allocatable_resources);
  CHECK_FALSE(features.list_type_attributes);
}

TEST_CASE("a gate that is none is an error that says what was given") {
  const auto gate =
      GENERATE(as<std::string>{}, "DRADerivedAttributes", "DRADerivedAttributes=yes",
               "DRADerivedAttributes=", "=true", "DerivedAttributes=true", "CPUManager=true", "");
  alloc::Features features;
  const auto set = set_feature_gates(features, Gates{gate});
  REQUIRE_FALSE(set);
  CHECK(set.error().message ==
        "--feature-gates: \"" + gate + "\" is none; write DRADeviceTaints=true");
}

}  // namespace
}  // namespace dray::app::feature_gates_test
