#include "sim/claim_names.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::sim::claim_names_test {

using namespace dray::testing;

TEST_CASE("a reference means a claim by name, or the one that was made for it") {
  auto pod = make_pod("p0");
  const auto named = claim_name(pod, {.name = "a", .claim_name = "shared", .template_name = {}});
  REQUIRE(named);
  CHECK(named->name == "shared");
  CHECK_FALSE(named->check_owner);

  const PodResourceClaim made{.name = "gpu", .claim_name = {}, .template_name = "t"};
  const auto early = claim_name(pod, made);
  REQUIRE_FALSE(early);
  CHECK(early.error().code == ErrorCode::not_found);
  pod.resource_claim_statuses = {{"nic", "p0-nic"}, {"gpu", "p0-gpu"}};
  CHECK(claim_name(pod, made)->name == "p0-gpu");
  CHECK(claim_name(pod, made)->check_owner);
  pod.resource_claim_statuses[1].claim_name.reset();
  REQUIRE(claim_name(pod, made));
  CHECK_FALSE(claim_name(pod, made)->name);
}

TEST_CASE("a claim is owned by the pod that controls it") {
  auto claim = make_claim("c", 1);
  claim.meta.owners = {{"v1", "Pod", "p0", Uid("u0"), false}, {"v1", "Pod", "p1", Uid("u1"), true}};
  CHECK(owned_by(claim, Uid("u1")));
  CHECK_FALSE(owned_by(claim, Uid("u0")));
  CHECK_FALSE(owned_by(claim, Uid("u2")));
}

TEST_CASE("a pod is done when it has ended, or is deleted before it had a node") {
  auto pod = make_pod("p0");
  pod.phase = "Pending";
  CHECK_FALSE(pod_done(pod));
  pod.meta.deleted = at(1);
  CHECK(pod_done(pod));
  pod.node_name = NodeName("n0");
  CHECK_FALSE(pod_done(pod));
  pod.phase = "Failed";
  CHECK(pod_done(pod));
}

TEST_CASE("an object's key is its namespace and name") {
  CHECK(object_key(make_pod("p0").meta) == "default/p0");
  CHECK(object_key(make_node("n0").meta) == "/n0");
}

}  // namespace dray::sim::claim_names_test
