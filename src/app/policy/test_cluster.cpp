#include "app/policy/test_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "app/common/bundled_nodes.h"
#include "app/common/cluster_source.h"
#include "app/common/files.h"
#include "dray/engine/at_once.h"
#include "dray/model/defaults.h"
#include "dray/simulate/pod_fate.h"

namespace dray::app {
namespace {

/// What stands for all tolerations: these pods are about queues, not about taints.
NodeToleration any_taint() {
  NodeToleration toleration;
  toleration.op = "Exists";
  return toleration;
}

NodeSelector one_of(const std::vector<std::string>& nodes) {
  NodeSelector selector;
  selector.terms.push_back(
      {.match_expressions = {}, .match_fields = {{"metadata.name", "In", nodes}}});
  return selector;
}

ResourceClaim claim_of_job(const Pod& pod, const TestJob& job) {
  ResourceClaim claim;
  claim.meta.namespace_name = pod.meta.namespace_name;
  claim.meta.name = pod.meta.name;
  claim.meta.uid = Uid("claim-" + pod.meta.uid.get());
  claim.meta.created = pod.meta.created;
  DeviceRequest request;
  request.name = "devices";
  auto& exactly = request.exactly.emplace();
  exactly.device_class = ClassName(job.device_class);
  exactly.allocation_mode = "ExactCount";
  exactly.count = job.devices;
  claim.spec.requests.push_back(std::move(request));
  return claim;
}

/// Makes the objects of one job.
class JobMaker {
 public:
  JobMaker(const TestJob& job, const engine::Options& options, Time created)
      : job_(job), options_(options), created_(created) {
    const auto full = full_name(job.name);
    const auto slash = full.find('/');
    space_ = full.substr(0, slash);
    name_ = full.substr(slash + 1);
  }

  void make(std::vector<KubeObject>& objects) const {
    const auto together = job_.together.value_or(job_.pods);
    const bool gang = together > 1;
    if (gang) objects.emplace_back(group(together));
    for (std::int32_t i = 0; i < job_.pods; ++i) {
      auto made = pod(job_.pods == 1 ? name_ : fmt::format("{}-{}", name_, i));
      if (gang) made.pod_group = name_;
      if (job_.devices > 0) {
        auto claim = claim_of_job(made, job_);
        made.resource_claims = {
            {.name = "devices", .claim_name = claim.meta.name, .template_name = {}}};
        objects.emplace_back(std::move(claim));
      }
      objects.emplace_back(std::move(made));
    }
  }

 private:
  [[nodiscard]] PodGroup group(std::int32_t together) const {
    PodGroup group;
    group.meta.namespace_name = space_;
    group.meta.name = name_;
    group.meta.uid = Uid("group-" + space_ + "-" + name_);
    group.meta.created = created_;
    group.min_count = together;
    return group;
  }

  [[nodiscard]] Pod pod(const std::string& name) const {
    Pod pod;
    pod.meta.namespace_name = space_;
    pod.meta.name = name;
    pod.meta.uid = Uid("pod-" + space_ + "-" + name);
    pod.meta.created = created_;
    pod.meta.labels = job_.labels;
    pod.scheduler_name = options_.scheduler_name;
    pod.service_account = job_.service_account;
    pod.scheduling_gates = {options_.gate};
    pod.priority = job_.priority;
    pod.phase = "Pending";
    pod.tolerations = {any_taint()};
    auto& container = pod.containers.emplace_back();
    container.name = "main";
    container.requests = job_.requests;
    if (!job_.on.empty()) pod.required_node_affinity = one_of(job_.on);
    return pod;
  }

  const TestJob& job_;
  const engine::Options& options_;
  Time created_;
  std::string space_;
  std::string name_;
};

void run_pod(Pod& pod, const Placement& placement, Duration running, Time now) {
  pod.node_name = placement.node;
  pod.phase = "Running";
  pod.scheduling_gates.clear();
  pod.required_node_affinity.reset();
  pod.node_allocatable_claims = placement.node_allocatable;
  pod.conditions.push_back({.type = "PodScheduled",
                            .status = "True",
                            .reason = {},
                            .message = {},
                            .last_transition = now - running});
}

void give_devices(std::vector<KubeObject>& objects,
                  const std::map<Uid, const Placement*>& placements) {
  std::map<ClaimKey, ResourceClaim*> claims;
  for (auto& object : objects) {
    if (auto* claim = std::get_if<ResourceClaim>(&object)) claims[claim->key()] = claim;
  }
  for (const auto& [uid, placement] : placements) {
    for (const auto& part : placement->claims) {
      const auto claim = claims.find(part.claim);
      if (claim == claims.end()) continue;
      claim->second->allocation = part.allocation;
      claim->second->reserved_for = {
          {.api_group = {}, .resource = "pods", .name = placement->pod.name, .uid = uid}};
    }
  }
}

/// Without the pods that wait: they come after those that run.
std::vector<KubeObject> what_runs(const std::vector<KubeObject>& objects) {
  std::vector<KubeObject> all;
  std::ranges::copy_if(objects, std::back_inserter(all), [](const KubeObject& object) {
    const auto* pod = std::get_if<Pod>(&object);
    return pod == nullptr || pod->node_name;
  });
  return all;
}

/// Gives each pod and claim of `made` the place that the plan has for it.
Result<void> run_them(const std::vector<KubeObject>& objects, std::vector<KubeObject>& made,
                      const std::map<Uid, const TestJob*>& jobs, const engine::Options& options,
                      Time now) {
  if (made.empty()) return {};
  auto all = what_runs(objects);
  std::ranges::copy(made, std::back_inserter(all));
  const auto decided = simulate::decide_at_once(all, nullptr, options, now);
  if (!decided) return std::unexpected(decided.error());
  std::map<Uid, const Placement*> placements;
  for (const auto& outcome : decided->plan.jobs) {
    for (const auto& placement : outcome.placements) placements[placement.pod_uid] = &placement;
  }
  const auto fates = simulate::fates_of(*decided);
  for (auto& object : made) {
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    const auto placed = placements.find(pod->meta.uid);
    if (placed == placements.end()) {
      const auto fate = fates.find(pod->meta.uid);
      return fail(ErrorCode::invalid,
                  fmt::format("job {}: it is said to run, and there is no room for its pod {}: {}",
                              jobs.at(pod->meta.uid)->name, pod->key().to_string(),
                              fate == fates.end() ? "" : fate->second.why));
    }
    run_pod(*pod, *placed->second, *jobs.at(pod->meta.uid)->running, now);
  }
  give_devices(made, placements);
  return {};
}

void name_pods(TestCluster& cluster) {
  for (const auto& object : cluster.objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    const auto& uid = pod->meta.uid;
    const auto space = pod->meta.namespace_name + "/";
    cluster.pods[space + pod->meta.name].insert(uid);
    if (pod->pod_group) cluster.pods[space + *pod->pod_group].insert(uid);
    for (const auto& owner : pod->meta.owners) {
      if (owner.controller) cluster.pods[space + owner.name].insert(uid);
    }
  }
}

}  // namespace

Result<std::vector<KubeObject>> load_test_objects(const std::vector<std::string>& sources,
                                                  const std::string& folder,
                                                  std::vector<std::string>& warnings) {
  constexpr std::string_view of_kind = "nodes:";
  std::vector<KubeObject> objects;
  std::set<std::string> names;
  ClusterSource files;
  const auto take = [&](std::vector<KubeObject> more) {
    for (auto& object : more) {
      if (names.insert(describe(object)).second) objects.push_back(std::move(object));
    }
  };
  for (const auto& source : sources) {
    if (!source.starts_with(of_kind)) {
      files.cluster.push_back(in_folder(source, folder));
      continue;
    }
    const auto nodes = parse_bundled_nodes(source.substr(of_kind.size()));
    if (!nodes) {
      return fail(ErrorCode::invalid, source + ": write nodes:COUNTxKIND, as nodes:4xdgxh100");
    }
    auto made = bundled_nodes(*nodes, warnings);
    if (!made) return std::unexpected(std::move(made.error()).within(source));
    take(made->all());
  }
  if (files.cluster.empty()) return objects;
  auto loaded = load_objects(files);
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  std::ranges::move(loaded->warnings, std::back_inserter(warnings));
  take(std::move(loaded->objects));
  return objects;
}

Result<std::vector<KubeObject>> load_test_workload(const std::vector<std::string>& sources,
                                                   const std::string& folder,
                                                   std::vector<std::string>& warnings) {
  if (sources.empty()) return std::vector<KubeObject>();
  ClusterSource source;
  for (const auto& each : sources) source.files.push_back(in_folder(each, folder));
  auto loaded = load_objects(source);
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  if (!loaded->strangers.empty()) {
    return fail(ErrorCode::unsupported, loaded->strangers.front());
  }
  std::ranges::move(loaded->warnings, std::back_inserter(warnings));
  return std::move(loaded->objects);
}

Result<TestCluster> make_test_cluster(std::vector<KubeObject> objects,
                                      const std::vector<TestJob>& jobs,
                                      const engine::Options& options, Time now) {
  TestCluster cluster;
  std::vector<KubeObject> running;
  std::vector<KubeObject> waiting;
  std::map<Uid, const TestJob*> job_of;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = jobs[i];
    // Those that stand first are older, if only by a moment.
    const auto moments = std::chrono::milliseconds(jobs.size() - i);
    const auto age = job.running ? *job.running : job.waiting.value_or(Duration(0));
    auto& made = job.running ? running : waiting;
    const auto first = made.size();
    JobMaker(job, options, now - age - moments).make(made);
    for (std::size_t j = first; j < made.size(); ++j) {
      if (const auto* pod = std::get_if<Pod>(&made[j])) {
        job_of[pod->meta.uid] = &job;
        cluster.pods[full_name(job.name)].insert(pod->meta.uid);
      }
    }
  }
  objects = engine::with_claims(std::move(objects));
  if (auto run = run_them(objects, running, job_of, options, now); !run) {
    return std::unexpected(std::move(run.error()));
  }
  cluster.objects = std::move(objects);
  for (auto* made : {&running, &waiting}) {
    for (auto& object : *made) {
      apply_defaults(object);
      cluster.objects.push_back(std::move(object));
    }
  }
  name_pods(cluster);
  return cluster;
}

}  // namespace dray::app
