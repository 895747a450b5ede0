#include "alloc/view/tolerations.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dray::tolerations_test {

namespace {

const DeviceTaint sick{"sick", "yes", "NoSchedule", {}};

DeviceToleration toleration(const char* key, const char* op, const char* value,
                            const char* effect) {
  return {key, op, value, effect, {}};
}

}  // namespace

TEST_CASE("a toleration holds for a taint by key, operator, value and effect") {
  struct Row {
    const char* name;
    DeviceToleration toleration;
    bool want;
  };
  const auto row = GENERATE(
      Row{"the same", toleration("sick", "Equal", "yes", "NoSchedule"), true},
      Row{"no operator is Equal", toleration("sick", "", "yes", "NoSchedule"), true},
      Row{"another value", toleration("sick", "Equal", "no", "NoSchedule"), false},
      Row{"no operator, another value", toleration("sick", "", "no", ""), false},
      Row{"Exists asks for no value", toleration("sick", "Exists", "no", "NoSchedule"), true},
      Row{"no effect is every effect", toleration("sick", "Exists", "", ""), true},
      Row{"another effect", toleration("sick", "Exists", "", "NoExecute"), false},
      Row{"another key", toleration("tired", "Exists", "", ""), false},
      Row{"no key is every key", toleration("", "Exists", "", ""), true},
      Row{"no key, but a value", toleration("", "Equal", "no", ""), false},
      Row{"an operator that nobody knows", toleration("sick", "Like", "yes", ""), false});
  DYNAMIC_SECTION(row.name) {
    CHECK(alloc::tolerates(row.toleration, sick) == row.want);
  }
}

TEST_CASE("a taint keeps pods off by the effects that are known, unless one toleration holds") {
  const auto blocks = [](const char* effect, std::vector<DeviceToleration> tolerations) {
    return alloc::blocks({"sick", "yes", effect, {}}, tolerations);
  };
  CHECK(blocks("NoSchedule", {}));
  CHECK(blocks("NoExecute", {}));
  CHECK_FALSE(blocks("None", {}));
  CHECK_FALSE(blocks("PreferNoSchedule", {}));
  CHECK(blocks("NoSchedule", {toleration("tired", "Exists", "", "")}));
  CHECK_FALSE(blocks(
      "NoSchedule", {toleration("tired", "Exists", "", ""), toleration("sick", "Exists", "", "")}));
}

TEST_CASE("a rule taints the devices that its selector takes in") {
  struct Row {
    const char* name;
    std::optional<DriverName> driver;
    std::optional<PoolName> pool;
    std::optional<DeviceName> device;
    bool want;
  };
  const auto row = GENERATE(
      Row{"every device", {}, {}, {}, true}, Row{"of the driver", DriverName("d.io"), {}, {}, true},
      Row{"of another driver", DriverName("e.io"), {}, {}, false},
      Row{"of the pool", {}, PoolName("p"), {}, true},
      Row{"of another pool", {}, PoolName("q"), {}, false},
      Row{"the device", {}, {}, DeviceName("0"), true},
      Row{"another device", {}, {}, DeviceName("1"), false},
      Row{"all of it", DriverName("d.io"), PoolName("p"), DeviceName("0"), true});
  DYNAMIC_SECTION(row.name) {
    DeviceTaintRule rule;
    rule.has_selector = true;
    rule.driver = row.driver;
    rule.pool = row.pool;
    rule.device = row.device;
    CHECK(alloc::applies(rule, DriverName("d.io"), PoolName("p"), "0", false) == row.want);
  }
}

TEST_CASE("a rule without a selector taints every device in 0.37.0, none later") {
  const DeviceTaintRule bare;
  CHECK(alloc::applies(bare, DriverName("d.io"), PoolName("p"), "0", true));
  CHECK_FALSE(alloc::applies(bare, DriverName("d.io"), PoolName("p"), "0", false));
}

}  // namespace dray::tolerations_test
