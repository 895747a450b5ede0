#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/check.h"
#include "dray/cluster/state.h"
#include "dray/model/claim_limits.h"
#include "dray/planner/plan.h"
#include "planner/place/decisions.h"
#include "planner/place/placer.h"
#include "planner/plan_memory.h"
#include "planner/state/job_order.h"
#include "tests/objects/gpus.h"

// Small clusters for the tests of the planner: nodes with GPUs, queues that count them, and jobs
// that wait or run. All GPUs are devices of the class `gpu`, each with a claim of its pod's own.

namespace dray::planner::worlds {

using dray::testing::make_claim;
using dray::testing::make_class;
using dray::testing::make_gpus;
using dray::testing::make_node;
using dray::testing::make_pod;
using dray::testing::start;

using Names = std::vector<std::string>;

template <class T>
using Edit = std::function<void(T&)>;

/// A claim that has the first GPU of the node.
inline ResourceClaim allocated_claim(const std::string& name, const std::string& node) {
  auto claim = make_claim(name, 1);
  auto& allocation = claim.allocation.emplace();
  allocation.devices.emplace_back().request = "gpu";
  allocation.devices[0].device = {DriverName("gpu.example.com"), PoolName(node),
                                  DeviceName("gpu-0")};
  return claim;
}

/// A claim for one GPU that has as many users as it may have, but for one.
inline ResourceClaim claim_for_one_more(const std::string& name) {
  auto claim = make_claim(name, 1);
  for (std::size_t i = 0; i + 1 < max_consumers; ++i) {
    const auto user = "u" + std::to_string(i);
    claim.reserved_for.push_back(
        {.api_group = {}, .resource = "pods", .name = user, .uid = Uid(user)});
  }
  return claim;
}

class World {
 public:
  cluster::ClusterState state;
  policy::PolicyConfig config;
  policy::Topologies topologies;
  PlanInput input;  ///< all but snapshot, policy and jobs
  alloc::AllocatorOptions options;

  World() {
    tell(make_class());
    policy::CountingRule rule;
    rule.device_class = ClassName("gpu");
    config.resources = {{.name = "gpu", .rules = {rule}}};
    input.now = start;
  }

  void tell(KubeObject object) { state.apply(cluster::ObjectChanged{std::move(object)}); }

  void node(const std::string& name, int gpus, const Edit<Node>& edit = {}) {
    auto made = make_node(name);
    if (edit) edit(made);
    tell(made);
    if (gpus > 0) tell(make_gpus(name, gpus));
  }

  policy::QueueConfig& queue(const std::string& name, std::int64_t quota,
                             const std::string& parent = {}) {
    auto& made = config.queues.emplace_back();
    made.name = policy::QueueName(name);
    if (!parent.empty()) made.parent = policy::QueueName(parent);
    made.quota["gpu"] = Quantity(quota);
    return made;
  }
  void allow_all_actions() {
    config.reclaim.enabled = config.preemption.enabled = config.consolidation.enabled = true;
  }

  /// A pod alone that waits for so many GPUs.
  Job& waiting(const std::string& name, std::int64_t gpus, const std::string& queue,
               const Edit<Pod>& edit = {}) {
    return add(single_pod_job(pod(name, gpus, {}, 0, edit), policy::QueueName(queue), start));
  }
  /// One that runs with the GPUs of a node from `first` on.
  Job& running(const std::string& name, const std::string& node, int first, int gpus,
               const std::string& queue, const Edit<Pod>& edit = {}) {
    return add(single_pod_job(pod(name, gpus, node, first, edit), policy::QueueName(queue), start,
                              NodeName(node)));
  }
  /// So many that run on one GPU each, from the node's first on: prefix0, prefix1…
  void fill(const std::string& prefix, int count, const std::string& node,
            const std::string& queue) {
    for (int i = 0; i < count; ++i) running(prefix + std::to_string(i), node, i, 1, queue);
  }
  /// A gang that needs at least `minimum` of the members that are added to it.
  Job& gang(const std::string& name, const std::string& queue, int minimum) {
    Job job;
    job.uid = Uid("uid-" + name);
    job.name = job.lineage = "default/" + name;
    job.queue = policy::QueueName(queue);
    job.created = job.queued = start;
    job.gang = plain_gang(0, minimum);
    return add(std::move(job));
  }
  /// Another member of the gang, which waits, or runs with the GPUs of a node.
  void member(Job& gang, const std::string& name, int gpus, const std::string& node = {},
              int first = 0, const Edit<Pod>& edit = {}) {
    const auto id = static_cast<std::uint32_t>(gang.members.size());
    const auto where = node.empty() ? MemberState::waiting : MemberState::placed;
    gang.members.push_back({.pod = pod(name, gpus, node, first, edit), .state = where, .node = {}});
    if (!node.empty()) gang.members.back().node = NodeName(node);
    if (!gang.gang.pod_sets.empty()) gang.gang.pod_sets.front().tasks.push_back({.id = id});
  }
  void members(Job& gang, int count, int gpus) {
    for (int i = 0; i < count; ++i) member(gang, gang.name.substr(8) + std::to_string(i), gpus);
  }

  /// A pod with its claim, as the API server knows them.
  std::shared_ptr<const Pod> pod(const std::string& name, std::int64_t gpus,
                                 const std::string& node, int first, const Edit<Pod>& edit = {}) {
    auto made = make_pod(name, gpus > 0 ? "c-" + name : "", false);
    if (edit) edit(made);
    if (!node.empty()) {
      made.node_name = NodeName(node);
      made.phase = "Running";
    }
    if (gpus > 0) claim(name, gpus, node, first);
    tell(made);
    return std::make_shared<const Pod>(std::move(made));
  }

  /// One of the jobs that were added.
  Job& job(const std::string& name) {
    const auto found =
        std::ranges::find(jobs_, Uid("uid-" + name), [](const auto& job) { return job->uid; });
    DRAY_CHECK(found != jobs_.end());
    return **found;
  }

  /// The input of a plan of all this, with jobs sorted by uid.
  [[nodiscard]] PlanInput make_input() {
    if (config.queues.empty()) queue("a", 0);
    input.snapshot = state.snapshot();
    auto made = policy::compile(config, topologies);
    DRAY_CHECK(made.has_value());
    input.policy = std::make_shared<const policy::Policy>(std::move(*made));
    input.jobs = {};
    for (const auto& job : jobs_) input.jobs.put(std::make_shared<const Job>(*job));
    return input;
  }
  [[nodiscard]] Plan plan() {
    Planner planner(options);
    return planner.plan(make_input());
  }

 private:
  Job& add(Job job) { return *jobs_.emplace_back(std::make_unique<Job>(std::move(job))); }

  void claim(const std::string& pod, std::int64_t gpus, const std::string& node, int first) {
    auto made = make_claim("c-" + pod, gpus, pod);
    if (!node.empty()) {
      auto& allocation = made.allocation.emplace();
      for (int i = first; i < first + static_cast<int>(gpus); ++i) {
        auto& device = allocation.devices.emplace_back();
        device.request = "gpu";
        device.device = {DriverName("gpu.example.com"), PoolName(node),
                         DeviceName("gpu-" + std::to_string(i))};
      }
      made.reserved_for.push_back(
          {.api_group = {}, .resource = "pods", .name = pod, .uid = Uid("uid-" + pod)});
    }
    tell(made);
  }

  std::vector<std::unique_ptr<Job>> jobs_;
};

/// Queues x and y of these quotas, and all actions that make room.
inline World two_queues(std::int64_t x, std::int64_t y) {
  World world;
  world.allow_all_actions();
  world.queue("x", x);
  world.queue("y", y);
  return world;
}

/// Queue x runs x0 to x3 on all of node n0; both queues are owed two GPUs.
inline World full_node() {
  auto world = two_queues(2, 2);
  world.node("n0", 4);
  world.fill("x", 4, "n0", "x");
  return world;
}

/// Queue y runs y0 on one GPU and y1 on two of node n0, all of it evicted from x0, which waits.
inline World reclaimed_from() {
  auto world = two_queues(0, 0);
  world.node("n0", 3);
  world.running("y0", "n0", 0, 1, "y");
  world.running("y1", "n0", 1, 2, "y");
  world.waiting("x0", 1, "x").evicted_for = {{"default/y0", start + std::chrono::hours(1)},
                                             {"default/y1", start + std::chrono::hours(1)}};
  return world;
}

/// The parts of one plan, for tests of each.
struct Parts {
  PlanInput input;
  PlanMemory memory;
  PlanStart begin;
  PlanContext context;
  Overlay overlay;
  Placer placer;
  Decisions decisions;

  explicit Parts(World& world)
      : input(world.make_input()),
        memory(world.options),
        begin(memory.start(input)),
        context{input, memory.policy_of(input), begin.total},
        overlay(input.snapshot, memory.nodes(), begin.queues),
        placer(context, memory.jobs(), overlay, memory.allocator(), memory.verdicts(),
               memory.rankings()),
        decisions(begin.queues, WhyThere(context, overlay, placer.fit().everywhere(),
                                         memory.allocator().options())) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  PlanJob& job(const std::string& name) { return *memory.jobs().find(Uid("uid-" + name)); }
  Task& task(const std::string& job_name, std::size_t at = 0) { return job(job_name).tasks.at(at); }
  cluster::NodeIndex node(const std::string& name) const {
    return *input.snapshot->node(NodeName(name));
  }
  [[nodiscard]] NodeSet nodes(const std::vector<std::string>& names) const {
    NodeSet set;
    for (const auto& name : names) set.nodes.push_back(node(name));
    return set;
  }
  policy::QueueIndex queue(const std::string& name) const {
    return *context.policy.queues.find(name);
  }
  [[nodiscard]] std::string name(cluster::NodeIndex node) const {
    return input.snapshot->name(node).get();
  }
  /// GPUs that a queue holds on the overlay.
  double held(const std::string& name) { return overlay.queues()[queue(name)].allocated[gpu()]; }
  [[nodiscard]] std::size_t gpu() const {
    const auto& resources = context.policy.counting.resources();
    for (std::size_t i = 0; i < resources.size(); ++i) {
      if (resources[i].name == "gpu") return i;
    }
    return 0;
  }
  [[nodiscard]] JobOrder order(std::vector<PlanJob*> jobs = {}) {
    return {overlay.queues(), context.total, input.now, context.policy.config.aging, jobs};
  }
};

/// `node` of each placement, or `-`, by the job's name without its namespace and uid prefix.
inline std::map<std::string, std::string> placed(const Plan& plan) {
  std::map<std::string, std::string> out;
  for (const auto& job : plan.jobs) {
    auto& text = out[job.job.get().substr(4)];
    for (const auto& each : job.placements) text += (text.empty() ? "" : " ") + each.node.get();
    for (const auto& each : job.held) text += (text.empty() ? "held " : " held ") + each.node.get();
    if (text.empty()) text = "-";
  }
  return out;
}

/// Names of the pods that are evicted, in the order of the plan.
inline std::vector<std::string> evicted(const Plan& plan) {
  std::vector<std::string> pods;
  for (const auto& eviction : plan.evictions) {
    for (const auto& pod : eviction.pods) pods.push_back(pod.get().substr(4));
  }
  return pods;
}

inline const JobOutcome& outcome(const Plan& plan, const std::string& job) {
  return *std::ranges::find(plan.jobs, Uid("uid-" + job), &JobOutcome::job);
}

}  // namespace dray::planner::worlds
