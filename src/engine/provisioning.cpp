#include <algorithm>
#include <utility>

#include "dray/model/pod_marks.h"
#include "engine/exposure.h"
#include "engine/router.h"

// What a cluster autoscaler is shown, and asked for.

namespace dray::engine {

/// What an autoscaler may see; of a job of several pods only when it has brought nodes for all.
void Engine::Router::expose(const planner::Plan& plan, Time now) {
  const auto& config = admission_.policy()->config;
  auto& requests = upkeep_.node_requests;
  const auto most = static_cast<std::size_t>(std::max(config.budgets.exposed_jobs, 0));
  const bool known_groups = !config.node_groups.empty();
  const auto asked_for = [&](const Uid& job) { return requests.asks_for(job); };
  const auto queue_of = [&](const Uid& uid) {
    const auto job = admission_.jobs().find(uid);
    return job ? job->queue : policy::QueueName();
  };
  for (const auto& shown :
       jobs_to_expose(plan, pods_, options_.gate, most, known_groups, asked_for, queue_of)) {
    Labels annotations;
    if (known_groups) annotations.emplace(node_group_annotation, shown.node_groups);
    const auto job = admission_.jobs().find(shown.uid);
    if (config.provisioning && job && job->members.size() > 1) {
      const auto* marks = requests.provisioned(shown.uid);
      if (marks == nullptr) {
        carry(requests.ask(*job, *config.provisioning, now), now);
        continue;
      }
      annotations.insert(marks->begin(), marks->end());
    }
    for (const auto& pod : shown.gated) carry(pods_.expose(pod, annotations), now);
  }
}

void Engine::Router::on(const ForNodes& purpose, const WriteOutcome& outcome, Time now) {
  carry(upkeep_.node_requests.step(purpose.job, outcome, now), now);
}

void Engine::Router::observe_request(const KubeObject& object, Time now) {
  const auto* request = std::get_if<ProvisioningRequest>(&object);
  if (request != nullptr) carry(upkeep_.node_requests.put(*request, now), now);
}

/// What nobody waits for any more goes; looked at when a plan was taken, or a pod has its place.
void Engine::Router::settle_requests(Time now) {
  if (!standing_.leading || !standing_.synced || upkeep_.node_requests.none()) return;
  admission_.jobs().refresh(now);
  const bool wanted = admission_.policy()->config.provisioning.has_value();
  carry(upkeep_.node_requests.settle(wanted), now);
}

}  // namespace dray::engine
