#include "engine/protocol/claim_releases.h"

#include <catch2/catch.hpp>

#include "dray/alloc/extended_resources.h"
#include "dray/model/pod_claim.h"
#include "tests/unit/engine/commands.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::claim_releases_test {
namespace {

ResourceClaim held_by(const std::vector<std::string>& users, bool allocated = true) {
  auto claim = make_claim("c", 1);
  if (allocated) claim.allocation = AllocationResult{};
  for (const auto& user : users) {
    claim.reserved_for.push_back(
        {.api_group = "", .resource = "pods", .name = user, .uid = Uid("uid-" + user)});
  }
  return claim;
}

struct World {
  cluster::ClusterState cluster;
  ClaimReleases releases{cluster};

  World() { tell(make_class()); }
  void tell(const KubeObject& object) { cluster.apply(cluster::ObjectChanged{object}); }
};

TEST_CASE("only what the pod alone holds is given back, once at a time") {
  struct Row {
    std::string name;
    ResourceClaim claim;
    bool want;
  };
  const auto row =
      GENERATE(Row{"its own", held_by({"p"}), true}, Row{"another's", held_by({"q"}), false},
               Row{"shared", held_by({"p", "q"}), false}, Row{"nobody's", held_by({}), false},
               Row{"without devices", held_by({"p"}, false), false});
  DYNAMIC_SECTION(row.name) {
    World world;
    world.tell(row.claim);
    const auto commands = world.releases.start(make_pod("p", "c"));
    if (!row.want) {
      CHECK(commands.empty());
      return;
    }
    CHECK(words(commands) == "ReleaseClaim default/c for release");
    const auto write = only_write<ReleaseClaim>(commands);
    CHECK(write.uid == Uid("uid-c"));
    CHECK(write.consumer == Uid("uid-p"));
    CHECK(write.deallocate);
    CHECK(world.releases.start(make_pod("p", "c")).empty());
    CHECK(words(world.releases.step({"default", "c"})) == "plan");
    CHECK(!world.releases.start(make_pod("p", "c")).empty());
    world.releases.reset();
    CHECK(!world.releases.start(make_pod("p", "c")).empty());
  }
}

TEST_CASE("a pod whose claims are not there has nothing to give back") {
  World world;
  CHECK(world.releases.start(make_pod("p", "c")).empty());
}

/// The claim that dray makes for the pod's extended resources.
ResourceClaim extended_claim(const Pod& pod) {
  ResourceClaim claim;
  const auto key = alloc::extended_resource_claim_key(pod);
  claim.meta.namespace_name = key.namespace_name;
  claim.meta.name = key.name;
  claim.meta.uid = Uid("uid-extended");
  claim.meta.annotations[alloc::extended_resource_annotation] = "true";
  claim.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
  return claim;
}

TEST_CASE("the claim for extended resources suits one node: given back, or deleted") {
  World world;
  const auto pod = make_pod("p", "");
  auto claim = extended_claim(pod);
  SECTION("with devices it is given back") {
    claim.allocation = AllocationResult{};
    world.tell(claim);
    CHECK(words(world.releases.start(pod)) ==
          "ReleaseClaim default/" + claim.meta.name + " for release");
    CHECK(world.releases.start(pod).empty());
  }
  SECTION("without it is deleted") {
    world.tell(claim);
    const auto commands = world.releases.start(pod);
    CHECK(words(commands) == "DeleteClaim default/" + claim.meta.name + " for release");
    CHECK(only_write<DeleteClaim>(commands).uid == Uid("uid-extended"));
  }
  SECTION("it goes already") {
    claim.meta.deleted = start;
    world.tell(claim);
    CHECK(world.releases.start(pod).empty());
  }
  SECTION("another's of that name stays") {
    claim.meta.owners.front().uid = Uid("uid-q");
    world.tell(claim);
    CHECK(world.releases.start(pod).empty());
  }
}

}  // namespace
}  // namespace dray::engine::claim_releases_test
