#include "dray/model/workload_size.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

namespace dray::workload_size_test {
namespace {

TEST_CASE("a Job has as many pods at a time as are left of its completions") {
  struct Row {
    std::string name;
    std::optional<std::int32_t> parallelism;
    std::optional<std::int32_t> completions;
    std::int32_t finished;
    std::int32_t want;
  };
  const auto row = GENERATE(
      Row{"one where nothing is said", {}, {}, 0, 1},
      Row{"fewer completions than run at a time", 4, 2, 0, 2},
      Row{"as many as may run", 4, 9, 3, 4}, Row{"the rest", 4, 9, 7, 2}, Row{"none", 4, 9, 9, 0},
      Row{"more than there were", 4, 9, 12, 0}, Row{"a work queue", 4, {}, 0, 4},
      Row{"a work queue that is done", 4, {}, 1, 0}, Row{"parallelism 0", 0, 3, 0, 0});
  DYNAMIC_SECTION(row.name) {
    CHECK(pods_at_once(row.parallelism, row.completions, row.finished) == row.want);
  }
}

TEST_CASE("the indexes of a list are counted") {
  CHECK(count_indexes("") == 0);
  CHECK(count_indexes("7") == 1);
  CHECK(count_indexes("0,3-5,9") == 5);
  CHECK(count_indexes("x,5-3,2") == 1);
  CHECK(count_indexes("0-2147483647") == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("a Ray group has its replicas, clamped as KubeRay does, times its hosts") {
  struct Row {
    std::string name;
    RayWorkerGroup group;
    std::int64_t workers;
    std::int64_t least;
  };
  const auto group = [](std::optional<std::int32_t> replicas, std::optional<std::int32_t> least,
                        std::optional<std::int32_t> most, std::optional<std::int32_t> hosts = {},
                        bool suspend = false) {
    return RayWorkerGroup{.name = "g",
                          .replicas = replicas,
                          .min_replicas = least,
                          .max_replicas = most,
                          .hosts = hosts,
                          .suspend = suspend};
  };
  const auto row = GENERATE_COPY(Row{"as it says", group(3, 1, 5), 3, 1},
                                 Row{"not below its minimum", group(1, 2, 5), 2, 2},
                                 Row{"not above its maximum", group(9, 1, 5), 5, 1},
                                 Row{"the maximum wins over the minimum", group(1, 4, 2), 2, 2},
                                 Row{"no replicas: the minimum", group({}, 2, {}), 2, 2},
                                 Row{"nothing is said", group({}, {}, {}), 0, 0},
                                 Row{"hosts of each", group(3, 1, 2, 4), 8, 4},
                                 Row{"suspended", group(3, 1, 5, 4, true), 0, 0});
  DYNAMIC_SECTION(row.name) {
    CHECK(workers_of(row.group) == row.workers);
    CHECK(least_workers_of(row.group) == row.least);
  }
}

ReplicatedJob kind(std::string name, std::vector<JobDependency> depends_on = {}) {
  ReplicatedJob job;
  job.name = std::move(name);
  job.depends_on = std::move(depends_on);
  return job;
}

TEST_CASE("kinds that wait for the same others are one stage") {
  JobSet set;
  set.jobs = {kind("data"), kind("model"),
              kind("node", {{"data", "Complete"}, {"model", "Complete"}}),
              kind("eval", {{"model", "Complete"}, {"data", "Complete"}}),
              kind("serve", {{"node", "Ready"}})};
  CHECK(stage_of(set, "data") == "data");
  CHECK(stage_of(set, "model") == "data");
  CHECK(stage_of(set, "node") == "node");
  CHECK(stage_of(set, "eval") == "node");
  CHECK(stage_of(set, "serve") == "serve");
  CHECK(stage_of(set, "unknown") == "unknown");
  CHECK_FALSE(waits_for_others(set, "model"));
  CHECK(waits_for_others(set, "node"));

  JobSet at_once;
  at_once.jobs = {kind("a"), kind("b")};
  CHECK(stage_of(at_once, "b").empty());
  at_once.in_order = true;
  CHECK(stage_of(at_once, "b") == "b");
  CHECK_FALSE(waits_for_others(at_once, "a"));
  CHECK(waits_for_others(at_once, "b"));
}

TEST_CASE("exclusive placement starts with the leader, unless a node selector does it") {
  JobSet set;
  set.jobs = {kind("a"), kind("b")};
  CHECK_FALSE(starts_with_leader(set, set.jobs[0]));
  set.jobs[0].annotations = {{job_set_exclusive_annotation, "rack"}};
  CHECK(starts_with_leader(set, set.jobs[0]));
  CHECK_FALSE(starts_with_leader(set, set.jobs[1]));
  set.meta.annotations = {{job_set_exclusive_annotation, "rack"}};
  CHECK(starts_with_leader(set, set.jobs[1]));
  set.meta.annotations[job_set_node_selector_annotation] = "true";
  CHECK_FALSE(starts_with_leader(set, set.jobs[1]));
}

TEST_CASE("workers of a LeaderWorkerSet come with their leader, or after it") {
  LeaderWorkerSet set;
  CHECK_FALSE(starts_with_leader(set));
  set.startup_policy = "LeaderCreated";
  CHECK_FALSE(starts_with_leader(set));
  set.startup_policy = "LeaderReady";
  CHECK(starts_with_leader(set));
  LeaderWorkerSet exclusive;
  exclusive.meta.annotations = {{leader_worker_exclusive_annotation, "rack"}};
  CHECK(starts_with_leader(exclusive));
}

}  // namespace
}  // namespace dray::workload_size_test
