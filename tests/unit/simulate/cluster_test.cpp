#include "dray/simulate/cluster.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cstddef>
#include <set>

#include "dray/model/pod_claim.h"
#include "dray/simulate/cluster_copies.h"
#include "dray/simulate/jobs_run.h"
#include "dray/simulate/trace.h"
#include "tests/objects/gpus.h"

namespace dray::simulate::cluster_test {
namespace {

using Catch::Contains;
using std::chrono::seconds;

constexpr const char* of_gpus = "device.driver == 'gpu.nvidia.com'";

/// A node, and a slice of so many devices of a driver, which is not there if none.
std::vector<KubeObject> node_with(const std::string& name, int devices,
                                  const std::string& driver = "gpu.nvidia.com") {
  Node node;
  node.meta.name = name;
  node.meta.uid = Uid(name);
  node.allocatable = {
      {"cpu", Quantity(64)}, {"memory", Quantity(1LL << 36)}, {"pods", Quantity(110)}};
  if (devices == 0) return {node};
  ResourceSlice slice;
  slice.meta.name = name + "-" + driver;
  slice.meta.uid = Uid(slice.meta.name);
  slice.driver = DriverName(driver);
  slice.pool = PoolName(name);
  slice.scope.node_name = NodeName(name);
  for (int i = 0; i < devices; ++i) {
    slice.devices.emplace_back().name = DeviceName(fmt::format("gpu-{}", i));
  }
  return {node, slice};
}

DeviceClass class_of(const std::string& name, const std::string& expression) {
  DeviceClass device_class;
  device_class.meta.name = name;
  device_class.meta.uid = Uid(name);
  device_class.selectors.emplace_back().cel = expression;
  return device_class;
}

std::vector<KubeObject> cluster(std::vector<std::vector<KubeObject>> parts) {
  std::vector<KubeObject> objects{class_of("gpu.nvidia.com", of_gpus)};
  for (auto& part : parts) objects.insert(objects.end(), part.begin(), part.end());
  return objects;
}

template <class T>
T& as(std::vector<KubeObject>& objects) {
  for (auto& object : objects) {
    if (auto* one = std::get_if<T>(&object)) return *one;
  }
  throw std::runtime_error("no such object");
}

JobsRun play(const Cluster& cluster, const std::string& rows, const std::string& policy) {
  auto jobs = read_jobs_csv("name,submit,run_time,gpus,pods,queue\n" + rows).value().value;
  Scheduler scheduler{policy, policy_of(jobs, policy == "fair", cluster.gpus).value()};
  return run_jobs(Setting::of(cluster, std::move(jobs)).value(), scheduler, 1);
}

}  // namespace

TEST_CASE("the devices of the class are a node's GPUs") {
  std::vector<std::string> warnings;
  auto two = node_with("b", 2);
  as<ResourceSlice>(two).devices[1].taints.push_back({"broken", "", "NoSchedule", {}});
  const auto read =
      cluster_of(cluster({node_with("a", 4), two, node_with("c", 3, "other")}), "", warnings);
  REQUIRE(read);
  CHECK(read->gpus == GpuKind{ClassName("gpu.nvidia.com"), "nvidia.com/gpu"});
  REQUIRE(read->nodes.size() == 3);
  CHECK(read->nodes[0] == GpuNode{"a", 64'000, 1 << 16, 4, "gpu"});
  CHECK(read->nodes[1].gpus == 1);
  CHECK(read->nodes[2].gpus == 0);
  CHECK(warnings.empty());
}

TEST_CASE("without devices a device plugin's resource counts, or what is named") {
  std::vector<std::string> warnings;
  auto plugin = node_with("a", 0);
  as<Node>(plugin).allocatable["nvidia.com/gpu"] = Quantity(8);
  CHECK(cluster_of(plugin, "", warnings)->gpus == GpuKind{ClassName(), "nvidia.com/gpu"});
  CHECK(cluster_of(plugin, "", warnings)->nodes.at(0).gpus == 8);
  as<Node>(plugin).allocatable = {{"amd.com/gpu", Quantity(4)}};
  CHECK(cluster_of(plugin, "amd.com/gpu", warnings)->nodes.at(0).gpus == 4);
  CHECK_THAT(cluster_of(plugin, "", warnings).error().message,
             Contains("no node has gpu.nvidia.com or nvidia.com/gpu; --gpus takes what there is: "
                      "amd.com/gpu (4)"));
  CHECK_THAT(cluster_of(node_with("a", 0), "x", warnings).error().message,
             Contains("no node has x; there are no devices at all"));
  CHECK(cluster_of({}, "", warnings).error().message == "no node in it");
}

TEST_CASE("nodes that take no jobs are left out, but those whose taint is for the GPUs") {
  std::vector<std::string> warnings;
  auto cordoned = node_with("a", 1);
  as<Node>(cordoned).unschedulable = true;
  auto tainted = node_with("b", 1);
  as<Node>(tainted).taints = {{"maintenance", "", "NoExecute"}};
  auto for_gpus = node_with("c", 1);
  as<Node>(for_gpus).taints = {{"nvidia.com/gpu", "present", "NoSchedule"}};
  const auto read =
      cluster_of(cluster({cordoned, tainted, for_gpus, node_with("d", 17)}), "", warnings);
  REQUIRE(read);
  REQUIRE(read->nodes.size() == 1);
  CHECK(read->nodes[0].name == "c");
  CHECK(read->objects.all().size() == 3);  // with its slice and the class
  CHECK(warnings == std::vector<std::string>{"3 nodes are left out, the first: a (cordoned)"});
  CHECK(play(*read, "j,0,10,1,1,q\n", "fcfs").jobs.at(0).ended == seconds(10));
}

TEST_CASE("pods of DaemonSets keep their room, and others are gone") {
  std::vector<std::string> warnings;
  auto objects = cluster({node_with("a", 1)});
  for (const auto* kind : {"DaemonSet", "Job"}) {
    Pod pod;
    pod.meta.namespace_name = "x";
    pod.meta.name = kind;
    pod.meta.uid = Uid(kind);
    pod.meta.owners.push_back({.api_version = "v1", .kind = kind, .name = "o", .uid = Uid("o")});
    pod.node_name = NodeName("a");
    pod.phase = "Running";
    pod.containers.emplace_back().requests = {{"cpu", Quantity(3)}};
    objects.emplace_back(pod);
  }
  const auto read = cluster_of(objects, "", warnings);
  CHECK(read->nodes.at(0).milli_cpu == 61'000);
}

TEST_CASE("jobs claim devices, wait for them, and give them back") {
  std::vector<std::string> warnings;
  const auto read =
      cluster_of(cluster({node_with("a", 8), node_with("b", 8)}), "", warnings).value();
  const auto policy = GENERATE("fcfs", "fair");
  const auto run =
      play(read, "one,0,100,8,1,q\ntwo,0,50,8,1,q\ngang,10,30,8,2,q\nsmall,60,5,1,1,q\n", policy);
  REQUIRE(run.jobs.size() == 4);
  CHECK(run.jobs[1].ended == seconds(50));
  CHECK(run.jobs[2].started == seconds(100));
  CHECK(run.jobs[3].started == seconds(60));
  CHECK(run.used == 8 * 100 + 8 * 50 + 16 * 30 + 5);
}

TEST_CASE("devices that are counted by their class are taken back for a queue's share") {
  std::vector<std::string> warnings;
  const auto read =
      cluster_of(cluster({node_with("a", 8), node_with("b", 8)}), "", warnings).value();
  const auto run = play(read, "a1,0,1000,8,1,a\na2,0,1000,8,1,a\nb1,100,10,8,1,b\n", "fair");
  CHECK(run.jobs[2].started == seconds(100));
  CHECK(run.jobs[0].evictions + run.jobs[1].evictions == 1);
  CHECK(run.jobs[0].ended.value() + run.jobs[1].ended.value() == seconds(1000 + 1110));
}

TEST_CASE("a policy counts what jobs ask for, or not") {
  const auto by_class =
      policy_of({}, false, {ClassName("gpu.nvidia.com"), "nvidia.com/gpu"}).value();
  CHECK(counts_gpus(*by_class, {ClassName("gpu.nvidia.com"), "nvidia.com/gpu"}));
  CHECK_FALSE(counts_gpus(*by_class, {ClassName("gpu.amd.com"), "amd.com/gpu"}));
  CHECK_FALSE(counts_gpus(*by_class, {}));
  CHECK(counts_gpus(*policy_of({}, false).value(), {}));
}

TEST_CASE("copies of a node have names and pools of their own") {
  auto objects = cluster({node_with("box-1", 2), node_with("box-0", 1), node_with("other-0", 8)});
  const auto copies = copies_of(objects, "box", 3);
  REQUIRE(copies);
  CHECK(copies->all().size() == 1 + 3 * 2);
  std::vector<std::string> warnings;
  const auto read = cluster_of(*copies, "", warnings).value();
  REQUIRE(read.nodes.size() == 3);
  CHECK(read.nodes[2].name == "box-000002");
  CHECK(read.nodes[2].gpus == 1);
  CHECK(copies_of(objects, "bax", 3).error().message ==
        "no kind of node bax; there are box, other");
}

/// So many copies of a node of eight GPUs, of which the stream remembers where they were.
Cluster counted_copies(std::size_t nodes, std::set<const KubeObject*>& places, std::size_t& made) {
  const auto copies = copies_of(cluster({node_with("box-0", 8)}), "box", nodes).value();
  const auto counted = copies.with([&](const KubeObject& object, const auto& visit) {
    places.insert(&object);
    ++made;
    visit(object);
  });
  std::vector<std::string> warnings;
  return cluster_of(counted, "", warnings).value();
}

TEST_CASE("a cluster of copies is never in memory as objects") {
  constexpr std::size_t nodes = 3000;
  std::set<const KubeObject*> places;
  std::size_t made = 0;
  const auto read = counted_copies(nodes, places, made);
  CHECK(read.nodes.size() == nodes);
  const auto run = play(read, "one,0,100,8,1,q\ngang,10,30,8,3000,q\n", "fcfs");
  CHECK(run.jobs[1].started == seconds(100));
  // Once to see what there is, once for the run; the class is kept, and a copy of node and slice
  // lives from one to the next.
  CHECK(made == 2 * (1 + 2 * nodes));
  CHECK(places.size() <= std::size_t{2} * (1 + 2));
}

TEST_CASE("a cluster of copies runs as one of the same objects in a list does") {
  const auto copies =
      copies_of(cluster({node_with("box-0", 8), node_with("box-1", 4)}), "box", 3).value();
  std::vector<std::string> warnings;
  const auto made = cluster_of(copies, "", warnings).value();
  const auto kept = cluster_of(copies.all(), "", warnings).value();
  CHECK(made.nodes == kept.nodes);
  CHECK(made.objects.all() == kept.objects.all());
  const auto* rows = "one,0,100,8,1,q\ngang,10,30,8,3,r\nlast,20,7,3,1,q\n";
  CHECK(play(made, rows, "fair") == play(kept, rows, "fair"));
}

}  // namespace dray::simulate::cluster_test
