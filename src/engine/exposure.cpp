#include "engine/exposure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "dray/model/pod_marks.h"
#include "dray/model/reason.h"

namespace dray::engine {
namespace {

std::vector<const PodLife*> waiting_pods(const planner::JobOutcome& job, const PodLifecycle& pods) {
  std::vector<const PodLife*> found;
  for (const auto& uid : job.pods) {
    const auto* pod = pods.find(uid);
    if (pod != nullptr && pod->state == PodState::waiting && !pod->reservation)
      found.push_back(pod);
  }
  return found;
}

bool any_exposed(const std::vector<const PodLife*>& pods) {
  return std::ranges::any_of(pods, [](const PodLife* pod) { return pod->exposed; });
}

}  // namespace

std::vector<ExposedJob> jobs_to_expose(
    const planner::Plan& plan, const PodLifecycle& pods, const std::string& gate, std::size_t most,
    bool known_groups, const std::function<bool(const Uid&)>& asked_for,
    const std::function<policy::QueueName(const Uid&)>& queue_of) {
  std::vector<ExposedJob> chosen;
  if (most == 0) return chosen;
  const auto told_of = [&](const planner::JobOutcome& job,
                           const std::vector<const PodLife*>& waiting) {
    return any_exposed(waiting) || (!waiting.empty() && asked_for(job.job));
  };
  std::size_t exposed = 0;
  std::set<policy::QueueName> served;  // queues with a job that is exposed
  for (const auto& job : plan.jobs) {
    if (!told_of(job, waiting_pods(job, pods))) continue;
    ++exposed;
    served.insert(queue_of(job.job));
  }
  for (const auto& job : plan.jobs) {
    const bool has_room = !job.placements.empty() || !job.held.empty();
    if (has_room || !reason_info(job.reason).more_nodes_help) continue;
    if (known_groups && job.node_groups.empty()) continue;
    const auto waiting = waiting_pods(job, pods);
    const bool begun = told_of(job, waiting);
    if (!begun) {
      const auto queue = queue_of(job.job);
      if (exposed >= most && served.contains(queue)) continue;
      ++exposed;
      served.insert(queue);
    }
    ExposedJob found{job.job, {}, fmt::format("{}", fmt::join(job.node_groups, ","))};
    for (const auto* pod : waiting) {
      const auto object = pods.object(*pod);
      if (!pod->exposed && object && gated_by(*object, gate)) found.gated.push_back(pod->uid);
    }
    if (!found.gated.empty()) chosen.push_back(std::move(found));
  }
  return chosen;
}

}  // namespace dray::engine
