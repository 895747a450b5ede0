#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>

#include "engine/books/group_book.h"
#include "tests/unit/engine/benches.h"

// Workloads of Kubernetes: how the pods of a controller start, where no PodGroup says it.

namespace dray::engine::said_workload_test {
namespace {

Pod of_job(const std::string& name, const std::string& job = "job") {
  auto pod = make_pod(name, "");
  pod.meta.owners.push_back({.api_version = "batch/v1",
                             .kind = "Job",
                             .name = job,
                             .uid = Uid("uid-" + job),
                             .controller = true});
  return pod;
}

KubeWorkload workload_of_job(std::optional<std::int32_t> minimum) {
  KubeWorkload workload;
  workload.meta.namespace_name = "default";
  workload.meta.name = "w";
  workload.meta.uid = Uid("uid-w");
  workload.controller_group = "batch";
  workload.controller_kind = "Job";
  workload.controller_name = "job";
  workload.templates = {{.name = "workers", .min_count = minimum, .topology = {"rack"}}};
  return workload;
}

TEST_CASE("a Workload speaks for its controller's pods where no PodGroup does") {
  GroupBook book;
  auto pod = of_job("p");
  CHECK(book.key_of(pod).source == GroupSource::none);
  CHECK(book.observe(workload_of_job(3)));
  CHECK_FALSE(book.observe(workload_of_job(3)));
  const JobKey by_workload{GroupSource::workload, "default", "job", "Job.batch"};
  CHECK(book.key_of(pod) == by_workload);

  pod.pod_group = "not-there";
  CHECK(book.key_of(pod) == by_workload);
  const auto form = book.form_of(by_workload, pod);
  REQUIRE(form);
  CHECK(form->uid == Uid("uid-w"));
  CHECK(form->root.topology == policy::TopologyConstraint{"rack", "rack", ""});
  REQUIRE(form->root.pod_sets.size() == 1);
  CHECK(form->root.pod_sets[0].min_member == 3);

  PodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "not-there";
  group.min_count = 2;
  CHECK(book.observe(group));
  CHECK(book.key_of(pod).source == GroupSource::pod_group);
}

TEST_CASE("a basic Workload keeps each pod for itself, whatever its Job says") {
  GroupBook book;
  BatchJob job;
  job.meta.namespace_name = "default";
  job.meta.name = "job";
  job.gang = true;
  job.parallelism = 4;
  CHECK(book.observe(job));
  const auto pod = of_job("p");
  CHECK(book.key_of(pod).source == GroupSource::batch_job);
  CHECK(book.observe(workload_of_job({})));
  CHECK(book.key_of(pod).source == GroupSource::none);
  CHECK(book.forget(Kind::workload, "default", "w"));
  CHECK_FALSE(book.forget(Kind::workload, "default", "w"));
  CHECK(book.key_of(pod).source == GroupSource::batch_job);
}

TEST_CASE("a Workload that does not say whose pods are which speaks for none") {
  GroupBook book;
  const auto pod = of_job("p");
  auto changed = workload_of_job(3);
  SECTION("two templates") {
    changed.templates.push_back(changed.templates.front());
  }
  SECTION("no controller") {
    changed.controller_kind.clear();
  }
  SECTION("a controller of another kind") {
    changed.controller_kind = "JobSet";
  }
  SECTION("a controller of another API group") {
    changed.controller_group = "batch.volcano.sh";
  }
  SECTION("another namespace's") {
    changed.meta.namespace_name = "other";
  }
  (void)book.observe(changed);
  CHECK(book.key_of(pod).source == GroupSource::none);
}

TEST_CASE("pods speak of a Workload by its controller's name; the first of several speaks") {
  GroupBook book;
  const auto pod = of_job("p");
  const auto minimum = [&] {
    return book.form_of(book.key_of(pod), pod)->root.pod_sets.front().min_member;
  };
  CHECK(book.spoken_of_as(Kind::workload, "default", "w").empty());
  CHECK(book.spoken_of_as(Kind::pod_group, "default", "w") == "w");
  CHECK(book.observe(workload_of_job(3)));
  CHECK(book.spoken_of_as(Kind::workload, "default", "w") == "job");
  auto second = workload_of_job(2);
  second.meta.name = "a";
  CHECK(book.observe(second));
  CHECK(minimum() == 2);
  second.controller_name = "another";
  CHECK(book.observe(second));
  CHECK(minimum() == 3);
  CHECK(book.spoken_of_as(Kind::workload, "default", "a") == "another");
}

/// How many pods the jobs of the newest plan have.
std::multiset<std::size_t> sizes(Bench& bench) {
  bench.planned({});  // whatever was wanted before the last event
  bench.planned({});
  std::multiset<std::size_t> found;
  for (const auto& job : bench.wanted.back().input->jobs) found.insert(job->members.size());
  return found;
}

TEST_CASE("pods become a gang when their controller's Workload comes, and single when it goes") {
  Bench bench({}, true);
  bench.add_nodes(2, 1);
  for (const auto* name : {"a", "b"}) {
    auto pod = of_job(name);
    pod.resource_claims = make_pod(name, std::string("c-") + name).resource_claims;
    bench.tell(claim_of(name));
    bench.tell(pod);
  }
  CHECK(sizes(bench) == std::multiset<std::size_t>{1, 1});
  bench.tell(workload_of_job(2));
  CHECK(sizes(bench) == std::multiset<std::size_t>{2});
  SECTION("it is deleted") {
    bench.apply(cluster::ObjectGone{Kind::workload, "default", "w", {}});
  }
  SECTION("one of its name speaks of another Job") {
    auto other = workload_of_job(2);
    other.controller_name = "another";
    bench.tell(other);
  }
  CHECK(sizes(bench) == std::multiset<std::size_t>{1, 1});
}

}  // namespace
}  // namespace dray::engine::said_workload_test
