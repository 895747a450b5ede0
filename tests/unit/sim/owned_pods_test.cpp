#include "dray/sim/owned_pods.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/objects/pods.h"

namespace dray::sim::owned_pods_test {
namespace {

using namespace dray::testing;

ObjectMeta named(std::string name) {
  ObjectMeta meta;
  meta.namespace_name = "default";
  meta.name = std::move(name);
  return meta;
}

PodOwner owner(const std::string& kind, const std::string& name, std::size_t position,
               std::int32_t pods = 1) {
  PodOwner made;
  made.form = kind == "Job" ? PodOwnerForm::job : PodOwnerForm::replicas;
  made.kind = kind;
  made.api_version = "v1";
  made.meta = named(name);
  made.place = "f.yaml:" + std::to_string(position);
  made.position = position;
  auto& set = made.templates.emplace_back();
  set.replicas = pods;
  set.parallelism = kind == "Job" ? std::optional(pods) : std::nullopt;
  set.pod = make_pod("");
  if (kind == "Job") set.replicas.reset();
  return made;
}

KubeObject job(const std::string& name) {
  BatchJob made;
  made.meta = named(name);
  return made;
}

Pod owned(const std::string& name, const std::string& kind, const std::string& by) {
  auto pod = make_pod(name);
  pod.meta.owners = {{"v1", kind, by, Uid("u"), true}};
  return pod;
}

std::vector<std::string> names(const std::vector<KubeObject>& objects) {
  std::vector<std::string> said;
  for (const auto& object : objects) said.push_back(describe(object));
  return said;
}

}  // namespace

TEST_CASE("pods stand behind their owners, whose uid they name") {
  std::vector<KubeObject> objects{make_pod("first"), job("x"), make_pod("last")};
  const auto owners = std::vector{owner("Job", "x", 2), owner("StatefulSet", "y", 3, 2)};
  const auto left_out = add_owned_pods(objects, owners);
  REQUIRE(left_out);
  CHECK(left_out->empty());
  CHECK(names(objects) == std::vector<std::string>{"Pod default/first", "Job default/x",
                                                   "Pod default/x-bbbbb", "Pod default/last",
                                                   "Pod default/y-0", "Pod default/y-1"});
  CHECK_FALSE(meta_of(objects[1]).uid.get().empty());
  CHECK(meta_of(objects[2]).owners.at(0).uid == meta_of(objects[1]).uid);
}

TEST_CASE("nothing is made for owners whose pods are there") {
  auto set = make_pod("z-0");
  set.meta.labels = {{"jobset.sigs.k8s.io/jobset-name", "z"}};
  auto replica_set = owner("ReplicaSet", "web-1", 0);
  replica_set.meta.owners = {{"apps/v1", "Deployment", "web", Uid("d"), true}};
  auto job_set = owner("Job", "z", 0);
  job_set.kind = "JobSet";
  job_set.form = PodOwnerForm::job_set;
  std::vector<KubeObject> objects{owned("web-1-a", "ReplicaSet", "web-1"), owned("x-a", "Job", "x"),
                                  set};
  const auto before = names(objects);
  const auto left_out = add_owned_pods(
      objects,
      std::vector{owner("Deployment", "web", 0), replica_set, owner("Job", "x", 0), job_set});
  REQUIRE(left_out);
  CHECK(left_out->empty());
  CHECK(names(objects) == before);
}

TEST_CASE("what is left out is told, unless no pods were asked for") {
  auto known = owner("Job", "x", 0);
  known.meta.uid = Uid("u");
  auto suspended = owner("Job", "y", 0);
  suspended.suspended = true;
  std::vector<KubeObject> objects;
  const auto left_out =
      add_owned_pods(objects, std::vector{known, suspended, owner("Deployment", "zero", 0, 0)});
  REQUIRE(left_out);
  REQUIRE(left_out->size() == 2);
  CHECK(left_out->at(0) ==
        "f.yaml:0: Job default/y: it is suspended, and no pods are made for it (spec.suspend)");
  CHECK(left_out->at(1).starts_with("f.yaml:0: Job default/x: it has a uid, so it was read"));
  const auto several = add_owned_pods(objects, std::vector{known, known, known});
  REQUIRE(several);
  REQUIRE(several->size() == 1);
  CHECK(several->at(0).starts_with("f.yaml:0: Job default/x: it has a uid, as 2 others, so it"));
  CHECK(objects.empty());
}

TEST_CASE("a number of pods that nobody meant is an error") {
  std::vector<KubeObject> objects{make_pod("p")};
  const auto made = add_owned_pods(objects, std::vector{owner("Job", "x", 1, 2)}, {.most = 2});
  REQUIRE_FALSE(made);
  CHECK(made.error().message ==
        "f.yaml:1: Job default/x: with its 2 pods there are more than 2 objects");
}

}  // namespace dray::sim::owned_pods_test
