#include <algorithm>

#include "dray/engine/group_marks.h"
#include "dray/engine/pod_queue.h"
#include "engine/books/job_book.h"

// JobBook: which queue a job is in, and what follows from that.

namespace dray::engine {
namespace {

/// KAI's rule where queues are KAI's: from this priority on, a job is not preemptible by itself.
constexpr std::int32_t kai_non_preemptible_from = 100;
/// Of pods that the cluster cannot do without (scheduling.SystemCriticalPriority).
constexpr std::int32_t system_critical_priority = 2'000'000'000;

}  // namespace

/// A job that runs stays in its queue, whatever its labels say by now, as long as the policy is the
/// same. One that waits must be allowed to be there.
void JobBook::choose_queue(Entry& entry, planner::Job& job, const std::string& of_group) const {
  const bool same_policy =
      entry.queued_by == policy_ || (entry.queued_by && entry.queued_by->config == policy_->config);
  const bool runs = std::ranges::any_of(job.members, [](const planner::Member& member) {
    return member.state == planner::MemberState::placed && member.pod->node_name;
  });
  if (entry.job && runs && same_policy) {
    job.queue = entry.job->queue;
    return;
  }
  entry.queued_by = policy_;
  const auto& lead = job.first();
  const auto queue = default_queue_only_ ? std::string(policy::default_queue)
                                         : (of_group.empty() ? queue_of(lead) : of_group);
  job.queue = policy::QueueName(queue);
  if (runs || default_queue_only_) return;
  for (const auto& member : job.members) {
    if (member.state == planner::MemberState::done || rules_.users.allows(queue, *member.pod))
      continue;
    entry.not_ready = planner::NotReady{
        Reason::queue_missing, "queue " + queue + " is not for namespace " +
                                   member.pod->meta.namespace_name + " or its service account (" +
                                   "the policy's queues[].namespaces and serviceAccounts)"};
    return;
  }
}

policy::QueueName JobBook::queue_for(const Pod& pod) const {
  return policy::QueueName(default_queue_only_ ? std::string(policy::default_queue)
                                               : queue_of(pod));
}

bool JobBook::may_be_gang(const Pod& pod, policy::GangOwner owner) const {
  return rules_.gangs.allows(default_queue_only_ ? "" : queue_of(pod), owner);
}

std::string JobBook::queue_of(const Pod& pod) const {
  std::vector<const Labels*> owners;
  for (const auto& owner : groups_.owners_of(pod)) owners.push_back(owner.labels);
  return engine::queue_of(policy_->config.pod_queues, pod, owners);
}

bool JobBook::preemptible(const Pod& pod, std::int32_t priority) const {
  auto owners = groups_.owners_of(pod);
  owners.push_back({&pod.meta.labels, &pod.meta.annotations});
  for (const auto& owner : owners) {
    const auto label = owner.labels->find(kai_preemptibility_label);
    if (label != owner.labels->end()) return label->second != "non-preemptible";
  }
  if (priority >= system_critical_priority) return false;
  const bool kai = policy_->config.queues_from == policy::QueueSource::kai;
  return !kai || priority < kai_non_preemptible_from;
}

}  // namespace dray::engine
