#include "dray/model/pod_marks.h"
#include "engine/pod_lifecycle.h"

// Pods whose devices others allocate (mode advise): what is held for them follows what
// kube-scheduler was told, and what it says.

namespace dray::engine {

Commands PodLifecycle::withdraw(const Uid& pod) {
  auto& life = pods_.at(pod);
  if (!life.reservation) return {};
  cluster_.forget(pod);
  life.reservation.reset();
  unplaced_.insert(pod);
  return {JobChanged{pod}};
}

void PodLifecycle::hold(const Placement& rest) {
  cluster_.assume(rest);
  pods_.at(rest.pod_uid).reservation = rest;
  reserved_.insert(rest.pod_uid);
}

void PodLifecycle::advised(const Pod& asked, Time now) {
  filter_answered(asked.meta.uid, now);
  pods_.at(asked.meta.uid).offer.verdict = scheduling_verdict(asked);
}

/// kube-scheduler was told nodes, and the attempt came to nothing: what is held is free again.
bool PodLifecycle::ended_in_vain(PodLife& pod, const Pod& object, Commands& out) {
  const bool failed = pod.reservation && pod.offer.asked && not_scheduled(object) &&
                      scheduling_verdict(object) != pod.offer.verdict;
  if (!failed) return false;
  pod.filter_refused = true;
  release(pod, out);
  out.emplace_back(ReservationEnded{pod.uid});
  return true;
}

std::vector<Placement> PodLifecycle::tentative() const {
  std::vector<Placement> found;
  for (const auto& [uid, life] : pods_) {
    const bool told = life.state == PodState::offered && life.offer.asked;
    if (life.reservation && !life.fixed() && !told) found.push_back(*life.reservation);
  }
  return found;
}

}  // namespace dray::engine
