#include "dray/cluster/device_taints.h"

#include <catch2/catch.hpp>

#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"

namespace dray::device_taints_test {

using namespace dray::testing;

namespace {

DeviceTaint taint(const std::string& key, const std::string& effect = "NoSchedule") {
  return {.key = key, .value = {}, .effect = effect, .time_added = {}};
}

/// Device gpu-0 of pool n1, which has a taint of its own and one that harms nobody.
struct OneDevice {
  cluster::ClusterState cluster;
  DeviceTaintRule rule;

  OneDevice() {
    auto gpu = device("gpu-0");
    gpu.taints = {taint("own"), taint("harmless", "None")};
    put(cluster, make_slice("n1", {gpu}));
    rule.meta = cluster_meta("r");
    rule.has_selector = true;
    rule.taint = taint("rule");
  }
  std::vector<std::string> keys() {
    put(cluster, rule);
    const auto snapshot = cluster.snapshot();
    const auto pool = snapshot->find_pool(DriverName(gpu_driver), PoolName("n1")).value();
    const auto& gpu = snapshot->pool(pool).slots.front().slice->devices[0];
    std::vector<std::string> keys;
    for (const auto* each : cluster::taints_of(*snapshot, device_id("n1", "gpu-0"), *gpu.traits)) {
      keys.push_back(each->key);
    }
    return keys;
  }
};

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a device has its own taints, and those of the rules that name it") {
  OneDevice one;
  SECTION("what a rule's selector leaves out, matches") {
    CHECK(one.keys() == Keys{"own", "rule"});
  }
  SECTION("by driver, pool and device") {
    one.rule.driver = DriverName(gpu_driver);
    one.rule.pool = PoolName("n1");
    one.rule.device = DeviceName("gpu-0");
    CHECK(one.keys() == Keys{"own", "rule"});
  }
  SECTION("of another driver") {
    one.rule.driver = DriverName("nic.example.com");
    CHECK(one.keys() == Keys{"own"});
  }
  SECTION("of another pool") {
    one.rule.pool = PoolName("n2");
    CHECK(one.keys() == Keys{"own"});
  }
  SECTION("of another device") {
    one.rule.device = DeviceName("gpu-1");
    CHECK(one.keys() == Keys{"own"});
  }
  SECTION("without a selector it names none") {
    one.rule.has_selector = false;
    CHECK(one.keys() == Keys{"own"});
  }
  SECTION("a rule that harms nobody") {
    one.rule.taint.effect = "None";
    CHECK(one.keys() == Keys{"own"});
  }
}

}  // namespace dray::device_taints_test
