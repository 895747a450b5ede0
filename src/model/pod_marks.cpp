#include "dray/model/pod_marks.h"

#include <algorithm>

namespace dray {
namespace {

const Condition* pod_scheduled(const Pod& pod) {
  const auto found = std::ranges::find(pod.conditions, "PodScheduled", &Condition::type);
  return found == pod.conditions.end() ? nullptr : &*found;
}

}  // namespace

bool gated_by(const Pod& pod, const std::string& gate) {
  return std::ranges::find(pod.scheduling_gates, gate) != pod.scheduling_gates.end();
}

bool called_unschedulable(const Pod& pod) {
  const auto* condition = pod_scheduled(pod);
  return condition != nullptr && condition->status == "False" &&
         condition->reason == "Unschedulable" && !condition->message.contains("dray: ");
}

bool not_scheduled(const Pod& pod) {
  const auto* condition = pod_scheduled(pod);
  return condition != nullptr && condition->status == "False" &&
         condition->reason != "SchedulingGated";
}

std::string scheduling_verdict(const Pod& pod) {
  const auto* condition = pod_scheduled(pod);
  if (condition == nullptr) return "";
  auto verdict = condition->status + "/" + condition->reason + "/" + condition->message;
  if (condition->last_transition) {
    verdict += "/" + std::to_string(condition->last_transition->time_since_epoch().count());
  }
  return verdict;
}

}  // namespace dray
