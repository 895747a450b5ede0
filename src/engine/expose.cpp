#include <algorithm>

#include "dray/model/pod_marks.h"
#include "engine/state.h"

namespace dray::engine {
/// A cluster autoscaler only sees pods without gates: the first jobs for which there is no room
/// lose theirs, as many as the policy says.
void Engine::State::expose(const planner::Plan& plan) {
  const auto most = static_cast<std::size_t>(std::max(policy->config.budgets.exposed_jobs, 0));
  if (most == 0) return;
  const auto waiting_tracks = [this](const planner::JobOutcome& job) {
    std::vector<PodTrack*> found;
    for (const auto& uid : job.pods) {
      const auto at = tracks.find(uid);
      if (at != tracks.end() && at->second.stage == Stage::waiting) found.push_back(&at->second);
    }
    return found;
  };
  const auto is_exposed = [](const PodTrack* track) { return track->exposed; };
  std::size_t exposed = 0;
  for (const auto& job : plan.jobs) {
    exposed += std::ranges::any_of(waiting_tracks(job), is_exposed) ? 1U : 0U;
  }
  for (const auto& job : plan.jobs) {
    if (!job.placements.empty() || !job.held.empty() || !reason_info(job.reason).more_nodes_help) {
      continue;
    }
    const auto pods = waiting_tracks(job);
    const bool begun = std::ranges::any_of(pods, is_exposed);
    if (!begun && exposed >= most) continue;
    exposed += begun ? 0U : 1U;
    for (auto* track : pods) {
      const auto pod = pod_of(*track);
      if (track->exposed || !pod || !gated_by(*pod, options.gate)) continue;
      track->exposed = true;
      send(LiftGate{pod->key(), track->uid, {}}, ForLift{track->uid});
    }
  }
}

}  // namespace dray::engine
