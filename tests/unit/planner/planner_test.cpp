#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "dray/cluster/state.h"
#include "dray/planner/plan.h"
#include "tests/objects/gpus.h"

namespace dray::planner::planner_test {

using namespace testing;
namespace {

struct Cluster {
  cluster::ClusterState state;
  PlanInput input;

  Cluster() { tell(make_class()); }
  void tell(KubeObject object) { state.apply(cluster::ObjectChanged{std::move(object)}); }
  void node(const std::string& name, int gpus) {
    tell(make_node(name));
    tell(make_gpus(name, gpus));
  }
  void pod(const std::string& name, std::int64_t gpus) {
    tell(make_claim("c-" + name, gpus));
    auto pod = make_pod(name, "c-" + name);
    tell(pod);
    auto made = std::make_shared<const Pod>(std::move(pod));
    input.jobs.put(std::make_shared<const Job>(
        single_pod_job(std::move(made), policy::QueueName("default"), start)));
  }
  /// Runs with `gpus` devices of a node from the `first` on.
  void running(const std::string& name, const std::string& node, int first, int gpus,
               const std::string& queue) {
    auto held = make_claim("c-" + name, gpus, name);
    auto& allocation = held.allocation.emplace();
    for (int i = first; i < first + gpus; ++i) {
      auto& device = allocation.devices.emplace_back();
      device.request = "gpu";
      device.device = {DriverName("gpu.example.com"), PoolName(node),
                       DeviceName("gpu-" + std::to_string(i))};
    }
    auto pod = make_pod(name, "c-" + name, false);
    pod.node_name = NodeName(node);
    pod.phase = "Running";
    held.reserved_for.push_back(
        {.api_group = {}, .resource = "pods", .name = name, .uid = pod.meta.uid});
    tell(held);
    tell(pod);
    input.jobs.put(std::make_shared<const Job>(single_pod_job(
        std::make_shared<const Pod>(pod), policy::QueueName(queue), start, NodeName(node))));
  }
  void waiting(const std::string& name, std::int64_t gpus, const std::string& queue) {
    tell(make_claim("c-" + name, gpus, name));
    auto pod = make_pod(name, "c-" + name);
    tell(pod);
    input.jobs.put(std::make_shared<const Job>(single_pod_job(
        std::make_shared<const Pod>(std::move(pod)), policy::QueueName(queue), start)));
  }
  Plan plan() {
    input.snapshot = state.snapshot();
    input.now = start;
    Planner planner;
    return planner.plan(input);
  }
};

std::vector<std::string> nodes(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& job : plan.jobs) {
    out.push_back(job.placements.empty() ? "-" : job.placements.front().node.get());
  }
  return out;
}

TEST_CASE("jobs are placed one after another on what is left, fullest node first") {
  Cluster c;
  c.node("a", 4);
  c.node("b", 2);
  for (int i = 0; i < 7; ++i) c.pod("p" + std::to_string(i), 1);
  CHECK(nodes(c.plan()) == std::vector<std::string>{"b", "b", "a", "a", "a", "a", "-"});
}

TEST_CASE("many jobs over many nodes take every device once") {
  Cluster c;
  for (int i = 0; i < 40; ++i) c.node("n" + std::to_string(i), 8);
  for (int i = 0; i < 320; ++i) c.pod("p" + std::to_string(i), 1);
  std::set<DeviceId> taken;
  const auto plan = c.plan();
  for (const auto& job : plan.jobs) {
    REQUIRE(job.placements.size() == 1);
    for (const auto& device : job.placements[0].claims[0].allocation.devices) {
      CHECK(taken.insert(device.device).second);
    }
  }
  CHECK(taken.size() == 320);
}

TEST_CASE("the node which got furthest decides what is said, with counts beside it") {
  Cluster c;
  c.node("a", 2);
  c.node("b", 1);
  c.tell([] {
    auto node = make_node("c");
    node.unschedulable = true;
    return node;
  }());
  c.pod("p", 3);
  const auto plan = c.plan();
  CHECK(plan.jobs[0].reason == Reason::no_node_fits);
  CHECK(
      plan.jobs[0].detail ==
      "wants 3 devices of class gpu on one node; the most that a node has is 2 (a); elsewhere: the "
      "node is cordoned (1 node)");
}

TEST_CASE("a refused node is not tried, and only what is asked for is") {
  Cluster c;
  c.node("a", 1);
  c.node("b", 1);
  c.pod("p", 1);
  c.input.refused = {{Uid("uid-p"), NodeName("a")}};
  CHECK(nodes(c.plan()) == std::vector<std::string>{"b"});
  c.input.refused.clear();
  const std::vector<NodeName> only{NodeName("b")};
  c.input.only = only;
  CHECK(nodes(c.plan()) == std::vector<std::string>{"b"});
}

TEST_CASE("a pod's devices are together where the policy wants it, by any name of the level") {
  Cluster c;
  c.tell(make_node("a"));
  auto gpus = make_gpus("a", 4);
  const std::vector<const char*> sides{"left", "right", "right", "left"};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    gpus.devices[i].attributes["resource.kubernetes.io/pcieRoot"] = std::string(i < 2 ? "p" : "q");
    gpus.devices[i].attributes[i < 2 ? "x.io/side" : "y.io/side"] = std::string(sides[i]);
  }
  c.tell(gpus);
  c.pod("p", 2);
  c.input.snapshot = c.state.snapshot();
  alloc::AllocatorOptions options;
  options.mode = alloc::Mode::best;
  Planner planner(options);
  const auto devices = [&] {
    std::vector<std::string> names;
    const auto plan = planner.plan(c.input);
    for (const auto& device : plan.jobs[0].placements.at(0).claims.at(0).allocation.devices) {
      names.push_back(device.device.device.get());
    }
    return names;
  };
  const auto name = [&](std::size_t i) { return gpus.devices[i].name.get(); };
  CHECK(devices() == std::vector{name(0), name(1)});
  auto policy = policy::Policy::open();
  policy.config.alignment.prefer = {"side"};
  policy.config.alignment.aliases["side"] = {"x.io/side", "y.io/side"};
  c.input.policy = std::make_shared<const policy::Policy>(std::move(policy));
  CHECK(devices() == std::vector{name(0), name(3)});
}

TEST_CASE("the budget ends a plan, and says so") {
  Cluster c;
  for (int i = 0; i < 10; ++i) c.node("n" + std::to_string(i), 1);
  c.pod("big", 2);
  c.pod("small", 1);
  c.input.budget.nodes_tried = 5;
  const auto plan = c.plan();
  CHECK(plan.exhausted);
  CHECK(plan.nodes_tried == 5);
  CHECK(plan.jobs[0].reason == Reason::planning);
}

TEST_CASE("devices with binding conditions are taken: binding waits for them") {
  Cluster c;
  c.tell(make_node("a"));
  auto slice = make_gpus("a", 1);
  slice.devices[0].binding_conditions = {"ready"};
  slice.devices[0].binding_failure_conditions = {"failed"};
  c.tell(slice);
  c.pod("p", 1);
  const auto plan = c.plan();
  REQUIRE(nodes(plan) == std::vector<std::string>{"a"});
  const auto& devices = plan.jobs[0].placements[0].claims[0].allocation.devices;
  CHECK(devices[0].binding_conditions == std::vector<std::string>{"ready"});
}

TEST_CASE("a class behind an extended resource gives devices where the node has no plugin for it") {
  Cluster c;
  auto behind = make_class();
  behind.extended_resource_name = "example.com/gpu";
  c.tell(behind);
  c.node("devices", 2);
  auto plugin = make_node("plugin");
  plugin.allocatable["example.com/gpu"] = Quantity::parse("1").value();
  c.tell(plugin);
  const auto ask = [&](const std::string& name, const char* count) {
    Pod pod = make_pod(name, "");
    pod.resource_claims.clear();
    pod.containers.front().requests["example.com/gpu"] = Quantity::parse(count).value();
    c.tell(pod);
    c.input.jobs.put(std::make_shared<const Job>(single_pod_job(
        std::make_shared<const Pod>(std::move(pod)), policy::QueueName("default"), start)));
  };
  ask("p0", "2");
  ask("p1", "1");
  ask("p2", "1");
  const auto plan = c.plan();
  CHECK(nodes(plan) == std::vector<std::string>{"devices", "plugin", "-"});
  const auto& made = plan.jobs[0].placements[0].claims;
  REQUIRE(made.size() == 1);
  CHECK(made[0].claim.name.starts_with("p0-extended-resources-"));
  CHECK(made[0].claim_uid.get().empty());
  CHECK(made[0].allocation.devices.size() == 2);
  REQUIRE(made[0].extended);
  CHECK(made[0].extended->mappings.front().resource == "example.com/gpu");
  CHECK(plan.jobs[1].placements[0].claims.empty());
}

TEST_CASE("the policy decides where devices have to be together, from one plan to the next") {
  Cluster cluster;
  cluster.tell(make_node("n0"));
  auto slice = make_gpus("n0", 2);
  for (std::size_t i = 0; i < 2; ++i) {
    slice.devices[i].attributes["example.com/root"] = std::string(i == 0 ? "a" : "b");
  }
  cluster.tell(slice);
  cluster.pod("p", 2);
  cluster.input.snapshot = cluster.state.snapshot();
  cluster.input.now = start;
  alloc::AllocatorOptions options;
  options.mode = alloc::Mode::best;
  Planner planner(options);
  CHECK(nodes(planner.plan(cluster.input)) == std::vector<std::string>{"n0"});
  auto changed = policy::Policy::open();
  changed.config.alignment.require = {"example.com/root"};
  cluster.input.policy = std::make_shared<const policy::Policy>(std::move(changed));
  const auto refused = planner.plan(cluster.input);
  CHECK(nodes(refused) == std::vector<std::string>{"-"});
  CHECK(refused.jobs[0].reason == Reason::no_node_fits);
  cluster.input.policy = nullptr;
  CHECK(nodes(planner.plan(cluster.input)) == std::vector<std::string>{"n0"});
}

TEST_CASE("nothing is moved for a job above its queue's share while another queue is owed") {
  Cluster cluster;
  for (const auto* name : {"n0", "n1"}) cluster.node(name, 4);
  cluster.running("a0", "n0", 0, 2, "a");
  cluster.running("a1", "n1", 0, 2, "a");
  cluster.running("a2", "n1", 2, 1, "a");
  cluster.waiting("a3", 3, "a");
  const bool owed = GENERATE(true, false);
  if (owed) cluster.waiting("b0", 4, "b");
  policy::PolicyConfig config;
  policy::CountingRule rule;
  rule.device_class = ClassName("gpu");
  config.resources = {{.name = "gpu", .rules = {rule}}};
  for (const auto* name : {"a", "b"}) {
    auto& queue = config.queues.emplace_back();
    queue.name = policy::QueueName(name);
    queue.quota["gpu"] = Quantity(4);
  }
  config.reclaim.enabled = config.consolidation.enabled = true;
  cluster.input.policy = std::make_shared<const policy::Policy>(*policy::compile(config, {}));
  const auto made = cluster.plan();
  REQUIRE_FALSE(made.evictions.empty());
  CHECK(made.evictions[0].cause == (owed ? EvictionCause::reclaim : EvictionCause::consolidation));
  std::set<std::string> held;
  for (const auto& job : made.jobs) {
    if (!job.held.empty()) held.insert(job.job.get());
  }
  CHECK(held.size() == 1);
  CHECK(held.begin()->contains(owed ? "b0" : "a3"));
}

TEST_CASE("a node with a better alternative goes before a fuller one") {
  Cluster c;
  c.node("a", 2);
  c.tell(make_node("b"));
  auto fast = make_gpus("b", 4);
  for (auto& device : fast.devices) device.attributes["fast"] = true;
  c.tell(fast);
  auto claim = make_claim("c-p", 1);
  auto any = *claim.spec.requests[0].exactly;
  auto better = any;
  any.name = "any";
  better.name = "fast";
  better.selectors.push_back({R"(device.attributes["gpu.example.com"].?fast.orValue(false))"});
  claim.spec.requests[0].exactly.reset();
  claim.spec.requests[0].first_available = {better, any};
  c.tell(claim);
  auto pod = make_pod("p", "c-p");
  c.tell(pod);
  c.input.jobs.put(std::make_shared<const Job>(single_pod_job(
      std::make_shared<const Pod>(std::move(pod)), policy::QueueName("default"), start)));
  const auto plan = c.plan();
  CHECK(nodes(plan) == std::vector<std::string>{"b"});
  CHECK(plan.jobs[0].placements[0].claims[0].allocation.devices[0].request == "gpu/fast");
}

}  // namespace
}  // namespace dray::planner::planner_test
