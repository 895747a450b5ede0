#include "engine/pod_lifecycle.h"

// Whether any pod needs a plan or holds a reservation, without a walk over all pods.

namespace dray::engine {

bool PodLifecycle::any_unplaced() {
  while (!unplaced_.empty()) {
    const auto pod = pods_.find(*unplaced_.begin());
    ++inspected_;
    if (pod != pods_.end() && pod->second.unplaced()) return true;
    unplaced_.erase(unplaced_.begin());
  }
  return false;
}

bool PodLifecycle::is_settled() {
  if (any_unplaced()) return false;
  while (!reserved_.empty()) {
    const auto pod = pods_.find(*reserved_.begin());
    ++inspected_;
    if (pod != pods_.end() && pod->second.reservation) return false;
    reserved_.erase(reserved_.begin());
  }
  return true;
}

}  // namespace dray::engine
