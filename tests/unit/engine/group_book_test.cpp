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
  group.topology = {"zone"};
  CHECK(book.observe(group));
  CHECK(book.topology_keys() == std::set<std::string>{"zone"});
  CHECK(book.forget(Kind::pod_group, "default", "g"));
  CHECK(book.topology_keys().empty());
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
  CHECK(book.set_of(key, pod) == "decode");
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

std::int32_t minimum_of(GroupBook& book, const Pod& pod) {
  const auto form = book.form_of(book.key_of(pod), pod);
  REQUIRE(form);
  REQUIRE(form->root.pod_sets.size() == 1);
  return form->root.pod_sets[0].min_member;
}

template <class Group>
Group named() {
  Group group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  group.meta.uid = Uid("uid-g");
  return group;
}

TEST_CASE("the minimum of every kind of group") {
  GroupBook book;
  SECTION("Kubernetes") {
    auto group = named<PodGroup>();
    group.min_count = 4;
    CHECK(book.observe(group));
    auto pod = make_pod("p", "");
    pod.pod_group = "g";
    CHECK(minimum_of(book, pod) == 4);
  }
  SECTION("KAI") {
    auto group = named<KaiPodGroup>();
    CHECK(book.observe(group));
    const auto pod = pod_with({}, {{"pod-group-name", "g"}});
    CHECK(minimum_of(book, pod) == 1);
    group.min_member = 3;
    CHECK(book.observe(group));
    CHECK(minimum_of(book, pod) == 3);
  }
  SECTION("coscheduling, at least one") {
    auto group = named<CoschedulingGroup>();
    CHECK(book.observe(group));
    const auto pod = pod_with({{"scheduling.x-k8s.io/pod-group", "g"}}, {});
    CHECK(minimum_of(book, pod) == 1);
    group.min_member = 3;
    CHECK(book.observe(group));
    CHECK(minimum_of(book, pod) == 3);
    CHECK(book.form_of(book.key_of(pod), pod)->uid == Uid("uid-g"));
  }
  SECTION("Volcano, at least one, with a queue") {
    auto group = named<VolcanoGroup>();
    group.queue = "q";
    CHECK(book.observe(group));
    const auto pod = pod_with({}, {{"scheduling.k8s.io/group-name", "g"}});
    CHECK(minimum_of(book, pod) == 1);
    CHECK(book.form_of(book.key_of(pod), pod)->queue == "q");
    group.min_member = 2;
    CHECK(book.observe(group));
    CHECK(minimum_of(book, pod) == 2);
  }
  SECTION("by labels alone") {
    Labels labels{{"pod-group.scheduling.sigs.k8s.io/name", "g"}};
    CHECK(minimum_of(book, pod_with(labels, {})) == 1);
    labels["pod-group.scheduling.sigs.k8s.io/min-available"] = "5";
    CHECK(minimum_of(book, pod_with(labels, {})) == 5);
    labels["pod-group.scheduling.sigs.k8s.io/min-available"] = "5x";
    CHECK(minimum_of(book, pod_with(labels, {})) == 1);
  }
  SECTION("by annotation, of one owner") {
    const auto pod = pod_with({}, {{"kai.scheduler/batch-min-member", "6"}}, "uid-job");
    CHECK(minimum_of(book, pod) == 6);
    CHECK(book.form_of(book.key_of(pod), pod)->uid == Uid("group/default/uid-job"));
    const auto alone = pod_with({}, {{"kai.scheduler/batch-min-member", "6"}});
    CHECK_FALSE(book.key_of(alone).is_group());
    CHECK(minimum_of(book, alone) == 1);
  }
}

TEST_CASE("a group of KAI's says when it may evict, and when it is stale") {
  using namespace std::chrono_literals;
  GroupBook book;
  auto group = named<KaiPodGroup>();
  group.preemption_delay = 3s;
  group.staleness_grace_period = 4s;
  group.preemptibility = "preemptible";
  group.min_sub_group = 1;
  KaiSubGroup counted;
  counted.name = "counted";
  counted.min_sub_group = 1;
  group.sub_groups = {counted};
  CHECK(book.observe(group));
  const auto pod = pod_with({}, {{"pod-group-name", "g"}});
  const auto form = book.form_of(book.key_of(pod), pod);
  REQUIRE(form);
  CHECK(form->evict_delay == 3s);
  CHECK(form->stale_after == 4s);
  CHECK(form->preemptible == true);
  CHECK(form->root.min_sub_group == 1);
  REQUIRE(form->root.sub_groups.size() == 1);
  CHECK(form->root.sub_groups[0].min_sub_group == 1);
  CHECK(form->root.pod_sets.empty());
  group.preemptibility.clear();
  CHECK(book.observe(group));
  CHECK_FALSE(book.form_of(book.key_of(pod), pod)->preemptible);
}

TEST_CASE("groups that pods only speak of may name a topology") {
  const GroupBook book;
  const auto pod = pod_with({{"pod-group.scheduling.sigs.k8s.io/name", "g"}},
                            {{"kai.scheduler/topology", "fabric"},
                             {"kai.scheduler/topology-required-placement", "rack"},
                             {"kai.scheduler/topology-preferred-placement", "node"}});
  const auto form = book.form_of(book.key_of(pod), pod);
  REQUIRE(form);
  CHECK(form->root.topology == policy::TopologyConstraint{"fabric", "rack", "node"});
  CHECK(form->uid == Uid("group/default/g"));
}

TEST_CASE("a priority class counts by its name, a group's own number before it") {
  GroupBook book;
  auto group = named<PodGroup>();
  group.min_count = 1;
  group.priority_class = "high";
  CHECK(book.observe(group));
  auto pod = make_pod("p", "");
  pod.pod_group = "g";
  CHECK_FALSE(book.form_of(book.key_of(pod), pod)->priority);
  PriorityClass rank;
  rank.meta.name = "high";
  rank.value = 9;
  CHECK(book.observe(rank));
  CHECK(book.form_of(book.key_of(pod), pod)->priority == 9);
  group.priority = 3;
  CHECK(book.observe(group));
  CHECK(book.form_of(book.key_of(pod), pod)->priority == 3);
  CHECK(book.forget(Kind::priority_class, "", "high"));
  CHECK_FALSE(book.forget(Kind::priority_class, "", "high"));
}

TEST_CASE("every kind of group object is forgotten, and named when it is missing") {
  struct Row {
    Kind kind;
    KubeObject object;
    Pod pod;
    std::string missing;
  };
  auto kubernetes = make_pod("p", "");
  kubernetes.pod_group = "g";
  auto gang = named<PodGroup>();
  gang.min_count = 1;
  const auto row = GENERATE_COPY(
      Row{Kind::pod_group, gang, kubernetes, "PodGroup default/g does not exist"},
      Row{Kind::kai_pod_group, named<KaiPodGroup>(), pod_with({}, {{"pod-group-name", "g"}}),
          "KAI's PodGroup default/g does not exist"},
      Row{Kind::coscheduling_group, named<CoschedulingGroup>(),
          pod_with({{"scheduling.x-k8s.io/pod-group", "g"}}, {}),
          "coscheduling's PodGroup default/g does not exist"},
      Row{Kind::volcano_group, named<VolcanoGroup>(),
          pod_with({}, {{"scheduling.k8s.io/group-name", "g"}}),
          "Volcano's PodGroup default/g does not exist"},
      Row{Kind::job_set, named<JobSet>(), pod_with({{"jobset.sigs.k8s.io/jobset-name", "g"}}, {}),
          "JobSet default/g does not exist"});
  DYNAMIC_SECTION(row.missing) {
    GroupBook book;
    CHECK(book.observe(row.object));
    CHECK_FALSE(book.observe(row.object));
    CHECK(book.form_of(book.key_of(row.pod), row.pod));
    CHECK(book.forget(row.kind, "default", "g"));
    CHECK_FALSE(book.forget(row.kind, "default", "g"));
    const auto form = book.form_of(book.key_of(row.pod), row.pod);
    REQUIRE_FALSE(form);
    CHECK(form.error().reason == Reason::gang_incomplete);
    CHECK(form.error().detail == row.missing);
  }
}

}  // namespace
}  // namespace dray::engine::group_book_test
