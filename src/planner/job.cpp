#include "dray/planner/job.h"

#include <utility>

namespace dray::planner {

policy::SubGroup plain_gang(std::size_t members, std::int32_t minimum) {
  policy::PodSet set{.name = "default", .min_member = minimum, .topology = {}, .tasks = {}};
  set.tasks.reserve(members);
  for (std::uint32_t id = 0; id < members; ++id) set.tasks.push_back({.id = id});
  policy::SubGroup root;
  root.pod_sets.push_back(std::move(set));
  return root;
}

Job single_pod_job(std::shared_ptr<const Pod> pod, policy::QueueName queue, Time queued,
                   std::optional<NodeName> node) {
  Job job;
  job.uid = pod->meta.uid;
  job.name = job.lineage = pod->key().to_string();
  job.queue = std::move(queue);
  job.priority = pod->priority;
  job.may_evict = pod->preemption_policy != "Never";
  job.created = pod->meta.created.value_or(queued);
  job.queued = queued;
  job.gang = plain_gang(1, 1);
  const auto state = node ? MemberState::placed : MemberState::waiting;
  job.members.push_back({.pod = std::move(pod), .state = state, .node = std::move(node)});
  return job;
}

}  // namespace dray::planner
