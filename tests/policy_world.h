#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/check.h"
#include "dray/cluster/state.h"
#include "dray/planner/plan.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

// Clusters of nodes with eight GPUs, queues and jobs for the policy benchmarks; as KAI's tests make
// theirs. GPUs are a node resource (as in those), or devices of a slice.

namespace dray::bench {

using namespace testing;

enum class Gpus { node_resource, slices };

constexpr const char* gpu_resource = "nvidia.com/gpu";
constexpr Time bench_start = Time(std::chrono::hours(24 * 365 * 60));

class PolicyWorld {
 public:
  explicit PolicyWorld(Gpus kind) : kind_(kind) {
    config_.queues_from = policy::QueueSource::kai;
    policy::CountingRule rule;
    if (kind == Gpus::slices) {
      rule.device_class = ClassName("gpu");
      tell(make_class());
    } else {
      rule.node_resource = gpu_resource;
    }
    config_.resources.push_back({.name = "gpu", .rules = {rule}});
    config_.reclaim.enabled = config_.preemption.enabled = config_.consolidation.enabled = true;
    config_.budgets.victim_cooldown = Duration{0};
  }

  void queue(const std::string& name, const std::string& parent, std::int64_t quota,
             std::int64_t weight, std::optional<std::int64_t> limit = {}) {
    policy::QueueConfig made;
    made.name = policy::QueueName(name);
    if (!parent.empty()) made.parent = policy::QueueName(parent);
    made.quota["gpu"] = Quantity(quota);
    made.quota["cpu"] = std::nullopt;
    made.quota["memory"] = std::nullopt;
    if (limit) made.limit["gpu"] = Quantity(*limit);
    made.over_quota_weight.all = Quantity(weight);
    config_.queues.push_back(std::move(made));
  }
  void topology(std::vector<std::string> levels) { config_.topology = std::move(levels); }

  void node(const std::string& name, std::int64_t gpus, Labels labels = {}) {
    auto made = make_node(name, std::move(labels));
    made.allocatable = {{"cpu", Quantity(20'000)},
                        {"memory", Quantity(2'000'000'000'000)},
                        {"pods", Quantity(110)}};
    if (kind_ == Gpus::node_resource) {
      made.allocatable[gpu_resource] = Quantity(gpus);
    } else {
      std::vector<Device> devices;
      for (std::int64_t i = 0; i < gpus; ++i) devices.push_back(device(std::to_string(i)));
      tell(make_slice(name, std::move(devices)));
    }
    tell(made);
  }

  struct Ask {
    std::string name;
    std::string queue;
    std::int64_t gpus = 1;
    int pods = 1;
    std::string on;  ///< node of all pods; empty: they wait
    std::string required;
    bool preemptible = true;
    int priority = 50;
    int minimum = 0;                       ///< of the pods; 0: all
    std::vector<std::string> places = {};  ///< if any: the node of each pod, empty where it waits
    std::vector<planner::EvictedFor> evicted_for = {};
  };
  void job(const Ask& ask) {
    auto made = std::make_shared<planner::Job>();
    made->uid = Uid(ask.name);
    made->name = ask.name;
    made->queue = policy::QueueName(ask.queue);
    made->priority = ask.priority;
    made->preemptible = ask.preemptible;
    made->created = made->queued = bench_start + std::chrono::seconds(jobs_made_++);
    made->lineage = ask.name;
    made->evicted_for = ask.evicted_for;
    for (int i = 0; i < ask.pods; ++i) {
      const auto& on = ask.places.empty() ? ask.on : ask.places[static_cast<std::size_t>(i)];
      auto pod = pod_of(ask, fmt::format("{}-{}", ask.name, i), on);
      planner::Member member{.pod = pod, .state = planner::MemberState::waiting, .node = {}};
      if (!on.empty()) {
        member.state = planner::MemberState::placed;
        member.node = NodeName(on);
      }
      made->members.push_back(std::move(member));
    }
    made->gang =
        planner::plain_gang(made->members.size(), ask.minimum > 0 ? ask.minimum : ask.pods);
    made->gang.topology.required = ask.required;
    jobs_.push_back(std::move(made));
  }
  void drop_pod(const std::string& pod, const std::string& job) {
    state_.apply(cluster::ObjectGone{Kind::pod, "default", pod, Uid(pod)});
    if (kind_ == Gpus::slices) {
      state_.apply(
          cluster::ObjectGone{Kind::resource_claim, "default", "c-" + pod, Uid("c-" + pod)});
    }
    std::erase_if(jobs_, [&](const auto& each) { return each->uid == Uid(job); });
  }

  /// The job of that uid, as it is now.
  [[nodiscard]] std::shared_ptr<const planner::Job> find_job(const Uid& uid) const {
    return *std::ranges::find(jobs_, uid, [](const auto& job) { return job->uid; });
  }

  /// The pods that a plan places run from now on.
  void start(const planner::Plan& plan) {
    for (const auto& outcome : plan.jobs) {
      if (outcome.placements.empty()) continue;
      const auto at =
          std::ranges::find(jobs_, outcome.job, [](const auto& job) { return job->uid; });
      auto changed = std::make_shared<planner::Job>(**at);
      for (const auto& placement : outcome.placements) start_pod(*changed, placement);
      *at = std::move(changed);
    }
  }

  planner::PlanInput input(planner::Actions actions) {
    if (!policy_) {
      auto made = policy::compile(config_);
      DRAY_CHECK(made.has_value());
      // Queues are as old as they were made: names decide nothing.
      for (std::size_t i = 0; i < config_.queues.size(); ++i) {
        const auto index = made->queues.find(config_.queues[i].name.get());
        made->queues[*index].created = bench_start + std::chrono::seconds(i);
      }
      policy_ = std::make_shared<const policy::Policy>(std::move(*made));
    }
    planner::PlanInput input;
    input.snapshot = state_.snapshot();
    input.policy = policy_;
    input.jobs = planner::JobList(jobs_);
    input.actions = actions;
    input.budget = {
        .jobs = 100'000, .nodes_tried = 100'000'000, .evictions = 100'000, .scenarios = 100'000};
    input.now = bench_start + std::chrono::hours(10);
    return input;
  }

 private:
  void start_pod(planner::Job& job, const Placement& placement) {
    const auto member = std::ranges::find(job.members, placement.pod_uid,
                                          [](const auto& each) { return each.pod->meta.uid; });
    auto pod = *member->pod;
    pod.node_name = placement.node;
    pod.phase = "Running";
    member->state = planner::MemberState::placed;
    member->node = placement.node;
    member->pod = std::make_shared<const Pod>(pod);
    tell(std::move(pod));
    for (const auto& part : placement.claims) {
      auto claim = claims_.at(part.claim.name);
      claim.allocation = part.allocation;
      claim.reserved_for.push_back({.api_group = {},
                                    .resource = "pods",
                                    .name = placement.pod.name,
                                    .uid = placement.pod_uid});
      tell(std::move(claim));
    }
  }
  void tell(KubeObject object) { state_.apply(cluster::ObjectChanged{std::move(object)}); }

  std::shared_ptr<const Pod> pod_of(const Ask& ask, const std::string& name,
                                    const std::string& on) {
    ResourceList requests{{"cpu", Quantity(1)}, {"memory", Quantity(1'000'000'000)}};
    if (kind_ == Gpus::node_resource) requests[gpu_resource] = Quantity(ask.gpus);
    auto pod = make_pod(name, std::move(requests));
    pod.meta.uid = Uid(name);
    if (!on.empty()) {
      pod.node_name = NodeName(on);
      pod.phase = "Running";
    }
    if (kind_ == Gpus::slices) {
      pod = with_claim(std::move(pod), "c-" + name, "gpu");
      claim(ask, name, on);
    }
    tell(pod);
    return std::make_shared<const Pod>(std::move(pod));
  }

  void claim(const Ask& ask, const std::string& pod, const std::string& on) {
    auto claim = make_claim("c-" + pod, ask.gpus, pod);
    claim.meta.uid = Uid(claim.meta.name);
    claim.meta.owners.front().uid = Uid(pod);
    if (!on.empty()) {
      std::vector<DeviceId> devices;
      for (std::int64_t i = 0; i < ask.gpus; ++i) {
        devices.push_back(device_id(on, std::to_string(next_device_[on]++)));
      }
      claim.allocation = allocation(std::move(devices));
      claim.reserved_for.push_back(consumer(pod, Uid(pod)));
    }
    claims_[claim.meta.name] = claim;
    tell(std::move(claim));
  }

  Gpus kind_;
  policy::PolicyConfig config_;
  std::shared_ptr<const policy::Policy> policy_;
  cluster::ClusterState state_;
  std::vector<std::shared_ptr<const planner::Job>> jobs_;
  std::map<std::string, std::int64_t> next_device_;
  std::map<std::string, ResourceClaim> claims_;
  int jobs_made_ = 0;
};

}  // namespace dray::bench
