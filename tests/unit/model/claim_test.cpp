#include "dray/model/claim.h"

#include <catch2/catch.hpp>
#include <functional>

namespace dray::claim_test {

TEST_CASE("allocations are of the same devices whatever the server adds to them") {
  struct Row {
    const char* name;
    std::function<void(AllocationResult&)> change;
    bool want;
  };
  const auto row = GENERATE(
      Row{"nothing", [](auto&) {}, true},
      Row{"a time", [](auto& made) { made.allocated = Time(); }, true},
      Row{"what it consumes",
          [](auto& made) { made.devices[0].consumed_capacity["memory"] = Quantity(1); }, true},
      Row{"another device", [](auto& made) { made.devices[0].device.device = DeviceName("1"); },
          false},
      Row{"of another pool", [](auto& made) { made.devices[0].device.pool = PoolName("q"); },
          false},
      Row{"for another request", [](auto& made) { made.devices[0].request = "s"; }, false},
      Row{"another share", [](auto& made) { made.devices[0].share_id = "b"; }, false},
      Row{"one device less", [](auto& made) { made.devices.clear(); }, false});
  DYNAMIC_SECTION(row.name) {
    AllocationResult made;
    made.devices.push_back({.request = "r",
                            .device = {DriverName("d"), PoolName("p"), DeviceName("0")},
                            .admin_access = {},
                            .tolerations = {},
                            .binding_conditions = {},
                            .binding_failure_conditions = {},
                            .share_id = "a",
                            .consumed_capacity = {},
                            .skip_node_operations = {}});
    auto other = made;
    row.change(other);
    CHECK(same_devices(made, other) == row.want);
  }
}

}  // namespace dray::claim_test
