#include "sim/pod_makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "dray/engine/group_marks.h"
#include "dray/model/workload_size.h"
#include "sim/pod_steps.h"

// Names, labels and owners as the controllers give them: pkg/controller/{job,replicaset,
// deployment,statefulset,cronjob} of Kubernetes 1.37, and those of JobSet, LeaderWorkerSet,
// KubeRay, Kubeflow's training and MPI operators.

namespace dray::sim {
namespace {

/// Makers that draw letters for names, so that no two of them count to the same.
enum class Drawn : std::uint8_t { job, replica_set, deployment, cron_job, ray };

/// As k8s.io/apimachinery/pkg/util/rand has them: no vowels, no digits like letters.
constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr const char* completion_index = "batch.kubernetes.io/job-completion-index";
constexpr std::size_t longest_base = 58;  // of a generated name: 63 without the letters

std::string letters(Drawn maker, std::size_t number) {
  std::string text(5, alphabet[std::to_underlying(maker)]);
  for (auto place = text.rbegin(); place != std::prev(text.rend()); ++place) {
    *place = alphabet[number % alphabet.size()];
    number /= alphabet.size();
  }
  return text;
}

std::string generated(std::string base, Drawn maker, std::size_t number) {
  base.resize(std::min(base.size(), longest_base));
  return base + letters(maker, number);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::int32_t at_once(const PodSet& job) {
  return pods_at_once(job.parallelism, job.completions);
}

std::int32_t in_all(const PodSet& job) {
  return job.completions && at_once(job) > 0 ? *job.completions : at_once(job);
}

RayWorkerGroup ray_group(const PodSet& group) {
  return {.name = group.name,
          .replicas = group.replicas,
          .min_replicas = group.least,
          .max_replicas = group.most,
          .hosts = group.size,
          .suspend = group.suspended};
}

bool is_head(const PodOwner& owner, const PodSet& set) {
  return &set == &owner.templates.front();
}

/// Of one template.
std::int64_t count(const PodOwner& owner, const PodSet& set, bool later) {
  const std::int64_t replicas = set.replicas.value_or(1);
  switch (owner.form) {
    case PodOwnerForm::job:
    case PodOwnerForm::cron_job:
    case PodOwnerForm::job_set:
      return set.pod ? replicas * (later ? in_all(set) : at_once(set)) : 0;
    case PodOwnerForm::leader_worker_set: {
      const auto& worker = owner.templates.back();
      if (!worker.pod) return 0;
      const std::int64_t others = std::max(0, worker.size.value_or(1) - 1);
      return worker.replicas.value_or(1) * (is_head(owner, set) ? 1 : others);
    }
    case PodOwnerForm::ray_cluster:
    case PodOwnerForm::ray_user:
      if (!set.pod) return 0;
      return is_head(owner, set) ? 1 : workers_of(ray_group(set));
    case PodOwnerForm::replicas:
    case PodOwnerForm::training:
      return set.pod ? replicas : 0;
  }
  return 0;
}

OwnerReference controller(std::string api_version, std::string kind, std::string name,
                          const std::string& space) {
  ObjectMeta meta;
  meta.namespace_name = space;
  meta.name = name;
  auto uid = uid_of(kind, meta);
  return {std::move(api_version), std::move(kind), std::move(name), std::move(uid), true};
}

class Maker {
 public:
  Maker(const PodOwner& owner, bool later)
      : owner_(owner),
        later_(later),
        space_(owner.meta.namespace_name),
        name_(owner.meta.name),
        steps_(owner, later) {}

  std::vector<KubeObject> make() {
    switch (owner_.form) {
      case PodOwnerForm::replicas:
        add_replicas();
        break;
      case PodOwnerForm::job:
        add_job(owner_.templates.front(), name_, {});
        break;
      case PodOwnerForm::cron_job:
        add_run();
        break;
      case PodOwnerForm::job_set:
        add_job_set();
        break;
      case PodOwnerForm::leader_worker_set:
        add_groups();
        break;
      case PodOwnerForm::ray_cluster:
        add_ray(name_);
        break;
      case PodOwnerForm::ray_user:
        add_ray_cluster(generated(name_ + "-", Drawn::ray, 0));
        break;
      case PodOwnerForm::training:
        add_training();
        break;
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] OwnerReference itself() const {
    return controller(owner_.api_version, owner_.kind, name_, space_);
  }

  void add(const PodSet& from, std::string name, OwnerReference by, const Labels& labels,
           const Labels& annotations = {}) {
    Pod pod = *from.pod;
    pod.meta = {};
    pod.meta.namespace_name = space_;
    pod.meta.name = std::move(name);
    pod.meta.labels = from.pod->meta.labels;
    pod.meta.annotations = from.pod->meta.annotations;
    for (const auto& [key, value] : labels) pod.meta.labels.insert_or_assign(key, value);
    for (const auto& [key, value] : annotations) pod.meta.annotations.insert_or_assign(key, value);
    pod.meta.owners = {std::move(by)};
    made_.emplace_back(std::move(pod));
  }

  void add_replicas() {
    const auto& set = owner_.templates.front();
    const auto pods = set.replicas.value_or(1);
    if (owner_.kind == "StatefulSet") {
      for (std::int32_t i = 0; i < pods; ++i) {
        add_ordinal(set, name_, i, itself(), {}, steps_.of_ordinal(i));
      }
      return;
    }
    auto name = name_;
    auto by = itself();
    Labels labels;
    if (owner_.kind == "Deployment") {
      const auto hash = letters(Drawn::deployment, 0);
      name += "-" + hash;
      by = controller(owner_.api_version, "ReplicaSet", name, space_);
      labels = {{"pod-template-hash", hash}};
    }
    for (std::int32_t i = 0; i < pods; ++i) {
      add(set, generated(name + "-", Drawn::replica_set, drawn_++), by, labels);
    }
  }

  /// A pod of a StatefulSet.
  void add_ordinal(const PodSet& set, const std::string& name, std::int32_t ordinal,
                   OwnerReference by, Labels labels, const Labels& annotations = {}) {
    auto pod = fmt::format("{}-{}", name, ordinal);
    labels.emplace("apps.kubernetes.io/pod-index", std::to_string(ordinal));
    labels.emplace("statefulset.kubernetes.io/pod-name", pod);
    add(set, std::move(pod), std::move(by), labels, annotations);
  }

  void add_job(const PodSet& job, const std::string& name, Labels labels,
               const std::function<Labels(std::int32_t)>& steps = {}) {
    const auto by = controller("batch/v1", "Job", name, space_);
    for (const auto* key : {"batch.kubernetes.io/job-name", "job-name"}) labels[key] = name;
    for (const auto* key : {"batch.kubernetes.io/controller-uid", "controller-uid"}) {
      labels[key] = by.uid.get();
    }
    const bool indexed = job.completion_mode == "Indexed";
    const auto pods = later_ ? in_all(job) : at_once(job);
    Labels annotations;
    if (pods > at_once(job)) annotations[at_once_annotation] = std::to_string(at_once(job));
    for (std::int32_t i = 0; i < pods; ++i) {
      auto base = name + "-";
      auto own = steps ? steps(i) : Labels();
      own.insert(annotations.begin(), annotations.end());
      if (indexed) {
        const auto index = std::to_string(i);
        labels[completion_index] = own[completion_index] = index;
        base += index + "-";
      }
      add(job, generated(base, Drawn::job, drawn_++), by, labels, own);
    }
  }

  /// One run of a CronJob.
  void add_run() {
    const auto& job = owner_.templates.front();
    BatchJob run;
    run.meta.namespace_name = space_;
    run.meta.name = generated(name_ + "-", Drawn::cron_job, 0);
    run.meta.uid = uid_of("Job", run.meta);
    run.meta.owners = {itself()};
    run.parallelism = job.parallelism.value_or(1);
    run.completions = job.completions;
    if (!job.parallelism && !job.completions) run.completions = 1;
    run.completion_mode = job.completion_mode;
    const auto name = run.meta.name;
    made_.emplace_back(std::move(run));
    add_job(job, name, {});
  }

  void add_job_set() {
    std::int32_t global = 0;
    for (const auto& job : owner_.templates) {
      if (!job.pod) continue;
      const auto replicas = job.replicas.value_or(1);
      for (std::int32_t i = 0; i < replicas; ++i, ++global) {
        const Labels labels{{engine::job_set_label, name_},
                            {engine::replicated_job_label, job.name},
                            {"jobset.sigs.k8s.io/replicatedjob-replicas", std::to_string(replicas)},
                            {"jobset.sigs.k8s.io/job-index", std::to_string(i)},
                            {"jobset.sigs.k8s.io/job-global-index", std::to_string(global)},
                            {"jobset.sigs.k8s.io/restart-attempt", "0"}};
        add_job(job, fmt::format("{}-{}-{}", name_, job.name, i), labels,
                [&](std::int32_t pod) { return steps_.of_job(job.name, i, pod); });
      }
    }
  }

  void add_groups() {
    const auto& worker = owner_.templates.back();
    const auto& leader = owner_.templates.front().pod ? owner_.templates.front() : worker;
    const auto size = worker.size.value_or(1);
    const Labels of_all{{engine::leader_worker_size_annotation, std::to_string(size)}};
    for (std::int32_t group = 0; group < worker.replicas.value_or(1); ++group) {
      Labels labels{{engine::leader_worker_set_label, name_},
                    {engine::leader_worker_index_label, std::to_string(group)}};
      const auto base = fmt::format("{}-{}", name_, group);
      for (std::int32_t i = 0; i < size; ++i) {
        labels.insert_or_assign(engine::leader_worker_worker_label, std::to_string(i));
        auto annotations = steps_.of_replica(group, i);
        annotations.insert(of_all.begin(), of_all.end());
        if (i == 0) {
          add_ordinal(leader, name_, group, controller("apps/v1", "StatefulSet", name_, space_),
                      labels, annotations);
        } else {
          add_ordinal(worker, base, i, controller("apps/v1", "StatefulSet", base, space_), labels,
                      annotations);
        }
      }
    }
  }

  void add_ray(const std::string& cluster) {
    const bool own = owner_.form == PodOwnerForm::ray_cluster;
    const auto by = own ? itself() : controller("ray.io/v1", "RayCluster", cluster, space_);
    for (const auto& group : owner_.templates) {
      if (!group.pod) continue;
      const bool head = is_head(owner_, group);
      const Labels labels{{engine::ray_cluster_label, cluster},
                          {engine::ray_group_label, head ? "headgroup" : group.name},
                          {"ray.io/node-type", head ? "head" : "worker"},
                          {"ray.io/is-ray-node", "yes"}};
      if (head) {
        add(group, cluster + "-head", by, labels);
        continue;
      }
      const auto base = fmt::format("{}-{}-worker-", cluster, group.name);
      for (auto left = count(owner_, group, false); left > 0; --left) {
        add(group, generated(base, Drawn::ray, drawn_++), by, labels);
      }
    }
  }

  /// The one that a RayJob or a RayService has made for it.
  void add_ray_cluster(const std::string& name) {
    RayCluster cluster;
    cluster.meta.namespace_name = space_;
    cluster.meta.name = name;
    cluster.meta.uid = uid_of("RayCluster", cluster.meta);
    cluster.meta.labels = owner_.meta.labels;
    cluster.meta.owners = {itself()};
    cluster.autoscaling = owner_.autoscaling;
    for (const auto& group : owner_.templates) {
      if (is_head(owner_, group)) continue;
      cluster.workers.push_back(ray_group(group));
    }
    made_.emplace_back(std::move(cluster));
    add_ray(name);
  }

  /// Of a pod in its training job; the workers of other jobs than MPI's have none.
  [[nodiscard]] std::string role_of(const std::string& type) const {
    if (owner_.kind == "MPIJob") return type;
    return type == "master" || type == "chief" ? "master" : "";
  }

  void add_training() {
    // The MPI operator has a Job for the launcher, the training operator (v1) a pod.
    const bool by_job = owner_.kind == "MPIJob" && owner_.api_version.ends_with("/v2beta1");
    for (const auto& set : owner_.templates) {
      if (!set.pod) continue;
      const auto type = lower(set.name);
      for (std::int32_t i = 0; i < set.replicas.value_or(1); ++i) {
        Labels labels{{engine::training_job_label, name_},
                      {engine::training_replica_label, type},
                      {"training.kubeflow.org/replica-index", std::to_string(i)}};
        if (auto role = role_of(type); !role.empty()) {
          labels.emplace(engine::training_role_label, std::move(role));
        }
        const bool launcher = type == "launcher";
        const auto annotations = steps_.of_training(launcher);
        if (launcher && by_job) {
          const auto job = name_ + "-launcher";
          labels.emplace("batch.kubernetes.io/job-name", job);
          add(set, generated(job + "-", Drawn::job, drawn_++),
              controller("batch/v1", "Job", job, space_), labels, annotations);
        } else {
          add(set,
              launcher ? fmt::format("{}-launcher", name_)
                       : fmt::format("{}-{}-{}", name_, type, i),
              itself(), labels, annotations);
        }
      }
    }
  }

  const PodOwner& owner_;
  const bool later_;
  const std::string& space_;
  const std::string& name_;
  const PodSteps steps_;
  std::size_t drawn_ = 0;
  std::vector<KubeObject> made_;
};

}  // namespace

Uid uid_of(std::string_view kind, const ObjectMeta& meta) {
  return Uid(fmt::format("{}/{}/{}", kind, meta.namespace_name, meta.name));
}

std::int64_t count_pods(const PodOwner& owner, bool later) {
  std::int64_t pods = 0;
  for (const auto& set : owner.templates) pods += count(owner, set, later);
  return pods;
}

std::vector<KubeObject> make_pods(const PodOwner& owner, bool later) {
  if (count_pods(owner, later) == 0) return {};
  return Maker(owner, later).make();
}

}  // namespace dray::sim
