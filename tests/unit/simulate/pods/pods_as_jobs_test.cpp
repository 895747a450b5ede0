#include "dray/simulate/pods_as_jobs.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <string>

#include "dray/simulate/measures.h"
#include "tests/objects/gpus.h"

namespace dray::simulate::pods_as_jobs_test {
namespace {

using namespace dray::testing;
using namespace std::chrono_literals;

/// Two nodes of four GPUs each, in one rack, and a class of all of them.
std::vector<KubeObject> cluster() {
  std::vector<KubeObject> objects{make_class()};
  for (const auto* name : {"n0", "n1"}) {
    auto node = make_node(name);
    node.meta.labels["rack"] = "r0";
    objects.emplace_back(node);
    objects.emplace_back(make_gpus(name, 4));
  }
  return objects;
}

PodRecord pod(const std::string& name, Duration created, std::optional<Duration> bound = {},
              std::optional<Duration> ended = {}, const std::string& node = "",
              std::vector<int> gpus = {}) {
  PodRecord record;
  record.pod = {"default", name};
  record.created = created;
  record.bound = bound;
  record.ended = ended;
  record.node = NodeName(node);
  record.queue = "q";
  for (const auto gpu : gpus) {
    record.devices.emplace_back().device = device_id(node, "gpu-" + std::to_string(gpu));
  }
  record.asks = {{"gpu", gpus.empty() ? 2 : std::ssize(gpus)}};
  return record;
}

PodsRun run_of(std::vector<PodRecord> pods) {
  PodsRun run;
  run.policy = "p";
  run.pods = std::move(pods);
  run.span = 100s;
  return run;
}

PodsAsJobs convert(const PodsRun& run, std::shared_ptr<const policy::PolicyConfig> policy = {}) {
  return as_jobs(cluster(), {{&run, 42, std::move(policy)}}, "gpu", Apart::each).value().front();
}

}  // namespace

TEST_CASE("a pod is a job with the devices that it had, or asks for") {
  auto waits = pod("waits", 10s);
  waits.reason = Reason::devices_in_use;
  const auto made = convert(run_of({pod("runs", 0s, 20s, 70s, "n1", {2, 3}), waits}));
  const auto& jobs = made.setting.workload().jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].name == "default/runs");
  CHECK(jobs[0].ask.gpus == 2);
  CHECK(jobs[0].run_time == 50s);
  CHECK(jobs[1].ask.gpus == 2);
  CHECK_FALSE(jobs[1].run_time);
  const auto& run = made.runs.at(0);
  CHECK(run.jobs[0].waited == 20s);
  CHECK(run.jobs[1].waited == 90s);
  CHECK(run.used == 100);
  CHECK(run.stays == std::vector<Stay>{{0, 1, 0b1100, 20s, 70s}});
  CHECK(run.waiting ==
        std::vector<WaitingFor>{{std::string(plain_text(Reason::devices_in_use)), 1}});
  const auto measures = measure(made.setting.workload(), run);
  CHECK(measures.utilisation == Approx(100 * 100.0 / 800));
}

TEST_CASE("where pods run on they hold what they have to the end of the run") {
  auto run = run_of({pod("a", 0s, 0s, {}, "n0", {0})});
  run.length = 300s;
  CHECK(convert(run).runs.at(0).used == 300);
  run.pods[0].ended = 100s;
  CHECK(convert(run).runs.at(0).span == 100s);
}

TEST_CASE("a device that pods share is held once, and counts for every class that it is of") {
  auto two = cluster();
  two.emplace_back(make_class("other", {"true"}));
  auto plugin = make_node("n2");
  plugin.allocatable["example.com/fpga"] = Quantity(2);
  two.emplace_back(plugin);
  auto third = pod("c", 0s, 0s, 50s, "n2");
  third.asks = {{"example.com/fpga", 1}};
  const auto run =
      run_of({pod("a", 0s, 0s, 50s, "n0", {0}), pod("b", 0s, 25s, 100s, "n0", {0}), third});
  const auto made = as_jobs(two, {{&run, 1, nullptr}}, "gpu", Apart::each).value().front();
  std::map<std::string, ClassUse> uses;
  for (const auto& use : made.runs.at(0).classes) uses[use.name] = use;
  CHECK(uses["gpu"] == ClassUse{"gpu", 8, 100});
  CHECK(uses["other"].used == 100);
  CHECK(uses["example.com/fpga"] == ClassUse{"example.com/fpga", 2, 50});
}

TEST_CASE("an evicted pod is gone, and waits no more") {
  auto evicted = pod("a", 0s, 0s, 40s, "n0", {0, 1});
  evicted.evicted = true;
  auto failed = pod("b", 0s, 0s, 30s, "n0", {2});
  failed.failed = true;
  const auto made = convert(run_of({evicted, failed}));
  const auto& jobs = made.runs.at(0).jobs;
  CHECK(jobs[0].evictions == 1);
  CHECK(jobs[0].lost == 40s);
  CHECK(jobs[0].waited == 0s);
  CHECK_FALSE(jobs[0].ended);
  CHECK(jobs[1].failures == 1);
  CHECK(jobs[1].evictions == 0);
}

TEST_CASE("gangs are together by node and by the policy's levels") {
  auto policy = std::make_shared<policy::PolicyConfig>();
  policy->topology = {"rack"};
  std::vector<PodRecord> pods{pod("a0", 0s, 0s, {}, "n0", {0}), pod("a1", 0s, 0s, {}, "n1", {0}),
                              pod("b0", 0s, 0s, {}, "n1", {1}), pod("b1", 0s, 0s, {}, "n1", {2}),
                              pod("c", 0s, 0s, {}, "n0", {1})};
  for (auto& each : pods) each.job = "default/" + each.pod.name.substr(0, 1);
  const auto made = convert(run_of(pods), policy);
  CHECK(made.runs.at(0).gangs == std::vector<GangSpread>{{"node", 2, 1}, {"rack", 2, 2}});
}

TEST_CASE("runs that are compared have the pods of all of them, others only their own") {
  const auto first = run_of({pod("a", 0s, 0s, {}, "n0", {0})});
  const auto second = run_of({pod("b", 5s, 6s, {}, "n0", {0}), pod("a", 0s, 0s, {}, "n0", {1})});
  const std::vector<PlayedPods> played{{&first, 1, nullptr}, {&second, 1, nullptr}};
  const auto compared = as_jobs(cluster(), played, "", Apart::compared).value();
  REQUIRE(compared.size() == 1);
  CHECK(compared[0].setting.workload().jobs.size() == 2);
  CHECK_FALSE(compared[0].runs.at(0).jobs[1].started);
  const auto each = as_jobs(cluster(), played, "", Apart::each).value();
  REQUIRE(each.size() == 2);
  CHECK(each[0].setting.workload().jobs.size() == 1);
}

TEST_CASE("without --gpus the most frequent devices are counted where the usual ones are missing") {
  const auto run = run_of({pod("a", 0s, 0s, {}, "n0", {0})});
  CHECK(as_jobs(cluster(), {{&run, 1, nullptr}}, "", Apart::each).value()[0].runs[0].gpus == 8);
  CHECK_FALSE(as_jobs({make_node("n0")}, {{&run, 1, nullptr}}, "", Apart::each));
  CHECK_FALSE(as_jobs(cluster(), {{&run, 1, nullptr}}, "no-such", Apart::each));
}

}  // namespace dray::simulate::pods_as_jobs_test
