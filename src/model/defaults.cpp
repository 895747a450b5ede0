#include "dray/model/defaults.h"

#include <variant>
#include <vector>

namespace dray {
namespace {

void apply_defaults(DeviceRequestSpec& request) {
  if (request.allocation_mode.empty()) request.allocation_mode = "ExactCount";
  if (request.allocation_mode == "ExactCount" && request.count == 0) request.count = 1;
}

void apply_defaults(std::vector<Container>& containers) {
  for (auto& container : containers) {
    // map::insert keeps what is there.
    container.requests.insert(container.limits.begin(), container.limits.end());
  }
}

}  // namespace

void apply_defaults(ClaimSpec& spec) {
  for (auto& request : spec.requests) {
    if (request.exactly) apply_defaults(*request.exactly);
    for (auto& subrequest : request.first_available) apply_defaults(subrequest);
  }
}

void apply_defaults(Pod& pod) {
  if (pod.scheduler_name.empty()) pod.scheduler_name = "default-scheduler";
  if (pod.phase.empty()) pod.phase = "Pending";
  apply_defaults(pod.init_containers);
  apply_defaults(pod.containers);
}

void apply_defaults(KubeObject& object) {
  auto& meta = meta_of(object);
  if (kind_info(kind_of(object)).namespaced && meta.namespace_name.empty()) {
    meta.namespace_name = "default";
  }
  if (auto* claim = std::get_if<ResourceClaim>(&object)) apply_defaults(claim->spec);
  if (auto* made = std::get_if<ResourceClaimTemplate>(&object)) apply_defaults(made->spec);
  if (auto* pod = std::get_if<Pod>(&object)) apply_defaults(*pod);
}

}  // namespace dray
