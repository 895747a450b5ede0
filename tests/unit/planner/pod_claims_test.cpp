#include "dray/planner/pod_claims.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::pod_claims_test {

using namespace worlds;
namespace {

Pod with_entries(std::vector<PodResourceClaim> entries) {
  auto pod = make_pod("p", "");
  pod.resource_claims = std::move(entries);
  return pod;
}

TEST_CASE("a pod's claims, each once, in the order of its entries") {
  World world;
  world.tell(make_claim("one", 1));
  world.tell(make_claim("two", 1));
  const auto pod = with_entries({{.name = "b", .claim_name = "two", .template_name = {}},
                                 {.name = "a", .claim_name = "one", .template_name = {}},
                                 {.name = "c", .claim_name = "two", .template_name = {}}});
  const auto claims = claims_of(*world.state.snapshot(), pod);
  REQUIRE(claims);
  REQUIRE(claims->size() == 2);
  CHECK((*claims)[0]->meta.name == "two");
  CHECK((*claims)[1]->meta.name == "one");
}

TEST_CASE("why a pod's claims are not ready") {
  World world;
  auto claim = make_claim("c", 1, "p");
  auto pod = with_entries({{.name = "e", .claim_name = "c", .template_name = {}}});
  auto reason = Reason::none;
  SECTION("they are") {}
  SECTION("not there") {
    pod.resource_claims[0].claim_name = "other";
    reason = Reason::claim_missing;
  }
  SECTION("not made yet") {
    pod.resource_claims[0] = {.name = "e", .claim_name = {}, .template_name = "t"};
    reason = Reason::claim_missing;
  }
  SECTION("being deleted") {
    claim.meta.deleted = start;
    reason = Reason::claim_deleting;
  }
  SECTION("made for another pod") {
    pod.resource_claims[0] = {.name = "e", .claim_name = {}, .template_name = "t"};
    pod.resource_claim_statuses = {{.name = "e", .claim_name = "c"}};
    claim.meta.owners[0].uid = Uid("other");
    reason = Reason::claim_not_owned;
  }
  SECTION("made for its group") {
    pod.resource_claims[0] = {.name = "e", .claim_name = {}, .template_name = "t"};
    pod.resource_claim_statuses = {{.name = "e", .claim_name = "c"}};
    pod.pod_group = "g";
    claim.meta.owners[0] = {.api_version = "scheduling.k8s.io/v1alpha1",
                            .kind = "PodGroup",
                            .name = "g",
                            .uid = Uid("g"),
                            .controller = true};
  }
  SECTION("of a class that is not there") {
    claim.spec.requests[0].exactly->device_class = ClassName("other");
    reason = Reason::class_missing;
  }
  SECTION("of a class that went, with devices") {
    claim.spec.requests[0].exactly->device_class = ClassName("other");
    claim.allocation.emplace();
  }
  SECTION("an alternative of a class that is not there") {
    auto& request = claim.spec.requests[0];
    request.first_available = {*request.exactly};
    request.first_available[0].device_class = ClassName("other");
    request.exactly.reset();
    reason = Reason::class_missing;
  }
  world.tell(claim);
  const auto claims = claims_of(*world.state.snapshot(), pod);
  CHECK(claims.has_value() == (reason == Reason::none));
  if (!claims) CHECK(claims.error().reason == reason);
}

TEST_CASE("an entry that turned out not to be needed is left out") {
  World world;
  auto pod = with_entries({{.name = "e", .claim_name = {}, .template_name = "t"}});
  pod.resource_claim_statuses = {{.name = "e", .claim_name = {}}};
  const auto claims = claims_of(*world.state.snapshot(), pod);
  REQUIRE(claims);
  CHECK(claims->empty());
}

TEST_CASE("a pod bypasses dray without claims and without resources of a class") {
  World world;
  auto behind = make_class();
  behind.extended_resource_name = "example.com/gpu";
  world.tell(behind);
  const auto& snapshot = *world.state.snapshot();
  auto pod = make_pod("p", "");
  CHECK(bypasses_dray(snapshot, pod));
  pod.containers[0].requests["example.com/other"] = Quantity(1);
  CHECK(bypasses_dray(snapshot, pod));
  pod.containers[0].requests["example.com/gpu"] = Quantity(1);
  CHECK_FALSE(bypasses_dray(snapshot, pod));
  CHECK(class_resources(snapshot, pod) == std::vector<std::string>{"example.com/gpu"});
  auto implicit = make_pod("q", "");
  implicit.init_containers.push_back(implicit.containers[0]);
  implicit.init_containers[0].requests["deviceclass.resource.kubernetes.io/gpu"] = Quantity(1);
  CHECK_FALSE(bypasses_dray(snapshot, implicit));
  CHECK_FALSE(bypasses_dray(snapshot, make_pod("r", "c")));
}

}  // namespace
}  // namespace dray::planner::pod_claims_test
