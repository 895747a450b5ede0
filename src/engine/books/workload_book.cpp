#include "engine/books/workload_book.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "dray/engine/group_marks.h"
#include "dray/model/workload_size.h"
#include "engine/books/pod_mentions.h"

namespace dray::engine {
namespace {

/// The group of a RayCluster's head, as KubeRay labels its pod.
constexpr const char* ray_head = "headgroup";

/// All pods agree in one node label, which is a topology of its own.
policy::TopologyConstraint by_label(const std::string& label) {
  return {.topology = label, .required = label, .preferred = {}};
}

JobProgress progress_of(const BatchJob& job) {
  const bool over = std::ranges::any_of(job.conditions, [](const Condition& condition) {
    return condition.status == "True" &&
           (condition.type == "Complete" || condition.type == "Failed");
  });
  return {.parallelism = job.parallelism,
          .completions = job.completions,
          .succeeded = job.succeeded,
          .failed_indexes = count_indexes(job.failed_indexes),
          .over = over};
}

/// KAI's annotations make a gang of any Job, of at least one pod (its podgrouper's Job grouper).
bool is_kai_gang(const BatchJob& job) {
  const auto& annotations = job.meta.annotations;
  return annotations.contains(kai_min_member_annotation) || has_kai_topology(annotations);
}

Workload workload_of(const BatchJob& job) {
  Workload made;
  made.job = progress_of(job);
  const auto at_once = job.parallelism.value_or(1);
  auto wanted = job.min_count.value_or(at_once);
  if (!job.topology.empty()) made.topology = by_label(job.topology.front());
  const bool by_kai = !job.gang && !job.basic && is_kai_gang(job);
  if (job.gang || by_kai) {
    made.says = Workload::Says::gang;
  } else if (job.basic || job.completion_mode != "Indexed" || at_once < 2 ||
             job.completions != job.parallelism) {
    made.says = Workload::Says::single;
  }
  if (by_kai) {
    made.problem = wrong_min_member(job.meta.annotations,
                                    "Job " + job.meta.namespace_name + "/" + job.meta.name)
                       .value_or("");
    wanted = number_mark(job.meta.annotations, kai_min_member_annotation).value_or(1);
  }
  made.minimum = std::max(1, std::min(wanted, made.job->pods_left()));
  return made;
}

Workload workload_of(const LeaderWorkerSet& set) {
  Workload made;
  made.minimum = set.size.value_or(1);
  made.leader_first = starts_with_leader(set);
  made.subgroups = {
      .size = std::max(set.subgroup_size.value_or(0), 0),
      .without_leader = set.subgroup_type == "LeaderExcluded",
      .topology = mark(set.meta.annotations, leader_worker_subgroup_topology_annotation)};
  if (made.minimum < 2) made.says = Workload::Says::single;
  return made;
}

Workload workload_of(const RayCluster& cluster) {
  Workload made;
  made.parts.emplace_back(ray_head, 1);
  std::int64_t workers = 0;
  for (const auto& group : cluster.workers) {
    const auto pods = cluster.autoscaling ? least_workers_of(group) : workers_of(group);
    made.parts.emplace_back(group.name, static_cast<std::int32_t>(std::min<std::int64_t>(
                                            pods, std::numeric_limits<std::int32_t>::max())));
    workers += pods;
  }
  if (workers == 0) made.says = Workload::Says::single;
  return made;
}

/// Of one with a single template: what it says is of all pods.
Workload workload_of(const PodGroupTemplate& made_from) {
  Workload made;
  made.says = made_from.min_count ? Workload::Says::gang : Workload::Says::single;
  made.minimum = made_from.min_count.value_or(1);
  if (!made_from.topology.empty()) made.topology = by_label(made_from.topology.front());
  return made;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

Workload workload_of(const TrainingJob& job) {
  Workload made;
  std::int32_t pods = 0;
  for (const auto& [type, replicas] : job.replicas) {
    auto count = replicas.count.value_or(1);
    if (type == "Worker" && job.elastic_min) count = *job.elastic_min;
    if (type == "Launcher" && job.launcher_creation == "WaitForWorkersReady") count = 0;
    made.parts.emplace_back(lower(type), count);
    pods += count;
  }
  if (job.min_available) {
    pods = *job.min_available;
    made.parts.clear();
    made.minimum = pods;
  }
  if (pods < 2) made.says = Workload::Says::single;
  return made;
}

/// Nothing where the object is of another kind.
std::optional<Workload> as_workload(const KubeObject& object) {
  return std::visit(
      [](const auto& each) -> std::optional<Workload> {
        if constexpr (requires { workload_of(each); }) {
          auto made = workload_of(each);
          made.uid = each.meta.uid;
          made.created = each.meta.created;
          made.marks = owner_marks(each.meta);
          return made;
        } else {
          return std::nullopt;
        }
      },
      object);
}

std::optional<Kind> kind_of(const JobKey& key) {
  switch (key.source) {
    case GroupSource::batch_job:
      return Kind::batch_job;
    case GroupSource::leader_worker_set:
      return Kind::leader_worker_set;
    case GroupSource::ray_cluster:
      return Kind::ray_cluster;
    case GroupSource::training_job:
      return find_kind("kubeflow.org", key.part);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::int32_t JobProgress::pods_left(std::int32_t seen) const {
  if (over) return 0;
  return pods_at_once(parallelism, completions, std::max(succeeded, seen) + failed_indexes);
}

bool WorkloadBook::observe_said(const KubeWorkload& object) {
  const auto& meta = object.meta;
  const Key key(Kind::workload, meta.namespace_name, meta.name);
  if (object.controller_kind.empty() || object.templates.size() != 1) return forget_said(key);
  auto workload = workload_of(object.templates.front());
  workload.uid = meta.uid;
  workload.created = meta.created;
  auto kind = object.controller_kind;
  if (!object.controller_group.empty()) kind += "." + object.controller_group;
  Controller controller(std::move(kind), meta.namespace_name, object.controller_name);
  const auto known = controllers_.find(key);
  if (known != controllers_.end() && known->second == controller) {
    auto& said = said_.at(controller).at(meta.name);
    if (said == workload) return false;
    said = std::move(workload);
    return true;
  }
  forget_said(key);
  said_[controller].emplace(meta.name, std::move(workload));
  controllers_.emplace(key, std::move(controller));
  return true;
}

bool WorkloadBook::forget_said(const Key& key) {
  const auto known = controllers_.extract(key);
  if (known.empty()) return false;
  const auto said = said_.find(known.mapped());
  said->second.erase(std::get<2>(key));
  if (said->second.empty()) said_.erase(said);
  return true;
}

bool WorkloadBook::observe(const KubeObject& object) {
  if (const auto* said = std::get_if<KubeWorkload>(&object)) return observe_said(*said);
  auto workload = as_workload(object);
  if (!workload) return false;
  const auto& meta = meta_of(object);
  const Key key(dray::kind_of(object), meta.namespace_name, meta.name);
  const auto [place, added] = workloads_.try_emplace(key, *workload);
  if (added) return true;
  auto& known = place->second;
  // Of a Job's progress only the pods that are left matter: one of ten thousand completions is not
  // to wake all of its pods at each of them.
  const bool same_left =
      known.job && workload->job && known.job->pods_left() == workload->job->pods_left();
  if (same_left) known.job = workload->job;
  if (known == *workload) return false;
  known = *std::move(workload);
  return true;
}

bool WorkloadBook::forget(Kind kind, const std::string& namespace_name, const std::string& name) {
  if (kind == Kind::workload) return forget_said({kind, namespace_name, name});
  return workloads_.erase({kind, namespace_name, name}) > 0;
}

std::string WorkloadBook::controller_of(const std::string& namespace_name,
                                        const std::string& name) const {
  const auto found = controllers_.find({Kind::workload, namespace_name, name});
  return found == controllers_.end() ? "" : std::get<2>(found->second);
}

const Workload* WorkloadBook::find(const JobKey& key) const {
  if (key.source == GroupSource::workload) {
    const auto said = said_.find({key.part, key.namespace_name, key.name});
    return said == said_.end() ? nullptr : &said->second.begin()->second;
  }
  const auto kind = kind_of(key);
  return kind ? object(*kind, key.namespace_name, key.name) : nullptr;
}

const Workload* WorkloadBook::object(Kind kind, const std::string& namespace_name,
                                     const std::string& name) const {
  if (kind == Kind::workload) {
    const auto controller = controllers_.find({kind, namespace_name, name});
    return controller == controllers_.end() ? nullptr : &said_.at(controller->second).at(name);
  }
  const auto found = workloads_.find({kind, namespace_name, name});
  return found == workloads_.end() ? nullptr : &found->second;
}

std::optional<policy::GangOwner> WorkloadBook::owner_of(GroupSource source) {
  switch (source) {
    case GroupSource::job_set:
      return policy::GangOwner::job_set;
    case GroupSource::leader_worker_set:
      return policy::GangOwner::leader_worker_set;
    case GroupSource::ray_cluster:
      return policy::GangOwner::ray_cluster;
    case GroupSource::training_job:
      return policy::GangOwner::training_job;
    case GroupSource::batch_job:
      return policy::GangOwner::job;
    default:
      return std::nullopt;
  }
}

std::string WorkloadBook::part_of(const JobKey& key, const Pod& pod) {
  const auto& labels = pod.meta.labels;
  if (key.source == GroupSource::ray_cluster) return mark(labels, ray_group_label);
  if (key.source != GroupSource::training_job) return {};
  auto type = lower(mark(labels, training_replica_label));
  return type.empty() ? lower(mark(labels, training_role_label)) : type;
}

std::string WorkloadBook::kind_name(const JobKey& key) {
  const auto kind = kind_of(key);
  return kind ? std::string(kind_info(*kind).name) : key.part;
}

}  // namespace dray::engine
