#include "planner/state/tolerations.h"

#include <algorithm>

#include "dray/cluster/device_taints.h"
#include "dray/cluster/node_match.h"
#include "planner/state/fields_hash.h"

namespace dray::planner {
namespace {

template <class List>
std::size_t hash_of_list(const List& list) {
  FieldsHash hash;
  hash.add(list);
  return hash.sum();
}

/// Whether the list tolerates all of the taints.
template <class List, class Taint>
bool tolerates_all(const List& list, const std::vector<Taint>& taints) {
  return std::ranges::all_of(taints, [&](const Taint& taint) {
    return std::ranges::any_of(
        list, [&](const auto& toleration) { return cluster::tolerates(toleration, taint); });
  });
}

}  // namespace

void Tolerations::add_pod(const Pod& pod, OfJob& job) {
  job.pods.push_back(pods_.add(pod.tolerations, hash_of_list(pod.tolerations)));
}

void Tolerations::add_requests(const PodClaims& claims, OfJob& job) {
  const auto add = [&](const DeviceRequestSpec& spec) {
    job.requests.push_back(requests_.add(spec.tolerations, hash_of_list(spec.tolerations)));
  };
  for (const auto& claim : claims) {
    for (const auto& request : claim->spec.requests) {
      if (request.exactly) add(*request.exactly);
      std::ranges::for_each(request.first_available, add);
    }
  }
}

void Tolerations::remove_requests(OfJob& job) {
  for (const auto place : job.requests) requests_.remove(place);
  job.requests.clear();
}

void Tolerations::remove(const OfJob& job) {
  for (const auto place : job.pods) pods_.remove(place);
  for (const auto place : job.requests) requests_.remove(place);
}

bool Tolerations::tolerate(const Taints& taints, Witness& witness) const {
  if (pods_.empty()) return true;
  const bool node = taints.node.empty() || pods_.any(witness.pod, [&](const auto& list) {
    return tolerates_all(list, taints.node);
  });
  if (!node) return false;
  return taints.device.empty() || requests_.any(witness.request, [&](const auto& list) {
    return tolerates_all(list, taints.device);
  });
}

}  // namespace dray::planner
