#include "simulate/jobs/gang_domains.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/cluster/state.h"
#include "tests/objects/gpus.h"

namespace dray::simulate::gang_domains_test {
namespace {

std::shared_ptr<const cluster::Snapshot> racks() {
  cluster::ClusterState state;
  for (const auto& [name, rack] : {std::pair{"a", "r1"}, {"b", "r1"}, {"c", "r2"}, {"d", ""}}) {
    auto node = testing::make_node(name);
    if (*rack != 0) node.meta.labels["rack"] = rack;
    state.apply(cluster::ObjectChanged{node});
  }
  return state.snapshot();
}

std::vector<NodeName> nodes(std::initializer_list<const char*> names) {
  std::vector<NodeName> all;
  for (const auto* name : names) all.emplace_back(name);
  return all;
}

}  // namespace

TEST_CASE("gangs are together on a node, in a domain of a label, or not") {
  const auto snapshot = racks();
  const std::vector<std::string> levels{"rack"};
  std::vector<GangSpread> spreads;
  count_gang(spreads, nodes({"a", "a"}), *snapshot, levels);
  count_gang(spreads, nodes({"a", "b", "a"}), *snapshot, levels);
  count_gang(spreads, nodes({"b", "c"}), *snapshot, levels);
  count_gang(spreads, nodes({"a", "d"}), *snapshot, levels);
  // Where nobody says where a node is its pods are in no domain.
  count_gang(spreads, nodes({"d", "gone"}), *snapshot, levels);
  CHECK(spreads == std::vector<GangSpread>{{"node", 5, 1}, {"rack", 5, 2}});
}

TEST_CASE("levels are those of all topologies, each once") {
  policy::Policy policy = policy::Policy::open();
  policy.topologies = {{"", {"block", "rack"}}, {"other", {"zone", "rack"}}};
  CHECK(topology_levels(policy) == std::vector<std::string>{"block", "rack", "zone"});
}

TEST_CASE("gangs of runs are counted under planners and strategies, whole jobs are not") {
  Workload workload;
  for (const auto pods : {1, 2, 2}) {
    auto& job = workload.jobs.emplace_back();
    job.queue = "q";
    job.pods = pods;
    job.ask = {.milli_cpu = 1000, .gpus = pods == 1 ? 0 : 4, .gpu_milli = whole_gpu};
  }
  const std::vector<GpuNode> fleet{
      {"a", 64'000, 64'000, 8, "m"}, {"b", 64'000, 64'000, 4, "m"}, {"c", 64'000, 64'000, 4, "m"}};
  const auto setting = Setting::make(fleet, std::move(workload)).value();
  for (const auto& scheduler : {Scheduler{"bestfit", Strategy::best_fit},
                                Scheduler{"fcfs", policy_of(setting.workload(), false).value()}}) {
    const auto run = run_jobs(setting, scheduler, 1);
    REQUIRE(run.gangs.size() == 1);
    CHECK(run.gangs[0].level == "node");
    CHECK(run.gangs[0].gangs == 2);
    CHECK(run.gangs[0].together == 1);
  }
}

}  // namespace dray::simulate::gang_domains_test
