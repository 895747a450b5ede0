#include "engine/books/pod_mentions.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "dray/engine/group_marks.h"

namespace dray::engine {
namespace {

bool is_batch_job(const OwnerReference& owner) {
  return owner.kind == "Job" && owner.api_version.starts_with("batch/");
}

/// As a Workload names it in its controllerRef: `Job.batch`.
std::string kind_and_group(const OwnerReference& owner) {
  const auto slash = owner.api_version.find('/');
  return slash == std::string::npos ? owner.kind
                                    : owner.kind + "." + owner.api_version.substr(0, slash);
}

/// The kind of training job that the pod is of. An MPIJob's launcher is a Job's.
std::string training_kind(const Pod& pod, const OwnerReference& owner) {
  if (owner.api_version.starts_with("kubeflow.org/")) return owner.kind;
  const bool launcher = mark(pod.meta.labels, training_role_label) == "launcher";
  return is_batch_job(owner) && launcher ? "MPIJob" : "";
}

void add_by_owner(const Pod& pod, std::vector<Mention>& found) {
  const auto* owner = controller_of(pod);
  if (owner == nullptr) return;
  const auto& labels = pod.meta.labels;
  if (pod.meta.annotations.contains(kai_min_member_annotation)) {
    found.push_back({GroupSource::owner, owner->uid.get()});
  }
  found.push_back({GroupSource::workload, owner->name, kind_and_group(*owner)});
  if (auto name = mark(labels, leader_worker_set_label); !name.empty()) {
    found.push_back(
        {GroupSource::leader_worker_set, std::move(name), mark(labels, leader_worker_index_label)});
  }
  if (auto name = mark(labels, ray_cluster_label); !name.empty()) {
    found.push_back({GroupSource::ray_cluster, std::move(name)});
  }
  if (auto name = mark(labels, training_job_label); !name.empty()) {
    if (auto kind = training_kind(pod, *owner); !kind.empty()) {
      found.push_back({GroupSource::training_job, std::move(name), std::move(kind)});
    }
  }
  if (is_batch_job(*owner)) found.push_back({GroupSource::batch_job, owner->name});
}

}  // namespace

std::string mark(const Labels& marks, const char* key) {
  const auto found = marks.find(key);
  return found == marks.end() ? "" : found->second;
}

const OwnerReference* controller_of(const Pod& pod) {
  const auto owner = std::ranges::find(pod.meta.owners, true, &OwnerReference::controller);
  return owner == pod.meta.owners.end() ? nullptr : &*owner;
}

bool follows_leader(const Pod& pod) {
  const auto index = mark(pod.meta.labels, leader_worker_worker_label);
  return !index.empty() && index != "0";
}

std::string leader_worker_pod_set(const std::string& index) {
  return "subgroup-" + index;
}

std::string completion_index(const Pod& pod) {
  auto index = mark(pod.meta.labels, completion_index_mark);
  return index.empty() ? mark(pod.meta.annotations, completion_index_mark) : index;
}

std::vector<Mention> mentions_of(const Pod& pod) {
  std::vector<Mention> found;
  if (pod.pod_group) found.push_back({GroupSource::pod_group, *pod.pod_group});
  const auto& labels = pod.meta.labels;
  const auto& annotations = pod.meta.annotations;
  const std::tuple<GroupSource, const Labels&, const char*> marks[] = {
      {GroupSource::kai, annotations, kai_group_annotation},
      {GroupSource::coscheduling, labels, coscheduling_label},
      {GroupSource::old_coscheduling, labels, old_coscheduling_label},
      {GroupSource::volcano, annotations, volcano_annotation},
      {GroupSource::job_set, labels, job_set_label}};
  for (const auto& [source, where, key] : marks) {
    if (auto name = mark(where, key); !name.empty()) found.push_back({source, std::move(name)});
  }
  add_by_owner(pod, found);
  return found;
}

}  // namespace dray::engine
