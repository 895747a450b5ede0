#include "planner/state/tolerations.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::tolerations_test {

using namespace worlds;
namespace {

Pod tolerating(const std::string& key) {
  auto pod = make_pod("p");
  pod.tolerations = {
      {.key = key, .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}}};
  return pod;
}

Taints of_node(const std::vector<std::string>& keys) {
  Taints taints;
  for (const auto& key : keys) {
    taints.node.push_back({.key = key, .value = "", .effect = "NoSchedule"});
  }
  return taints;
}

TEST_CASE("taints are tolerated while one pod tolerates all of them") {
  Tolerations tolerations;
  Tolerations::Witness witness;
  CHECK(tolerations.tolerate(of_node({"x"}), witness));
  Tolerations::OfJob first, second, third;
  tolerations.add_pod(tolerating("x"), first);
  tolerations.add_pod(tolerating("y"), second);
  CHECK(tolerations.tolerate(of_node({"x"}), witness));
  CHECK_FALSE(tolerations.tolerate(of_node({"x", "y"}), witness));
  CHECK_FALSE(tolerations.tolerate(of_node({"z"}), witness));
  tolerations.add_pod(tolerating("x"), third);
  tolerations.remove(first);
  CHECK(tolerations.tolerate(of_node({"x"}), witness));
  tolerations.remove(third);
  CHECK_FALSE(tolerations.tolerate(of_node({"x"}), witness));
  tolerations.remove(second);
  CHECK(tolerations.tolerate(of_node({"x"}), witness));
}

TEST_CASE("a place that was given up and taken again stands for the new list") {
  Tolerations tolerations;
  Tolerations::Witness witness;
  Tolerations::OfJob job, other, another;
  tolerations.add_pod(make_pod("plain"), other);
  tolerations.add_pod(tolerating("x"), job);
  CHECK(tolerations.tolerate(of_node({"x"}), witness));
  tolerations.remove(job);
  tolerations.add_pod(tolerating("y"), another);
  CHECK_FALSE(tolerations.tolerate(of_node({"x"}), witness));
  CHECK(tolerations.tolerate(of_node({"y"}), witness));
}

TEST_CASE("taints of devices are for the requests of claims") {
  Tolerations tolerations;
  Tolerations::Witness witness;
  Taints taints;
  taints.device = {{.key = "broken", .value = "", .effect = "NoSchedule", .time_added = {}}};
  Tolerations::OfJob job;
  tolerations.add_pod(make_pod("p"), job);
  auto claim = make_claim("c", 1);
  tolerations.add_requests({std::make_shared<const ResourceClaim>(claim)}, job);
  CHECK_FALSE(tolerations.tolerate(taints, witness));
  claim.spec.requests.front().exactly->tolerations = {
      {.key = "broken", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}}};
  tolerations.add_requests({std::make_shared<const ResourceClaim>(claim)}, job);
  CHECK(tolerations.tolerate(taints, witness));
  tolerations.remove_requests(job);
  CHECK_FALSE(tolerations.tolerate(taints, witness));
}

}  // namespace
}  // namespace dray::planner::tolerations_test
