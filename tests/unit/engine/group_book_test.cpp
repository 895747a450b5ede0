#include "engine/books/group_book.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::group_book_test {
namespace {

Pod pod_with(Labels labels, Labels annotations, const std::string& owner = {}) {
  auto pod = make_pod("p", "");
  pod.meta.labels = std::move(labels);
  pod.meta.annotations = std::move(annotations);
  if (!owner.empty()) {
    pod.meta.owners.push_back({.api_version = "batch/v1",
                               .kind = "Job",
                               .name = "job",
                               .uid = Uid(owner),
                               .controller = true});
  }
  return pod;
}

TEST_CASE("what pods say of their group") {
  struct Row {
    std::string name;
    Labels labels;
    Labels annotations;
    GroupSource want;
    std::string group;
  };
  const auto row = GENERATE(
      Row{"nothing", {}, {}, GroupSource::none, "uid-p"},
      Row{"KAI", {}, {{"pod-group-name", "g"}}, GroupSource::kai, "g"},
      Row{"coscheduling",
          {{"scheduling.x-k8s.io/pod-group", "g"}},
          {},
          GroupSource::coscheduling,
          "g"},
      Row{"coscheduling, before it had objects",
          {{"pod-group.scheduling.sigs.k8s.io/name", "g"}},
          {},
          GroupSource::old_coscheduling,
          "g"},
      Row{"Volcano", {}, {{"scheduling.k8s.io/group-name", "g"}}, GroupSource::volcano, "g"},
      Row{"JobSet", {{"jobset.sigs.k8s.io/jobset-name", "g"}}, {}, GroupSource::job_set, "g"},
      Row{"an owner with a minimum",
          {},
          {{"kai.scheduler/batch-min-member", "2"}},
          GroupSource::owner,
          "uid-job"});
  DYNAMIC_SECTION(row.name) {
    const GroupBook book;
    const auto key = book.key_of(pod_with(row.labels, row.annotations, "uid-job"));
    CHECK(key.source == row.want);
    CHECK(key.name == row.group);
  }
}

TEST_CASE("a pod of a PodGroup waits for the object; a basic group is none") {
  GroupBook book;
  auto pod = make_pod("p", "");
  pod.pod_group = "g";
  const auto key = book.key_of(pod);
  CHECK(key.source == GroupSource::pod_group);
  const auto missing = book.form_of(key, pod);
  REQUIRE(!missing);
  CHECK(missing.error().reason == Reason::gang_incomplete);
  CHECK(missing.error().detail == "PodGroup default/g does not exist");

  PodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  group.meta.uid = Uid("uid-g");
  CHECK(book.observe(group));
  CHECK(book.key_of(pod).source == GroupSource::none);
  group.min_count = 3;
  group.topology = {"rack"};
  group.priority = 7;
  CHECK(book.observe(group));
  CHECK(!book.observe(group));
  const auto form = book.form_of(book.key_of(pod), pod);
  REQUIRE(form);
  CHECK(form->uid == Uid("uid-g"));
  CHECK(form->priority == 7);
  CHECK(form->root.topology == policy::TopologyConstraint{"rack", "rack", ""});
  REQUIRE(form->root.pod_sets.size() == 1);
  CHECK(form->root.pod_sets[0].min_member == 3);
  CHECK(book.topology_keys() == std::set<std::string>{"rack"});
  CHECK(book.forget(Kind::pod_group, "default", "g"));
  CHECK(!book.form_of(key, pod));
}

TEST_CASE("a tree of KAI's: parents are groups, the others sets of pods") {
  GroupBook book;
  PriorityClass rank;
  rank.meta.name = "inference";
  rank.value = 125;
  CHECK(book.observe(rank));
  KaiPodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  group.meta.uid = Uid("uid-g");
  group.queue = "infer";
  group.priority_class = "inference";
  group.preemptibility = "non-preemptible";
  group.topology = {.topology = "fabric", .required = "rack", .preferred = ""};
  KaiSubGroup prefill;
  prefill.name = "prefill";
  prefill.min_member = 4;
  KaiSubGroup all;
  all.name = "all";
  KaiSubGroup decode;
  decode.name = "decode";
  decode.parent = "all";
  decode.min_member = 2;
  decode.topology.required = "clique";
  group.sub_groups = {prefill, all, decode};
  CHECK(book.observe(group));
  const auto pod = pod_with({{"kai.scheduler/subgroup-name", "decode"}}, {{"pod-group-name", "g"}});
  const auto key = book.key_of(pod);
  CHECK(GroupBook::set_of(key, pod) == "decode");
  const auto form = book.form_of(key, pod);
  REQUIRE(form);
  CHECK(form->queue == "infer");
  CHECK(form->priority == 125);
  CHECK(form->preemptible == false);
  CHECK(form->root.topology == policy::TopologyConstraint{"fabric", "rack", ""});
  REQUIRE(form->root.pod_sets.size() == 1);
  CHECK(form->root.pod_sets[0].min_member == 4);
  REQUIRE(form->root.sub_groups.size() == 1);
  REQUIRE(form->root.sub_groups[0].pod_sets.size() == 1);
  CHECK(form->root.sub_groups[0].pod_sets[0].topology ==
        policy::TopologyConstraint{"fabric", "clique", ""});
}

TEST_CASE("a tree that is its own parent ends") {
  GroupBook book;
  KaiPodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  KaiSubGroup loop;
  loop.name = "loop";
  loop.parent = "loop";
  group.sub_groups = {loop};
  CHECK(book.observe(group));
  const auto pod = pod_with({}, {{"pod-group-name", "g"}});
  CHECK(book.form_of(book.key_of(pod), pod).has_value());
}

TEST_CASE("a JobSet is one gang, or, in order, one a kind of Job") {
  GroupBook book;
  JobSet job_set;
  job_set.meta.namespace_name = "default";
  job_set.meta.name = "g";
  job_set.meta.uid = Uid("uid-g");
  job_set.jobs.push_back({.name = "driver", .replicas = 1, .parallelism = 1, .completions = 1});
  job_set.jobs.push_back({.name = "workers", .replicas = 2, .parallelism = 4, .completions = 3});
  const auto pod = pod_with({{"jobset.sigs.k8s.io/jobset-name", "g"},
                             {"jobset.sigs.k8s.io/replicatedjob-name", "workers"}},
                            {});
  CHECK(book.observe(job_set));
  auto form = book.form_of(book.key_of(pod), pod);
  REQUIRE(form);
  REQUIRE(form->root.pod_sets.size() == 2);
  CHECK(form->root.pod_sets[1].min_member == 6);
  job_set.in_order = true;
  CHECK(book.observe(job_set));
  CHECK(book.key_of(pod).part == "workers");
  form = book.form_of(book.key_of(pod), pod);
  REQUIRE(form);
  CHECK(form->root.pod_sets.size() == 1);
  CHECK(form->uid == Uid("uid-g/workers"));
}

}  // namespace
}  // namespace dray::engine::group_book_test
