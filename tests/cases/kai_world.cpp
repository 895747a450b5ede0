#include "tests/cases/kai_world.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "dray/cluster/state.h"
#include "tests/cases/kai_parts.h"
#include "tests/cases/policy_case.h"

namespace dray::cases {

KaiWorld::KaiWorld(const Json& json) : json_(json), now_(test_start) {
  for (const auto& job : json.at("jobs")) {
    for (const auto& task : job.at("tasks")) {
      const auto type = task.at("gpu").value("type", "");
      sharing_ = sharing_ || type == "Fraction" || type == "GpuMemory";
    }
  }
  device_memory_ = json.at("config").value("minNodeGpuMemoryMiB", 100.0);
  read_nodes();
  read_dra();
  read_numa();
  read_tasks();
  allocate_running();
  read_policy();
}

void KaiWorld::read_policy() {
  policy::PolicyConfig config;
  config.queues_from = policy::QueueSource::kai;
  policy::CountedResource gpu{.name = "gpu", .rules = {}};
  for (const auto& made : classes_) {
    // KAI takes a class for a GPU by its name.
    const bool counts = made.meta.name.contains("gpu") || made.meta.name.contains("mig");
    if (!counts) continue;
    policy::CountingRule rule;
    rule.device_class = ClassName(made.meta.name);
    if (sharing_ && made.meta.name == "gpu") {
      rule.capacity = "memory";
      rule.per = Quantity(std::llround(device_memory_ * 1000));
    }
    gpu.rules.push_back(rule);
  }
  config.resources.push_back(gpu);
  for (const auto& queue : json_.at("queues")) {
    policy::QueueConfig made;
    made.name = policy::QueueName(queue.at("name").get<std::string>());
    if (const auto parent = queue.value("parent", ""); !parent.empty()) {
      made.parent = policy::QueueName(parent);
    }
    made.priority = queue.value("priority", 100);
    if (queue.contains("preemptMinRuntimeSec")) {
      made.preempt_min_runtime = seconds_of(queue["preemptMinRuntimeSec"]);
    }
    if (queue.contains("reclaimMinRuntimeSec")) {
      made.reclaim_min_runtime = seconds_of(queue["reclaimMinRuntimeSec"]);
    }
    config.queues.push_back(std::move(made));
  }
  const auto& settings = json_.at("config");
  config.preemption.enabled = config.reclaim.enabled = config.consolidation.enabled = true;
  const auto most = settings.value("maxConsolidationPreemptees", -1);
  config.consolidation.max_jobs = most < 0 ? 100'000 : most;
  config.gangs.stale_after = seconds_of(settings.value("stalenessGraceSec", Json(0)));
  config.budgets.victim_cooldown = Duration{0};
  bool orders_shares = false;
  bool spreads_shares = false;
  for (const auto& plugin : settings.value("plugins", Json::array())) {
    orders_shares = orders_shares || plugin.value("name", "") == "gpusharingorder";
    spreads_shares = spreads_shares || plugin.value("name", "") == "gpuspread";
    if (plugin.value("name", "") != "nodeplacement") continue;
    const auto arguments = plugin.value("arguments", Json::object());
    for (const auto* resource : {"gpu", "cpu"}) {
      if (arguments.value(resource, "") == "spread") {
        config.placement[resource] = policy::PlacementStrategy::spread;
      }
    }
  }
  // Without that plugin, KAI's nodes with shared devices are as any others.
  const auto placed = config.placement.find("gpu");
  if (!orders_shares && placed != config.placement.end()) config.shares = placed->second;
  if (spreads_shares) config.shares = policy::PlacementStrategy::spread;
  policy::Topologies topologies;
  for (const auto& topology : json_.value("topologies", Json::array())) {
    auto& levels = topologies[topology.at("name").get<std::string>()];
    for (const auto& level : topology.at("levels")) {
      levels.push_back(level.at("nodeLabel").get<std::string>());
    }
  }
  auto made = policy::compile(std::move(config), std::move(topologies));
  if (!made) throw std::runtime_error(made.error().message);
  for (const auto& queue : json_.at("queues")) {
    const auto index = made->queues.find(queue.at("name").get<std::string>());
    const auto read = read_queue(queue, "name");
    auto& to = made->queues[*index];
    to.created = minutes_from_start(queue, "createdMin");
    to.quota = read.quota;
    to.limit = read.limit;
    to.over_quota_weight = read.over_quota_weight;
  }
  policy_ = std::make_shared<const policy::Policy>(std::move(*made));
}

void KaiWorld::read_tasks() {
  for (const auto& job : json_.at("jobs")) {
    const auto name_space = job.value("namespace", "test");
    for (const auto& json : job.at("tasks")) {
      Task task;
      task.json = &json;
      task.uid = json.at("uid").get<std::string>();
      task.job = job.at("name").get<std::string>();
      task.status = json.at("status").get<std::string>();
      task.node = json.value("node", "");
      for (const auto& claim : json.value("resourceClaims", Json::array())) {
        task.claims.push_back(claim.at("resourceClaimName").get<std::string>());
      }
      add_device_claim(task, json.at("gpu"), name_space);
      add_zone_claim(task, name_space);
      tasks_.emplace(task.uid, std::move(task));
    }
  }
}

planner::PlanInput KaiWorld::input(const planner::Actions& actions) {
  cluster::ClusterState state;
  const auto tell = [&](KubeObject object) {
    state.apply(cluster::ObjectChanged{std::move(object)});
  };
  for (const auto& made : classes_) tell(made);
  for (const auto& node : nodes_) tell(node);
  for (const auto& slice : slices_) tell(slice);
  for (const auto& [name, claim] : claims_) tell(claim.object);
  planner::PlanInput input;
  for (const auto& json : json_.at("jobs")) {
    auto job = job_of(json);
    for (const auto& member : job->members) {
      if (member.state != planner::MemberState::done) tell(*member.pod);
    }
    input.jobs.push_back(std::move(job));
  }
  std::ranges::sort(input.jobs, {}, [](const auto& job) { return job->uid; });
  input.snapshot = state.snapshot();
  input.policy = policy_;
  input.actions = actions;
  input.holds = holds_;
  input.refused = refused_by_pods();
  input.budget = {
      .jobs = 100'000, .nodes_tried = 10'000'000, .evictions = 100'000, .scenarios = 100'000};
  input.now = now_;
  return input;
}

void KaiWorld::apply(const planner::Plan& plan) {
  const auto put = [&](const Placement& placement, const char* status) {
    auto& task = tasks_.at(placement.pod_uid.get());
    task.status = status;
    task.node = placement.node.get();
    task.devices.clear();
    for (const auto& part : placement.claims) {
      for (const auto& device : part.allocation.devices) task.devices.push_back(device.device);
    }
  };
  holds_.clear();
  for (const auto& eviction : plan.evictions) {
    log_ += std::string(name(eviction.cause)) + ": " + eviction.detail + "; ";
    for (const auto& pod : eviction.pods) {
      tasks_.at(pod.get()).status = "Releasing";
      ++evictions;
    }
    for (const auto& placement : eviction.moved) {
      put(placement, "Pipelined");
      ++pipelines;
    }
  }
  reasons_.clear();
  for (const auto& job : plan.jobs) {
    if (job.reason != Reason::none) {
      reasons_[job.job.get()] = std::string(name(job.reason)) + ": " + job.detail;
    }
    for (const auto& placement : job.placements) {
      put(placement, "Binding");
      ++binds;
      for (const auto& part : placement.claims) {
        auto& claim = claims_.at(part.claim.name).object;
        claim.allocation = part.allocation;
        claim.reserved_for.push_back({.api_group = {},
                                      .resource = "pods",
                                      .name = placement.pod.name,
                                      .uid = placement.pod_uid});
      }
    }
    for (const auto& placement : job.held) {
      put(placement, "Pipelined");
      ++pipelines;
    }
    if (!job.held.empty()) holds_.push_back({job.job, job.held});
  }
  stale_.clear();
  for (const auto& gang : plan.stale) stale_[gang.job.get()] = gang.since;
}

void KaiWorld::release(Task& task) {
  for (const auto& name : task.claims) {
    auto& claim = claims_.at(name).object;
    std::erase_if(claim.reserved_for, [&](const auto& user) { return user.uid == Uid(task.uid); });
    if (claim.reserved_for.empty()) claim.allocation.reset();
  }
  task.devices.clear();
  task.node.clear();
}

void KaiWorld::settle(Duration pause) {
  now_ += pause;
  for (auto& [uid, task] : tasks_) {
    const bool had_room = claims_.empty() || std::ranges::any_of(task.claims, [&](const auto& c) {
                            return claims_.at(c).object.allocation.has_value();
                          });
    const auto& jobs = json_.at("jobs");
    const auto job =
        std::ranges::find_if(jobs, [&](const auto& json) { return json.at("name") == task.job; });
    if (task.status == "Releasing") {
      release(task);
      if (job->value("deletedInTest", false)) task.gone = true;
      task.status = "Pending";
    } else if (task.status == "Pipelined") {
      if (had_room) release(task);
      task.devices.clear();
      task.node.clear();
      task.status = "Pending";
    } else if (task.status == "Binding") {
      task.status = "Running";
    }
  }
}

std::string KaiWorld::reason_of(const std::string& job) const {
  const auto at = reasons_.find(job);
  return at == reasons_.end() ? std::string() : at->second;
}

}  // namespace dray::cases
