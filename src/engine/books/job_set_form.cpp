#include "engine/books/job_set_form.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dray/engine/group_marks.h"
#include "dray/model/workload_size.h"
#include "engine/books/owner_marks.h"
#include "engine/books/pod_mentions.h"

namespace dray::engine {
namespace {

/// Where a Job's completions have no index, no pod of it is a follower.
bool is_follower(const JobSet& set, const ReplicatedJob& kind, const Pod& pod) {
  if (!starts_with_leader(set, kind)) return false;
  const auto index = completion_index(pod);
  return !index.empty() && index != "0";
}

/// Whether the set says in KAI's words how many of its parts start together.
bool has_kai_minimums(const JobSet& set) {
  return set.meta.annotations.contains(kai_min_member_annotation) ||
         std::ranges::any_of(set.jobs, [](const ReplicatedJob& kind) {
           return kind.annotations.contains(kai_min_member_annotation) ||
                  has_kai_topology(kind.annotations);
         });
}

/// As KAI's podgrouper names the subgroup of one Job.
std::string replica_name(const std::string& kind, const std::string& index) {
  return kind + "-replica-" + index;
}

class JobSetGang {
 public:
  JobSetGang(const JobSet& set, const GroupPods& pods, const WorkloadBook& jobs)
      : set_(set), succeeded_(pods.succeeded()), jobs_(jobs) {}

  [[nodiscard]] policy::SubGroup followers(const ReplicatedJob& kind,
                                           const std::string& index) const {
    policy::SubGroup root;
    add_set(root, kind.name, std::max(pods_left(kind, job_name(kind, index)) - 1, 0));
    return root;
  }

  [[nodiscard]] policy::SubGroup stage(const std::string& part) const {
    policy::SubGroup root;
    std::int32_t kinds = 0;
    for (const auto& kind : set_.jobs) {
      if (stage_of(set_, kind.name) != part) continue;
      ++kinds;
      if (!has_kai_minimums(set_)) {
        add_set(root, kind.name, sum(kind));
        continue;
      }
      root.sub_groups.push_back(kai_kind(kind));
    }
    const auto wanted = number_mark(set_.meta.annotations, kai_min_member_annotation);
    if (wanted) root.min_sub_group = std::clamp(*wanted, 0, kinds);
    return root;
  }

 private:
  static void add_set(policy::SubGroup& to, std::string name, std::int32_t minimum,
                      policy::TopologyConstraint topology = {}) {
    to.pod_sets.push_back({.name = std::move(name),
                           .min_member = minimum,
                           .topology = std::move(topology),
                           .tasks = {}});
  }

  [[nodiscard]] std::string job_name(const ReplicatedJob& kind, const std::string& index) const {
    return set_.meta.name + "-" + kind.name + "-" + index;
  }

  [[nodiscard]] bool all_finished(const ReplicatedJob& kind) const {
    const auto status = std::ranges::find(set_.statuses, kind.name, &ReplicatedJobStatus::name);
    return status != set_.statuses.end() && kind.replicas > 0 &&
           status->succeeded + status->failed >= kind.replicas;
  }

  /// Pods that a Job still has at a time.
  [[nodiscard]] std::int32_t pods_left(const ReplicatedJob& kind, const std::string& job) const {
    const auto seen = succeeded_.find(job);
    const auto done = seen == succeeded_.end() ? 0 : seen->second;
    const auto* known = jobs_.find({GroupSource::batch_job, set_.meta.namespace_name, job, ""});
    if (known != nullptr && known->job) return known->job->pods_left(done);
    return pods_at_once(kind.parallelism, kind.completions, done);
  }

  /// Of one Job in its stage's gang: all its pods, or its leader.
  [[nodiscard]] std::int32_t minimum_of(const ReplicatedJob& kind, const std::string& job) const {
    const auto left = pods_left(kind, job);
    if (!starts_with_leader(set_, kind)) return left;
    return left > 0 && !succeeded_.contains(job) ? 1 : 0;
  }

  [[nodiscard]] std::int32_t sum(const ReplicatedJob& kind) const {
    std::int32_t pods = 0;
    if (all_finished(kind)) return pods;
    for (std::int32_t i = 0; i < kind.replicas; ++i) {
      pods += minimum_of(kind, job_name(kind, std::to_string(i)));
    }
    return pods;
  }

  /// KAI's tree: a group a kind, of which all Jobs start, each with its own minimum.
  [[nodiscard]] policy::SubGroup kai_kind(const ReplicatedJob& kind) const {
    policy::SubGroup group;
    group.name = kind.name;
    group.min_sub_group = kind.replicas;
    const auto wanted = number_mark(kind.annotations, kai_min_member_annotation);
    const bool over = all_finished(kind);
    for (std::int32_t i = 0; i < kind.replicas; ++i) {
      const auto index = std::to_string(i);
      const auto left = over ? 0 : minimum_of(kind, job_name(kind, index));
      add_set(group, replica_name(kind.name, index), wanted ? std::min(*wanted, left) : left,
              kai_topology(kind.annotations));
    }
    return group;
  }

  const JobSet& set_;
  std::map<std::string, std::int32_t> succeeded_;
  const WorkloadBook& jobs_;
};

/// Kinds of which no pod is there, and that wait for others.
std::set<std::string> later_kinds(const JobSet& set, const GroupPods& pods) {
  std::set<std::string> later;
  for (const auto& kind : set.jobs) {
    if (waits_for_others(set, kind.name)) later.insert(kind.name);
  }
  for (const auto* pod : pods.all) later.erase(mark(pod->meta.labels, replicated_job_label));
  return later;
}

/// Jobs whose pods are all created already, or of whose leader alone.
std::int32_t created(const JobSet& set, const ReplicatedJob& kind, const GroupPods& pods) {
  std::set<std::string> followed;
  std::int32_t there = 0;
  for (const auto* pod : pods.all) {
    if (mark(pod->meta.labels, replicated_job_label) != kind.name) continue;
    ++there;
    if (is_follower(set, kind, *pod)) followed.insert(mark(pod->meta.labels, job_index_label));
  }
  const auto all = pods_at_once(kind.parallelism, kind.completions);
  if (!starts_with_leader(set, kind)) return std::max(there, kind.replicas * all);
  const auto with_followers = static_cast<std::int32_t>(followed.size());
  return std::max(there, kind.replicas + with_followers * std::max(all - 1, 0));
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree of the group
void drop_minimums(policy::SubGroup& group, const std::set<std::string>& kinds, bool below) {
  below = below || kinds.contains(group.name);
  for (auto& set : group.pod_sets) {
    if (below || kinds.contains(set.name)) set.min_member = 0;
  }
  for (auto& sub : group.sub_groups) drop_minimums(sub, kinds, below);
}

}  // namespace

std::string job_set_part(const JobSet& set, const Pod& pod) {
  auto name = mark(pod.meta.labels, replicated_job_label);
  const auto* kind = find_job(set, name);
  if (kind != nullptr && is_follower(set, *kind, pod)) {
    return name + "/" + mark(pod.meta.labels, job_index_label);
  }
  return stage_of(set, name);
}

std::string job_set_pod_set(const JobSet& set, const Pod& pod) {
  auto name = mark(pod.meta.labels, replicated_job_label);
  const auto* kind = find_job(set, name);
  if (kind == nullptr || is_follower(set, *kind, pod) || !has_kai_minimums(set)) return name;
  return replica_name(name, mark(pod.meta.labels, job_index_label));
}

policy::SubGroup job_set_gang(const JobSet& set, const std::string& part, const GroupPods& pods,
                              const WorkloadBook& jobs) {
  const JobSetGang gang(set, pods, jobs);
  const auto slash = part.find('/');
  if (slash == std::string::npos) return gang.stage(part);
  const auto* kind = find_job(set, part.substr(0, slash));
  return kind == nullptr ? policy::SubGroup() : gang.followers(*kind, part.substr(slash + 1));
}

void leave_out_later_jobs(policy::SubGroup& root, const JobSet& set, const GroupPods& pods) {
  const auto later = later_kinds(set, pods);
  const bool leaders = std::ranges::any_of(
      set.jobs, [&](const ReplicatedJob& kind) { return starts_with_leader(set, kind); });
  if (later.empty() && !leaders) return;
  drop_minimums(root, later, false);
  if (root.pod_sets.size() != 1 || !root.sub_groups.empty()) return;
  std::int32_t pods_now = 0;
  for (const auto& kind : set.jobs) {
    if (!later.contains(kind.name)) pods_now += created(set, kind, pods);
  }
  auto& minimum = root.pod_sets.front().min_member;
  minimum = std::min(minimum, pods_now);
}

}  // namespace dray::engine
