#include "engine/books/lineage.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::lineage_test {
namespace {

Pod owned(const std::string& kind, const std::string& name) {
  auto pod = make_pod("p-x7k2p", "");
  pod.meta.owners.push_back({.api_version = {},
                             .kind = kind,
                             .name = name,
                             .uid = Uid("uid-" + name),
                             .controller = true});
  return pod;
}

TEST_CASE("a lineage outlives names that controllers generate") {
  const JobKey alone{
      .source = GroupSource::none, .namespace_name = "default", .name = "uid-p", .part = {}};
  CHECK(lineage_of(alone, make_pod("p", "")) == "default/p");
  CHECK(lineage_of(alone, owned("Job", "train")) == "default/Job/train");
  auto replica = owned("ReplicaSet", "web-6c9f");
  replica.meta.labels["pod-template-hash"] = "6c9f";
  CHECK(lineage_of(alone, replica) == "default/Deployment/web");
  replica.meta.labels["pod-template-hash"] = "other";
  CHECK(lineage_of(alone, replica) == "default/ReplicaSet/web-6c9f");
  auto observed = owned("Job", "train");
  observed.meta.owners[0].controller = false;
  CHECK(lineage_of(alone, observed) == "default/p-x7k2p");
}

TEST_CASE("a group goes by its name, or by that of its owner") {
  const JobKey group{
      .source = GroupSource::coscheduling, .namespace_name = "default", .name = "g", .part = {}};
  CHECK(lineage_of(group, owned("Job", "train")) == lineage_of(group, owned("Job", "other")));
  const JobKey first{
      .source = GroupSource::owner, .namespace_name = "default", .name = "uid-1", .part = {}};
  const JobKey again{
      .source = GroupSource::owner, .namespace_name = "default", .name = "uid-2", .part = {}};
  CHECK(lineage_of(first, owned("Job", "train")) == lineage_of(again, owned("Job", "train")));
}

}  // namespace
}  // namespace dray::engine::lineage_test
