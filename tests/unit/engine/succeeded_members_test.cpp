#include "engine/books/succeeded_members.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/engine/gangs_on_shelf.h"

namespace dray::engine::succeeded_members_test {
namespace {

using Gangs = std::vector<std::string>;

/// A pod of the Job `owner` that is in the group `g` of each project.
Pod member(const std::string& name, const std::string& owner = "j") {
  auto pod = make_pod(name, "");
  pod.meta.owners = {{"batch/v1", "Job", owner, Uid("uid-" + owner), true}};
  return pod;
}

Pod in_volcano(Pod pod) {
  pod.meta.annotations = {{"scheduling.k8s.io/group-name", "g"}};
  return pod;
}
Pod in_kai(Pod pod) {
  pod.meta.annotations = {{"pod-group-name", "g"}};
  return pod;
}
Pod in_coscheduling(Pod pod) {
  pod.meta.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
  return pod;
}
Pod in_kubernetes(Pod pod) {
  pod.pod_group = "g";
  return pod;
}

template <class Group>
Group named() {
  Group group;
  group.meta = testing::default_meta("g");
  return group;
}

TEST_CASE("the last retried pod of a group starts, whoever's group it is") {
  struct Row {
    std::string name;
    KubeObject group;
    Pod (*put)(Pod);
  };
  auto volcano = named<VolcanoGroup>();
  volcano.min_member = 3;
  auto kai = named<KaiPodGroup>();
  kai.min_member = 3;
  auto coscheduling = named<CoschedulingGroup>();
  coscheduling.min_member = 3;
  const auto row = GENERATE_COPY(Row{"Volcano", volcano, in_volcano}, Row{"KAI", kai, in_kai},
                                 Row{"coscheduling", coscheduling, in_coscheduling},
                                 Row{"Kubernetes", group_of(3), in_kubernetes});
  DYNAMIC_SECTION(row.name) {
    Shelf shelf;
    shelf.observe(row.group);
    put_all(shelf, {row.put(member("p0")), row.put(member("p1")), row.put(member("p2"))});
    CHECK(gangs_of(shelf) == Gangs{"uid-g: default 3/3"});
    put_all(shelf, {succeeded(row.put(member("p0"))), succeeded(row.put(member("p1")))});
    CHECK(gangs_of(shelf) == Gangs{"uid-g: default 3/1"});
  }
}

TEST_CASE("only pods that succeeded count, and only those of this run") {
  Shelf shelf;
  shelf.observe(group_of(3));
  auto failed = in_kubernetes(member("p0"));
  failed.phase = "Failed";
  put_all(shelf, {failed, in_kubernetes(member("p1"))});
  CHECK(gangs_of(shelf) == Gangs{"uid-g: default 2/3"});
  put_all(shelf, {succeeded(in_kubernetes(member("old", "earlier")))});
  CHECK(gangs_of(shelf) == Gangs{"uid-g: default 3/3"});
}

TEST_CASE("parts of a group count by themselves, and no minimum falls below none") {
  auto group = named<KaiPodGroup>();
  group.sub_groups = {
      {.name = "a", .parent = {}, .min_member = 1, .min_sub_group = {}, .topology = {}},
      {.name = "b", .parent = {}, .min_member = 2, .min_sub_group = {}, .topology = {}}};
  Shelf shelf;
  shelf.observe(group);
  const auto part = [](const std::string& name, const std::string& of) {
    auto pod = in_kai(member(name));
    pod.meta.labels = {{"kai.scheduler/subgroup-name", of}};
    return pod;
  };
  put_all(shelf, {succeeded(part("p0", "a")), succeeded(part("p1", "a")), part("p2", "b")});
  CHECK(gangs_of(shelf) == Gangs{"uid-g: a 2/0, b 1/2"});
}

}  // namespace
}  // namespace dray::engine::succeeded_members_test
