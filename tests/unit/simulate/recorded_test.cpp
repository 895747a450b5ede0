#include "dray/simulate/recorded.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/simulate/jobs_run.h"
#include "dray/simulate/measures.h"
#include "tests/objects/gpus.h"

namespace dray::simulate::recorded_test {
namespace {

using dray::testing::at;
using std::chrono::seconds;

constexpr const char* resource = "nvidia.com/gpu";
constexpr const char* gpu_class = "gpu.nvidia.com";

Node plugin_node(const std::string& name, std::int64_t gpus) {
  auto node = dray::testing::make_node(name);
  node.allocatable[resource] = Quantity(gpus);
  return node;
}

/// A pod that asks for GPUs of a device plugin.
Pod plugin_pod(const std::string& name, std::int64_t gpus) {
  return dray::testing::of_scheduler(
      "default-scheduler", dray::testing::make_pod(name, ResourceList{{"cpu", Quantity(1)},
                                                                      {resource, Quantity(gpus)}}));
}

Pod on(Pod pod, const std::string& node) {
  pod.node_name = NodeName(node);
  return pod;
}

/// What is seen of a cluster, step by step.
struct Record {
  LoadReader reader;

  void see(const KubeObject& object, double when) { reader.see(object, at(when)); }
  void gone(Kind kind, const std::string& name, double when) {
    reader.gone({kind, "default", name, Uid()}, at(when));
  }
  /// Two nodes of four GPUs each, listed at 0.
  void begin() {
    reader.begin(at(-1));
    see(plugin_node("n0", 4), -1);
    see(plugin_node("n1", 4), -1);
    reader.synced(at(0));
  }
  RecordedLoad load(std::vector<std::string>* told = nullptr, const std::string& gpus = "") {
    std::vector<std::string> warnings;
    auto made = reader.load(gpus, warnings);
    if (told != nullptr) *told = warnings;
    REQUIRE(made);
    return *std::move(made);
  }
};

TEST_CASE("a pod is a job: when it was made, got its node, and was gone") {
  Record record;
  record.begin();
  record.see(plugin_pod("a", 2), 10);
  record.see(on(plugin_pod("a", 2), "n1"), 25);
  record.gone(Kind::pod, "a", 85);
  const auto load = record.load();
  CHECK(load.cluster.nodes.size() == 2);
  CHECK(load.cluster.gpus == GpuKind{ClassName(), resource});
  REQUIRE(load.workload.jobs.size() == 1);
  const auto& job = load.workload.jobs[0];
  CHECK(job.name == "default/a");
  CHECK(job.queue == "default");
  CHECK(job.submitted == seconds(10));
  CHECK(job.run_time == seconds(60));
  CHECK(job.ask.gpus == 2);
  CHECK(job.ask.milli_cpu == 1000);
  CHECK(load.run.jobs[0] == RecordedRun::Job{seconds(25), seconds(85), {"n1"}});
  CHECK(load.run.length == seconds(85));
}

TEST_CASE("what the record begins with is submitted at its beginning, and what it ends with ends") {
  Record record;
  record.reader.begin(at(-1));
  record.see(plugin_node("n0", 4), -1);
  auto runs = on(plugin_pod("runs", 1), "n0");
  runs.meta.created = at(-500);
  runs.conditions = {{"PodScheduled", "True", "", "", at(-400)}};
  record.see(runs, -1);
  auto over = on(plugin_pod("over", 1), "n0");
  over.phase = "Succeeded";
  record.see(over, -1);
  record.reader.synced(at(0));
  record.see(plugin_pod("waits", 4), 20);
  record.reader.passed(at(100));
  const auto load = record.load();
  REQUIRE(load.workload.jobs.size() == 2);
  CHECK(load.workload.jobs[0].name == "default/runs");
  CHECK(load.workload.jobs[0].submitted == seconds(0));
  CHECK(load.workload.jobs[0].run_time == seconds(100));
  CHECK(load.run.jobs[0] == RecordedRun::Job{seconds(0), seconds(100), {"n0"}});
  CHECK(load.workload.jobs[1].run_time == std::nullopt);
  CHECK(load.run.jobs[1] == RecordedRun::Job{});
}

/// Pods that say that they belong together, and what makes a group of them.
struct GroupRow {
  std::string name;
  std::optional<KubeObject> group;  ///< named "g"
  std::function<void(Pod&)> mark;
  std::string queue;
};

KubeObject volcano_group() {
  VolcanoGroup group;
  group.meta = dray::testing::default_meta("g");
  group.min_member = 2;
  group.queue = "blue";
  return group;
}

KubeObject kai_group() {
  KaiPodGroup group;
  group.meta = dray::testing::default_meta("g");
  group.min_member = 2;
  group.queue = "red";
  return group;
}

/// Made at 4, and suspended until it is admitted.
KubeObject kueue_job() {
  BatchJob job;
  job.meta = dray::testing::default_meta("g");
  job.meta.created = at(4);
  job.meta.labels["kueue.x-k8s.io/queue-name"] = "local";
  job.parallelism = 2;
  return job;
}

TEST_CASE("groups of all projects are jobs of as many pods, in the queues that they name") {
  const auto row = GENERATE(
      GroupRow{"Volcano", volcano_group(),
               [](Pod& pod) { pod.meta.annotations["scheduling.k8s.io/group-name"] = "g"; },
               "blue"},
      GroupRow{"KAI", kai_group(), [](Pod& pod) { pod.meta.annotations["pod-group-name"] = "g"; },
               "red"},
      GroupRow{"Kueue's pods", std::nullopt,
               [](Pod& pod) {
                 pod.meta.labels["kueue.x-k8s.io/pod-group-name"] = "g";
                 pod.meta.labels["kueue.x-k8s.io/queue-name"] = "local";
               },
               "local"},
      GroupRow{
          "Kueue's Job", kueue_job(),
          [](Pod& pod) { pod.meta.owners.push_back({"batch/v1", "Job", "g", Uid("uid-g"), true}); },
          "local"});
  CAPTURE(row.name);
  Record record;
  record.begin();
  const auto pod = [&](const std::string& name) {
    auto made = plugin_pod(name, 4);
    row.mark(made);
    return made;
  };
  // The watch of one kind may be behind the other's.
  record.see(pod("a"), 10);
  if (row.group) record.see(*row.group, 10.5);
  record.see(pod("b"), 11);
  record.see(on(pod("a"), "n0"), 20);
  record.see(on(pod("b"), "n1"), 21);
  record.gone(Kind::pod, "a", 50);
  record.gone(Kind::pod, "b", 51);
  const auto load = record.load();
  REQUIRE(load.workload.jobs.size() == 1);
  const auto& made = load.workload.jobs[0];
  CHECK(made.pods == 2);
  CHECK(made.ask.gpus == 4);
  CHECK(made.queue == row.queue);
  CHECK(load.run.jobs[0].ended == seconds(51));
  CHECK(made.submitted == (row.name == "Kueue's Job" ? seconds(4) : seconds(10)));
  CHECK(load.run.jobs[0].started == seconds(21));
}

TEST_CASE("a group made in the second of a pod comes when it is seen, after that pod") {
  Record record;
  record.begin();
  record.see(plugin_pod("first", 4), 4.2);
  record.see(kueue_job(), 4.6);
  record.see(kueue_job(), 7);  // changed since
  auto member = plugin_pod("member", 4);
  member.meta.owners.push_back({"batch/v1", "Job", "g", Uid("uid-g"), true});
  record.see(member, 8);
  const auto load = record.load();
  REQUIRE(load.workload.jobs.size() == 2);
  CHECK(load.workload.jobs[0].name == "default/first");
  CHECK(load.workload.jobs[1].submitted == std::chrono::milliseconds(4600));
}

TEST_CASE("devices of claims and GPUs of a device plugin are counted as one kind") {
  Record record;
  record.reader.begin(at(-1));
  auto device_class = dray::testing::make_class();
  device_class.meta.name = gpu_class;
  record.see(device_class, -1);
  record.see(plugin_node("n0", 4), -1);
  record.see(dray::testing::make_node("n1"), -1);
  record.see(dray::testing::make_gpus("n1", 2), -1);
  record.reader.synced(at(0));
  record.see(plugin_pod("plain", 1), 1);
  record.see(dray::testing::make_claim(
                 "c", {dray::testing::request("gpu", dray::testing::exactly(2, gpu_class))}),
             2);
  auto claims = dray::testing::with_claim(plugin_pod("claims", 0), "c");
  claims.containers.front().requests.erase(resource);
  record.see(claims, 2);
  record.reader.passed(at(10));
  std::vector<std::string> told;
  const auto load = record.load(&told);
  CHECK(load.cluster.gpus.device_class.get().empty());
  REQUIRE(load.cluster.nodes.size() == 2);
  CHECK(load.cluster.nodes[0].gpus == 4);
  CHECK(load.cluster.nodes[1].gpus == 2);
  REQUIRE(load.workload.jobs.size() == 2);
  CHECK(load.workload.jobs[0].ask.gpus == 1);
  CHECK(load.workload.jobs[1].ask.gpus == 2);
  CHECK(std::ranges::any_of(told, [](const auto& each) { return each.contains("both"); }));
  const auto devices = record.load(nullptr, gpu_class);
  CHECK(devices.cluster.gpus.device_class.get() == gpu_class);
  CHECK(devices.workload.jobs.size() == 1);
}

TEST_CASE("what is no job of a workload is left out and counted") {
  Record record;
  record.begin();
  record.see(dray::testing::make_pod("web"), 1);
  record.see(plugin_pod("gone", 1), 1);
  record.gone(Kind::pod, "gone", 2);
  auto part = dray::testing::make_pod("part");
  part.meta.annotations["gpu-fraction"] = "0.5";
  record.see(part, 3);
  record.see(plugin_pod("huge", 17), 4);
  std::vector<std::string> told;
  const auto load = record.load(&told);
  CHECK(load.workload.jobs.empty());
  CHECK(told == std::vector<std::string>{
                    "left out: 1 pods that ask for no GPU",
                    "left out: 1 pods that ask for a part of a GPU by annotation",
                    "left out: 1 pods that ask for more GPUs than a node may have here",
                    "left out: 1 jobs that were gone before they started"});
}

TEST_CASE("a recorder that began anew lists what is there; what is not is gone") {
  Record record;
  record.begin();
  record.see(on(plugin_pod("stays", 1), "n0"), 10);
  record.see(on(plugin_pod("goes", 1), "n1"), 10);
  record.reader.begin(at(60));
  record.see(plugin_node("n0", 4), 60);
  record.see(on(plugin_pod("stays", 1), "n0"), 60);
  record.reader.synced(at(61));
  record.reader.passed(at(100));
  std::vector<std::string> told;
  const auto load = record.load(&told);
  REQUIRE(load.run.jobs.size() == 2);
  CHECK(load.run.jobs[0] == RecordedRun::Job{seconds(10), seconds(61), {"n1"}});
  CHECK(load.run.jobs[1] == RecordedRun::Job{seconds(10), seconds(100), {"n0"}});
  // The cluster is the one of the moment with the most nodes.
  CHECK(load.cluster.nodes.size() == 2);
  CHECK(told.size() == 1);
}

TEST_CASE("what happened is measured as a run is, beside what a policy makes of it") {
  Record record;
  record.begin();
  // Kubernetes spread two small pods over both nodes, and a whole node had to be waited for.
  for (const auto* name : {"a", "b"}) record.see(plugin_pod(name, 1), 1);
  record.see(on(plugin_pod("a", 1), "n0"), 1);
  record.see(on(plugin_pod("b", 1), "n1"), 1);
  record.see(plugin_pod("whole", 4), 2);
  record.gone(Kind::pod, "a", 101);
  record.see(on(plugin_pod("whole", 4), "n0"), 102);
  record.gone(Kind::pod, "b", 150);
  record.gone(Kind::pod, "whole", 202);
  const auto load = record.load();
  const auto happened = std::make_shared<const RecordedRun>(load.run);
  const auto fcfs = policy_of(load.workload, false, load.cluster.gpus).value();
  const auto workload = load.workload;
  const auto setting = Setting::of(load.cluster, load.workload).value();
  JobsOptions options;
  options.keep_stays = true;
  const auto was = run_jobs(setting, {"recorded", happened}, 1, options);
  const auto would = run_jobs(setting, {"fcfs", fcfs}, 1, options);
  CHECK(measure(workload, was).all.ended == 3);
  CHECK(was.used == 100 + 149 + 4 * 100);
  CHECK(was.jobs[2].waited == seconds(100));
  CHECK(was.stays.size() == 3);
  CHECK(was.stays[2] == Stay{2, 0, 0, seconds(102), seconds(202)});
  CHECK(measure(workload, would).all.wait_p99 < 1);
}

TEST_CASE("a cluster that was not listed to its end is an error") {
  LoadReader reader;
  reader.begin(at(0));
  std::vector<std::string> warnings;
  CHECK_FALSE(reader.load("", warnings));
}

}  // namespace
}  // namespace dray::simulate::recorded_test
