#include "dray/policy/capacity.h"

#include <catch2/catch.hpp>

#include "trees.h"

namespace dray::policy::capacity_test {

namespace {

QueueTree two_levels(double top_limit, double leaf_limit, double quota) {
  auto top = spec("top", "", quota);
  auto leaf = spec("leaf", "top", quota);
  top.limit = amounts({top_limit});
  leaf.limit = amounts({leaf_limit});
  return tree_of({top, leaf});
}

}  // namespace

TEST_CASE("the first queue upwards without room refuses") {
  auto tree = two_levels(4, 3, 0);
  const auto leaf = at(tree, "leaf");
  tree.add_allocated(leaf, amounts({2}), true);
  CHECK_FALSE(over_limit(tree, leaf, amounts({1})));
  const auto refusal = over_limit(tree, leaf, amounts({2}));
  REQUIRE(refusal);
  CHECK(*refusal == CapacityRefusal{CapacityRule::limit, leaf, 0, 3, 2, 2});
  tree = two_levels(2, unlimited, 0);
  CHECK(over_limit(tree, leaf, amounts({3}))->queue == at(tree, "top"));
}

TEST_CASE("a queue above its limit refuses only what it has too much of") {
  auto tree = two_levels(unlimited, 1, 0);
  tree.add_allocated(at(tree, "leaf"), amounts({5}), true);
  CHECK_FALSE(over_limit(tree, at(tree, "leaf"), amounts({0})));
  CHECK(over_limit(tree, at(tree, "leaf"), amounts({0.1})));
}

TEST_CASE("what is not preemptible has to fit the quota of every queue above") {
  auto tree = two_levels(unlimited, unlimited, 2);
  const auto leaf = at(tree, "leaf");
  tree.add_allocated(leaf, amounts({5}), true);
  tree.add_allocated(leaf, amounts({1}), false);
  CHECK_FALSE(check_capacity(tree, leaf, amounts({1}), false));
  CHECK_FALSE(check_capacity(tree, leaf, amounts({9}), true));
  const auto refusal = check_capacity(tree, leaf, amounts({2}), false);
  REQUIRE(refusal);
  CHECK(refusal->rule == CapacityRule::nonpreemptible_quota);
  tree[at(tree, "top")].quota = amounts({1});
  CHECK(check_capacity(tree, leaf, amounts({1}), false)->queue == at(tree, "top"));
}

TEST_CASE("a refusal is told in the units of its resource") {
  struct Row {
    Resource resource;
    CapacityRefusal refusal;
    std::string want;
  };
  const auto tree = tree_of({spec("team")});
  const auto team = at(tree, "team");
  const auto row = GENERATE_REF(values<Row>({
      {{"gpu", ResourceUnit::devices},
       {CapacityRule::limit, team, 0, 8, 6, 4},
       "team quota has reached the allowable limit of GPUs. Limit is 8 GPUs, currently 6 GPUs "
       "allocated and workload requested 4 GPUs"},
      {{"cpu", ResourceUnit::millicores},
       {CapacityRule::limit, team, 0, 16000, 12000, 8500},
       "team quota has reached the allowable limit of CPU cores. Limit is 16 cores, currently 12 "
       "cores allocated and workload requested 8.5 cores"},
      {{"memory", ResourceUnit::bytes},
       {CapacityRule::limit, team, 0, 500e9, 400e9, 200e9},
       "team quota has reached the allowable limit of memory. Limit is 500 GB, currently 400 GB "
       "allocated and workload requested 200 GB"},
      {{"gpu", ResourceUnit::devices},
       {CapacityRule::nonpreemptible_quota, team, 0, 1, 0.4, 1.2000000000000002},
       "Non-preemptible workload is over quota. Workload requested 1.2000000000000002 GPUs, but "
       "team quota is 1 GPUs, while 0.4 GPUs are already allocated for non-preemptible pods. Use a "
       "preemptible workload to go over quota."},
      {{"gpu", ResourceUnit::devices},
       {CapacityRule::nonpreemptible_quota, team, 0, 100000, 0, 1000000},
       "Non-preemptible workload is over quota. Workload requested 1e+06 GPUs, but team quota is "
       "100000 GPUs, while 0 GPUs are already allocated for non-preemptible pods. Use a "
       "preemptible "
       "workload to go over quota."},
      {{"cpu", ResourceUnit::millicores},
       {CapacityRule::nonpreemptible_quota, team, 0, 3000, 3000, 1000},
       "Non-preemptible workload is over quota. Workload requested 1 CPU cores, but team quota is "
       "3 "
       "cores, while 3 cores are already allocated for non-preemptible pods. Use a preemptible "
       "workload to go over quota."},
      {{"memory", ResourceUnit::bytes},
       {CapacityRule::nonpreemptible_quota, team, 0, 3e9, 1e9, 2.5e9},
       "Non-preemptible workload is over quota. Workload requested 2.5 GB memory, but team quota "
       "is "
       "3 GB, while 1 GB are already allocated for non-preemptible pods. Use a preemptible "
       "workload "
       "to go over quota."},
      {{"nic", ResourceUnit::devices},
       {CapacityRule::limit, team, 0, 1, 1, 1},
       "team quota has reached the allowable limit of nic. Limit is 1 nic, currently 1 nic "
       "allocated and workload requested 1 nic"},
  }));
  DYNAMIC_SECTION(row.want) {
    CHECK(message(row.refusal, tree, {row.resource}) == row.want);
  }
}

}  // namespace dray::policy::capacity_test
