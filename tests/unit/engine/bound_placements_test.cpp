#include "engine/books/bound_placements.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::bound_placements_test {
namespace {

/// p is bound to n0 with c, as written at version 12; the watch shows c at 10.
struct World {
  cluster::ClusterState cluster;
  BoundPlacements bound{cluster};
  ResourceClaim claim = make_claim("c", 1);
  Placement placement{
      .pod = {"default", "p"}, .pod_uid = Uid("uid-p"), .node = NodeName("n0"), .claims = {}};

  World() {
    cluster.apply(cluster::ObjectChanged{make_node("n0")});
    cluster.apply(cluster::ObjectChanged{make_gpus("n0", 1)});
    show("10");
    ClaimPlacement part;
    part.claim = claim.key();
    part.claim_uid = claim.meta.uid;
    AllocatedDevice device;
    device.request = "gpu";
    device.device = {DriverName("gpu.example.com"), PoolName("n0"), DeviceName("gpu-0")};
    part.allocation.devices = {device};
    placement.claims.push_back(part);
    cluster.assume(placement);
  }
  void show(const std::string& version) {
    claim.meta.resource_version = ResourceVersion(version);
    cluster.apply(cluster::ObjectChanged{claim});
    bound.claims_moved();
  }
  void add(std::vector<ResourceVersion> versions = {ResourceVersion("12")}) {
    bound.add(placement, std::move(versions));
  }
  [[nodiscard]] bool kept() const { return cluster.totals().devices_allocated == 1; }
};

TEST_CASE("devices stay taken until the watch shows the claim as written") {
  World world;
  world.add();
  CHECK(world.kept());
  world.show("11");
  CHECK(world.kept());
  world.show("12");
  CHECK(!world.kept());
}

TEST_CASE("versions are compared as numbers") {
  World world;
  world.add({ResourceVersion("100")});
  world.show("99");
  CHECK(world.kept());
  world.show("101");
  CHECK(!world.kept());
}

TEST_CASE("what the watch shows already is not kept") {
  struct Row {
    std::string name;
    void (*change)(World&);
  };
  const auto row = GENERATE(Row{"a newer claim", [](World& world) { world.show("12"); }},
                            Row{"another claim of that name",
                                [](World& world) {
                                  world.claim.meta.uid = Uid("uid-other");
                                  world.show("11");
                                }},
                            Row{"no claim", [](World& world) {
                                  world.cluster.apply(cluster::ObjectGone{
                                      Kind::resource_claim, "default", "c", world.claim.meta.uid});
                                }});
  DYNAMIC_SECTION(row.name) {
    World world;
    row.change(world);
    world.add();
    CHECK(!world.kept());
  }
}

TEST_CASE("all claims count") {
  World world;
  auto other = make_claim("d", 1);
  world.cluster.apply(cluster::ObjectChanged{other});
  ClaimPlacement part;
  part.claim = other.key();
  part.claim_uid = other.meta.uid;
  world.placement.claims.push_back(part);
  world.add({ResourceVersion("12"), ResourceVersion("20")});
  world.show("12");
  CHECK(world.kept());
  other.meta.resource_version = ResourceVersion("20");
  world.cluster.apply(cluster::ObjectChanged{other});
  world.bound.claims_moved();
  CHECK(!world.kept());
}

TEST_CASE("a claim that the binding made is waited for while its pod is there") {
  World world;
  world.cluster.apply(
      cluster::ObjectGone{Kind::resource_claim, "default", "c", world.claim.meta.uid});
  world.placement.claims[0].extended.emplace();
  world.cluster.apply(cluster::ObjectChanged{make_pod("p", "")});
  world.add();
  CHECK(world.kept());
  world.cluster.apply(cluster::ObjectGone{Kind::pod, "default", "p", Uid("uid-p")});
  world.bound.claims_moved();
  CHECK(!world.kept());
}

}  // namespace
}  // namespace dray::engine::bound_placements_test
