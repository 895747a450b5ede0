#include "dray/planner/what_if.h"

#include <catch2/catch.hpp>

#include "dray/model/claim_limits.h"
#include "tests/objects/gpus.h"

namespace dray::planner::what_if_test {

using namespace testing;
namespace {

WhatIf what_if_with(std::vector<KubeObject> objects,
                    std::optional<std::vector<NodeName>> only = std::nullopt) {
  WhatIf what_if({}, {}, std::move(only));
  what_if.add(make_class());
  for (auto& object : objects) what_if.add(std::move(object));
  return what_if;
}

ResourceClaimTemplate template_for(std::int64_t gpus) {
  return make_template("gpus", make_claim("c", gpus).spec.requests);
}

/// As it stands in a file: without uid and status.
Pod pod_with_template(const std::string& name) {
  auto pod = make_pod(name, "");
  pod.meta.uid = Uid();
  pod.resource_claims = {{.name = "dev", .claim_name = {}, .template_name = "gpus"}};
  pod.resource_claim_statuses.clear();
  return pod;
}

TEST_CASE("pods get devices one after another, each on what the ones before it left") {
  auto what_if = what_if_with({make_node("a"), make_gpus("a", 3), template_for(2)});
  const auto first = what_if.place(pod_with_template("p0"));
  REQUIRE(first.placements.size() == 1);
  CHECK(first.placements[0].claims[0].claim == ClaimKey{"default", "p0-dev"});
  CHECK(first.placements[0].claims[0].allocation.devices.size() == 2);
  const auto second = what_if.place(pod_with_template("p1"));
  CHECK(second.placements.empty());
  CHECK(second.reason == Reason::devices_in_use);
}

TEST_CASE("a pod without its template waits for the claim") {
  auto what_if = what_if_with({make_node("a"), make_gpus("a", 3)});
  const auto outcome = what_if.place(pod_with_template("p0"));
  CHECK(outcome.reason == Reason::claim_missing);
  CHECK(what_if.explain(pod_with_template("p1")).empty());
}

TEST_CASE("a pod that has been placed is one of its claim's users") {
  auto shared = make_claim("shared", 1);
  for (std::size_t i = 1; i < max_consumers; ++i) {
    shared.reserved_for.push_back(consumer("other", Uid(std::to_string(i))));
  }
  auto what_if = what_if_with({make_node("a"), make_gpus("a", 1), shared});
  CHECK(what_if.place(make_pod("last", "shared", false)).placements.size() == 1);
  CHECK(what_if.place(make_pod("one-more", "shared", false)).reason == Reason::claim_consumers);
}

TEST_CASE("a claim alone is tried by a pod that goes anywhere") {
  auto tainted = make_node("a");
  tainted.taints.push_back({.key = "k", .value = {}, .effect = "NoSchedule"});
  auto what_if = what_if_with({tainted, make_gpus("a", 2)});
  const auto claim = WhatIf::claim_of(template_for(1));
  what_if.add(claim);
  const auto outcome = what_if.place(WhatIf::user_of(claim));
  REQUIRE(outcome.placements.size() == 1);
  CHECK(outcome.placements[0].claims[0].claim == claim.key());
}

TEST_CASE("only the given nodes are tried") {
  auto what_if = what_if_with(
      {make_node("a"), make_gpus("a", 2), make_node("b"), make_gpus("b", 2), template_for(1)},
      {{NodeName("b")}});
  CHECK(what_if.place(pod_with_template("p0")).placements.at(0).node == NodeName("b"));
  CHECK(what_if.explain(pod_with_template("p1")).size() == 1);
}

TEST_CASE("explain says for every node why, and where devices went") {
  auto small = make_node("tiny");
  small.taints.push_back({.key = "k", .value = {}, .effect = "NoSchedule"});
  auto what_if = what_if_with({make_node("a"), make_gpus("a", 1), make_node("b"), make_gpus("b", 4),
                               small, template_for(2)});
  const auto verdicts = what_if.explain(pod_with_template("p0"));
  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[0].node == NodeName("a"));
  CHECK(verdicts[0].reason == Reason::no_devices);
  REQUIRE(verdicts[0].requests.size() == 1);
  CHECK(verdicts[0].requests[0].wanted == 2);
  CHECK(verdicts[0].requests[0].devices == 1);
  CHECK(verdicts[1].reason == Reason::none);
  CHECK(verdicts[2].reason == Reason::node_taint);
  CHECK(verdicts[2].requests.empty());
}

TEST_CASE("a pod that is bound stays where it is") {
  auto bound = pod_with_template("p0");
  bound.node_name = NodeName("a");
  auto what_if = what_if_with({make_node("a"), make_gpus("a", 1), template_for(1), bound});
  const auto outcome = what_if.place(pod_with_template("p0"));
  REQUIRE(outcome.placements.size() == 1);
  CHECK(outcome.placements[0].node == NodeName("a"));
  CHECK(outcome.detail == "bound there already");
}

}  // namespace
}  // namespace dray::planner::what_if_test
