#include "alloc/search/candidate_tables.h"

#include <catch2/catch.hpp>
#include <functional>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::candidate_tables_test {

using namespace dray::testing;
using alloc::Stage;

namespace {

struct One {
  cluster::ClusterState cluster;
  ResourceClaim asked = make_claim("c", {request("r", exactly(1))});
  alloc::AllocatorOptions options;
  Device gpu = device("gpu", {{"x", std::string("a")}});
  std::function<void(ResourceSlice&)> change_slice;

  DeviceRequestSpec& spec() { return *asked.spec.requests[0].exactly; }
  void hold(std::optional<std::string> share) {
    auto held = make_claim("held", {});
    held.allocation = allocation({device_id("n1", "gpu")});
    held.allocation->devices[0].share_id = std::move(share);
    if (held.allocation->devices[0].share_id) {
      held.allocation->devices[0].consumed_capacity = {{"memory", quantity("3Gi")}};
    }
    put(cluster, held);
  }
};

/// The stage that keeps the device out, as one change makes it.
Stage stage(const std::function<void(One&)>& change) {
  One one;
  put(one.cluster, make_node("n1"));
  put(one.cluster, make_class("any"));
  put(one.cluster, make_class("none", {"false"}));
  change(one);
  auto made = make_slice("n1", {one.gpu});
  if (one.change_slice) one.change_slice(made);
  put(one.cluster, made);
  const Prepared prepared(one.cluster, {one.asked}, one.options);
  return prepared.tables.row(0).stages.at(0);
}

void taint(One& one) {
  one.gpu.taints.push_back({"sick", "", "NoSchedule", {}});
}

struct Row {
  const char* name;
  std::function<void(One&)> change;
  Stage want;
};

}  // namespace

TEST_CASE("a device is kept out by class, request or its own node selection") {
  const auto row = GENERATE(
      Row{"nothing", [](One&) {}, Stage::usable},
      Row{"the class", [](One& one) { one.spec().device_class = ClassName("none"); },
          Stage::class_selector},
      Row{"the request", [](One& one) { one.spec().selectors.push_back({"false"}); },
          Stage::claim_selector},
      Row{"an error of a selector",
          [](One& one) { one.spec().selectors.push_back({"device.attributes['a'].b"}); },
          Stage::claim_selector},
      Row{"binding conditions, switched off",
          [](One& one) {
            one.gpu.binding_conditions = {"ready"};
            one.gpu.binding_failure_conditions = {"failed"};
            one.options.features.device_binding_and_status = false;
          },
          Stage::binding_conditions},
      Row{"binding conditions",
          [](One& one) {
            one.gpu.binding_conditions = {"ready"};
            one.gpu.binding_failure_conditions = {"failed"};
          },
          Stage::usable},
      Row{"a constraint on what it lacks",
          [](One& one) { one.asked.spec.constraints = {match("d.io/x")}; }, Stage::constraint},
      Row{"a constraint on what it has",
          [](One& one) { one.asked.spec.constraints = {match("gpu.example.com/x")}; },
          Stage::usable});
  DYNAMIC_SECTION(row.name) {
    CHECK(stage(row.change) == row.want);
  }
}

TEST_CASE("a device is kept out by use, unless admin access looks past it") {
  const auto row = GENERATE(Row{"in use", [](One& one) { one.hold({}); }, Stage::in_use},
                            Row{"in use, with admin access",
                                [](One& one) {
                                  one.hold({});
                                  one.spec().admin_access = true;
                                },
                                Stage::usable},
                            Row{"shared, and may be shared",
                                [](One& one) {
                                  one.gpu = shareable("gpu", "4Gi");
                                  one.spec() = share("1Gi");
                                  one.hold("s");
                                },
                                Stage::usable},
                            Row{"shared, and too full",
                                [](One& one) {
                                  one.gpu = shareable("gpu", "4Gi");
                                  one.spec() = share("2Gi");
                                  one.hold("s");
                                },
                                Stage::capacity},
                            Row{"shared, the feature switched off",
                                [](One& one) {
                                  one.gpu = shareable("gpu", "4Gi");
                                  one.hold("s");
                                  one.options.features.consumable_capacity = false;
                                },
                                Stage::in_use});
  DYNAMIC_SECTION(row.name) {
    CHECK(stage(row.change) == row.want);
  }
}

TEST_CASE("a device is kept out by taints, its own and by rule") {
  const auto row = GENERATE(Row{"a taint", taint, Stage::taint},
                            Row{"a taint, tolerated",
                                [](One& one) {
                                  taint(one);
                                  one.spec().tolerations.push_back({"sick", "Exists", "", "", {}});
                                },
                                Stage::usable},
                            Row{"a taint, with admin access",
                                [](One& one) {
                                  taint(one);
                                  one.spec().admin_access = true;
                                },
                                Stage::taint},
                            Row{"a taint, the feature switched off",
                                [](One& one) {
                                  taint(one);
                                  one.options.features.device_taints = false;
                                },
                                Stage::usable},
                            Row{"a rule of this driver",
                                [](One& one) {
                                  DeviceTaintRule rule;
                                  rule.meta.name = "rule";
                                  rule.has_selector = true;
                                  rule.driver = DriverName("gpu.example.com");
                                  rule.taint = {"sick", "", "NoExecute", {}};
                                  put(one.cluster, rule);
                                },
                                Stage::taint});
  DYNAMIC_SECTION(row.name) {
    CHECK(stage(row.change) == row.want);
  }
}

TEST_CASE("capacity that no device of the kind has, or that the policy forbids, is no fit") {
  const auto row = GENERATE(Row{"more than there is",
                                [](One& one) {
                                  one.gpu = shareable("gpu", "4Gi");
                                  one.spec() = share("5Gi");
                                },
                                Stage::capacity},
                            Row{"all there is",
                                [](One& one) {
                                  one.gpu = shareable("gpu", "4Gi");
                                  one.spec() = share("4Gi");
                                },
                                Stage::usable},
                            Row{"a capacity that it does not have",
                                [](One& one) { one.spec() = share("1Gi"); }, Stage::capacity});
  DYNAMIC_SECTION(row.name) {
    CHECK(stage(row.change) == row.want);
  }
}

TEST_CASE("a slice whose node operations are optional needs a node that says so") {
  const auto with = [](bool feature, bool other, bool declared) {
    return stage([=](One& one) {
      one.options.features.optional_node_operations = feature;
      one.options.features.list_type_attributes = other;
      auto made = make_node("n1");
      if (declared) made.declared_features = {"DRAOptionalNodeOperations"};
      put(one.cluster, made);
      one.change_slice = [](auto& slice) { slice.skip_node_operations = {"prepare"}; };
    });
  };
  CHECK(with(false, false, false) == Stage::usable);  // not looked at
  CHECK(with(false, true, true) == Stage::node_operations);
  CHECK(with(true, false, false) == Stage::node_operations);
  CHECK(with(true, false, true) == Stage::usable);
}

TEST_CASE("a partition that its card has no room for is kept out; exactly enough is enough") {
  const auto of = [](const char* memory, bool feature) {
    cluster::ClusterState cluster;
    put(cluster, make_node("n1"));
    put(cluster, make_class("any"));
    put_card(cluster, "4Gi", {partition("p", memory)});
    alloc::AllocatorOptions options;
    options.features.partitionable_devices = feature;
    const Prepared prepared(cluster, {make_claim("c", {request("r", exactly(1))})}, options);
    return prepared.tables.row(0).stages.at(0);
  };
  CHECK(of("4Gi", true) == Stage::usable);
  CHECK(of("5Gi", true) == Stage::counters);
}

TEST_CASE("a partition that does not go with what is in use of its card is kept out") {
  const auto of = [](const char* group) {
    cluster::ClusterState cluster;
    put(cluster, make_node("n1"));
    put(cluster, make_class("any"));
    std::vector<Device> parts{partition("used", "1Gi"), partition("p", "1Gi")};
    parts[0].consumes_counters[0].compatibility_groups = {"mig"};
    parts[1].consumes_counters[0].compatibility_groups = {group};
    put_card(cluster, "4Gi", std::move(parts));
    auto held = make_claim("held", {});
    held.allocation = allocation({device_id("n1", "used")});
    put(cluster, held);
    alloc::AllocatorOptions options;
    options.features.partitionable_devices = true;
    options.features.compatibility_groups = true;
    const Prepared prepared(cluster, {make_claim("c", {request("r", exactly(1))})}, options);
    return prepared.tables.row(0).stages.at(1);
  };
  CHECK(of("mig") == Stage::usable);
  CHECK(of("vgpu") == Stage::compatibility);
}

TEST_CASE("All collects what matches, and says which pool or device it cannot judge") {
  cluster::ClusterState cluster;
  put(cluster, make_node("n1"));
  put(cluster, make_class("any"));
  put(cluster, make_class("a", {"device.attributes[device.driver].x == 'a'"}));
  put(cluster, make_slice("n1", {device("0", {{"x", std::string("a")}}),
                                 device("1", {{"x", std::string("b")}})}));
  Prepared some(cluster, {make_claim("c", {request("r", all_of("a"))})});
  REQUIRE(some.collected);
  CHECK(some.tables.row(0).all == std::vector<std::uint32_t>{0});
  put(cluster, make_slice("n1", {device("0", {{"x", std::string("a")}}), device("1")}));
  const Prepared failing(cluster, {make_claim("c", {request("r", all_of("a"))})});
  REQUIRE_FALSE(failing.collected);
  CHECK(failing.collected.error().message.starts_with(
      "class a: selector #0 on device gpu.example.com/n1/1: CEL runtime error: no such key: x"));
  CHECK(failing.tables.row(0).may_fail);
}

}  // namespace dray::candidate_tables_test
