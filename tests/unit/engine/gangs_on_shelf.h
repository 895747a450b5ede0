#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/engine/shelf.h"

// Pods as controllers make them, and the gangs that a book makes of them.

namespace dray::engine {

inline std::string text_of(const policy::SubGroup& group) {
  std::string text;
  for (const auto& set : group.pod_sets) {
    text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", set.name, set.tasks.size(),
                        set.min_member);
  }
  for (const auto& sub : group.sub_groups) {
    text += fmt::format("{}{}({})", text.empty() ? "" : ", ", sub.name, text_of(sub));
  }
  if (group.min_sub_group) text += fmt::format(" of {}", *group.min_sub_group);
  return text;
}

/// `uid: set pods/minimum, …`: each job that the book makes, by its uid.
inline std::vector<std::string> gangs_of(Shelf& shelf) {
  std::vector<std::string> gangs;
  for (const auto& job : shelf.book.jobs(start)) {
    gangs.push_back(job->uid.get() + ": " + text_of(job->gang));
  }
  return gangs;
}

/// What the book says of pods that are in no job.
inline std::string unformed_in(Shelf& shelf) {
  shelf.book.refresh(start);
  const auto first = shelf.book.unformed().after(std::nullopt, 1);
  return first.empty() ? "" : first.front().second.detail;
}

/// A pod of the Job `SET-KIND-INDEX` of a JobSet.
inline Pod job_set_pod(const std::string& set, const std::string& kind, int index, int completion,
                       const std::string& suffix = "") {
  const auto job = fmt::format("{}-{}-{}", set, kind, index);
  auto pod = make_pod(fmt::format("{}-{}{}", job, completion, suffix), "");
  pod.meta.labels = {{"jobset.sigs.k8s.io/jobset-name", set},
                     {"jobset.sigs.k8s.io/replicatedjob-name", kind},
                     {"jobset.sigs.k8s.io/job-index", std::to_string(index)},
                     {"jobset.sigs.k8s.io/restart-attempt", "0"},
                     {"batch.kubernetes.io/job-completion-index", std::to_string(completion)}};
  pod.meta.owners = {{"batch/v1", "Job", job, Uid("uid-" + job), true}};
  return pod;
}

inline Pod succeeded(Pod pod) {
  pod.phase = "Succeeded";
  pod.node_name = NodeName("n0");
  return pod;
}

/// Tells the shelf of the pod; one that has finished is done.
inline void put_all(Shelf& shelf, const std::vector<Pod>& pods) {
  for (const auto& pod : pods) {
    if (pod.finished()) {
      shelf.where[pod.meta.uid] = {planner::MemberState::done, {}, false};
    } else {
      shelf.where.erase(pod.meta.uid);
    }
    shelf.put(pod);
    shelf.book.touch(pod.meta.uid);
  }
}

}  // namespace dray::engine
