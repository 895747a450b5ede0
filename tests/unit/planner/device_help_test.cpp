#include "planner/explain/device_help.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::planner::device_help_test {

using namespace testing;
namespace {

using Names = std::vector<std::string>;

/// A pod whose one claim is `claim`, on a cluster of one node with this slice.
struct Scene {
  cluster::ClusterState cluster;
  Pod pod = make_pod("p");

  Scene(ResourceClaim claim, std::vector<Device> devices) {
    put(cluster, make_node("n0"));
    put(cluster, make_class());
    put(cluster, make_slice("n0", std::move(devices)));
    pod.resource_claims = {{.name = "c", .claim_name = claim.meta.name, .template_name = {}}};
    put(cluster, std::move(claim));
  }
  Names help(Reason reason, const std::string& said = "", bool free_would_do = true) {
    const cluster::AllocatedState state(cluster.snapshot());
    alloc::AllocatorOptions options;
    options.mode = alloc::Mode::best;
    return help_for_devices(
        state, pod,
        {.reason = reason, .said = said, .node = NodeName("n0"), .free_would_do = free_would_do},
        options);
  }
};

Device with_memory(const std::string& name, std::string_view gib) {
  auto made = device(name);
  made.allow_multiple_allocations = true;
  made.capacity["memory"].value = *Quantity::parse(gib);
  return made;
}

Device tainted(const std::string& name, const std::string& key) {
  auto made = device(name);
  made.taints.push_back({key, "", "NoSchedule", {}});
  return made;
}

}  // namespace

TEST_CASE("a selector that asks for a key that no device has is told the near one") {
  Scene scene(make_claim("c", 1), {device("gpu-0", {{"productName", std::string("X")}})});
  const auto help = [&](const std::string& key) {
    return scene
        .help(Reason::allocation_error,
              "claim c: selector #0 on device d/n0/gpu-0: CEL runtime error: no such key: " + key +
                  ". consider using CEL optional chaining")
        .at(0);
  };
  CHECK_THAT(help("produktName"),
             Catch::StartsWith("mend the CEL selector (no device of the class on n0 has "
                               "produktName; did you mean productName?): `dray match"));
  CHECK_THAT(help("index"), Catch::StartsWith("mend the CEL selector: "));
  CHECK_THAT(help("productName"), Catch::StartsWith("mend the CEL selector: "));
}

TEST_CASE("capacity: the most that a device of the node has left, against what is wanted") {
  auto claim = make_claim("c", 1);
  auto& spec = *claim.spec.requests[0].exactly;
  spec.has_capacity = true;
  spec.capacity_requests["memory"] = *Quantity::parse("8Gi");
  spec.capacity_requests["nothing"] = Quantity(1);
  Scene scene(std::move(claim), {with_memory("a", "4Gi"), with_memory("b", "6Gi")});
  CHECK(scene.help(Reason::capacity) ==
        Names{"ask for less of a device: the most that one of n0 has left is memory 6Gi (wants "
              "8Gi)"});
}

TEST_CASE("taints: those that the request does not tolerate, by name") {
  auto claim = make_claim("c", 1);
  claim.spec.requests[0].exactly->tolerations.push_back(
      {.key = "worn", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}});
  Scene scene(std::move(claim), {tainted("a", "worn"), tainted("b", "sick"), device("c")});
  DeviceTaintRule rule;
  rule.meta = cluster_meta("rule");
  rule.has_selector = true;
  rule.pool = PoolName("n0");
  rule.taint = {"planned", "soon", "NoExecute", {}};
  put(scene.cluster, rule);
  const auto helps = scene.help(Reason::device_taint);
  REQUIRE(helps.size() == 1);
  CHECK(helps[0].starts_with("tolerate the device taint planned=soon:NoExecute, sick:NoSchedule "));
}

TEST_CASE("a constraint over what nobody publishes: the attributes of a like name") {
  auto claim = make_claim("c", 2);
  claim.spec.constraints.push_back(match("gpu.example.com/deviceID"));
  const std::string said = "2 without gpu.example.com/deviceID, which a constraint needs";
  SECTION("one is near") {
    Scene scene(claim,
                {device("a", {{"parentDeviceID", std::string("x")}, {"model", std::string("y")}})});
    CHECK(scene.help(Reason::constraint, said) ==
          Names{"devices of class gpu on n0 do not publish gpu.example.com/deviceID, so that no "
                "constraint over it can be met: did you mean gpu.example.com/parentDeviceID?"});
    CHECK(scene.help(Reason::constraint, "something else").empty());
  }
  SECTION("none is") {
    Scene scene(claim, {device("a", {{"model", std::string("y")}})});
    const auto helps = scene.help(Reason::constraint, said);
    REQUIRE(helps.size() == 1);
    CHECK(helps[0].ends_with(": they have gpu.example.com/model"));
  }
  SECTION("it is published") {
    Scene scene(claim, {device("a", {{"deviceID", std::string("y")}})});
    CHECK(scene.help(Reason::constraint, said).empty());
  }
}

TEST_CASE("a constraint that no node can meet: what the nearest has without it, or with another") {
  const auto placed = [](const char* name, const char* root, std::int64_t numa) {
    return device(name, {{"resource.kubernetes.io/pcieRoot", std::string(root)},
                         {"resource.kubernetes.io/numaNode", numa}});
  };
  auto claim = make_claim("c", 2);
  claim.spec.constraints.push_back(match("resource.kubernetes.io/pcieRoot"));
  const std::string never =
      "nobody's end helps, because no node has enough devices that are together as the claim's "
      "constraints want it, used or free";
  const std::string dropped =
      "drop the claim's constraint that devices share one resource.kubernetes.io/pcieRoot: n0 then "
      "has devices for it";
  SECTION("they share a NUMA node") {
    Scene scene(claim, {placed("a", "r0", 0), placed("b", "r1", 0)});
    CHECK(
        scene.help(Reason::constraint, "", false) ==
        Names{never,
              "match resource.kubernetes.io/numaNode in place of resource.kubernetes.io/pcieRoot: "
              "n0 then has devices for it",
              dropped});
    CHECK(scene.help(Reason::constraint).size() == 2);
  }
  SECTION("they share nothing") {
    Scene scene(claim, {placed("a", "r0", 0), placed("b", "r1", 1)});
    CHECK(scene.help(Reason::constraint, "", false) == Names{never, dropped});
  }
  SECTION("there are too few, however far apart") {
    Scene scene(claim, {placed("a", "r0", 0)});
    CHECK(scene.help(Reason::constraint, "", false) == Names{never});
  }
}

TEST_CASE("selectors and pools: the command that shows it, with the names filled in") {
  Scene scene(make_claim("c", 1), {device("a")});
  CHECK(scene.help(Reason::claim_selector).at(0).contains("--class gpu`"));
  CHECK(scene.help(Reason::allocation_error, "selector #0 on device x").at(0).contains("orValue"));
  CHECK(scene.help(Reason::allocation_error, "no such thing").empty());
  CHECK(scene.help(Reason::pool_incomplete).at(0).contains("spec.nodeName=n0`"));
  CHECK(scene.help(Reason::devices_in_use).empty());
}

TEST_CASE("a class that there is not: the one that is meant") {
  auto claim = make_claim("c", {request("gpu", exactly(1, "gpus"))});
  Scene scene(std::move(claim), {});
  CHECK(near_class(*scene.cluster.snapshot(), scene.pod) == "; did you mean gpu?");
  Scene known(make_claim("c", 1), {});
  CHECK(near_class(*known.cluster.snapshot(), known.pod).empty());
}

}  // namespace dray::planner::device_help_test
