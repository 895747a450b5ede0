#include "engine/books/group_members.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "dray/engine/group_marks.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::group_members_test {
namespace {

Pod in_group(const std::string& name, const std::string& group) {
  auto pod = make_pod(name, "");
  if (!group.empty()) pod.pod_group = group;
  return pod;
}

std::set<std::string> names(const GroupMembers& members, const std::string& group) {
  std::set<std::string> found;
  for (const auto& key : members.of({"default", group})) found.insert(key.name);
  return found;
}

TEST_CASE("a group's members are the pods that speak of it, whether it is there or not") {
  GroupMembers members;
  members.put(in_group("a", "g"));
  members.put(in_group("b", "g"));
  members.put(in_group("c", "h"));
  members.put(in_group("alone", ""));
  auto elsewhere = in_group("d", "g");
  elsewhere.meta.namespace_name = "other";
  members.put(elsewhere);
  CHECK(names(members, "g") == std::set<std::string>{"a", "b"});
  CHECK(names(members, "h") == std::set<std::string>{"c"});
  CHECK(names(members, "").empty());
  SECTION("a pod that is gone is no member") {
    members.erase(Uid("uid-a"));
    members.erase(Uid("uid-a"));
    CHECK(names(members, "g") == std::set<std::string>{"b"});
  }
  SECTION("a pod that says something else moves") {
    members.put(in_group("a", "h"));
    CHECK(names(members, "g") == std::set<std::string>{"b"});
    CHECK(names(members, "h") == std::set<std::string>{"a", "c"});
    members.put(in_group("a", ""));
    CHECK(names(members, "h") == std::set<std::string>{"c"});
  }
}

TEST_CASE("a group is spoken of in the words of its project") {
  GroupMembers members;
  auto kai = make_pod("kai", "");
  kai.meta.annotations[kai_group_annotation] = "g";
  auto volcano = make_pod("volcano", "");
  volcano.meta.annotations[volcano_annotation] = "g";
  auto label = make_pod("coscheduling", "");
  label.meta.labels[coscheduling_label] = "g";
  auto job_set = make_pod("jobset", "");
  job_set.meta.labels[job_set_label] = "g";
  for (const auto& pod : {kai, volcano, label, job_set}) members.put(pod);
  CHECK(names(members, "g") == std::set<std::string>{"kai", "volcano", "coscheduling", "jobset"});
}

}  // namespace
}  // namespace dray::engine::group_members_test
