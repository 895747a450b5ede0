#pragma once

#include <string>
#include <utility>

#include "dray/model/pod.h"
#include "tests/objects/meta.h"

namespace dray::testing {

inline Container container(ResourceList requests) {
  Container made;
  made.name = "main";
  made.requests = std::move(requests);
  return made;
}

/// A pending pod of one container, in namespace "default", that nothing holds back.
inline Pod make_pod(const std::string& name, ResourceList requests) {
  Pod pod;
  pod.meta = default_meta(name, "20");
  pod.meta.created = start;
  pod.scheduler_name = "dray-scheduler";
  pod.phase = "Pending";
  pod.containers = {container(std::move(requests))};
  return pod;
}

/// One that asks for a CPU.
inline Pod make_pod(const std::string& name) {
  return make_pod(name, ResourceList{{"cpu", Quantity(1)}});
}

/// The pod, with the use of a claim that stands for itself.
inline Pod with_claim(Pod pod, const std::string& claim, const std::string& entry = "gpus") {
  pod.resource_claims.push_back({.name = entry, .claim_name = claim, .template_name = {}});
  return pod;
}

/// The pod, with a claim that is made for it from a template.
inline Pod with_template(Pod pod, const std::string& name, const std::string& entry = "gpus") {
  pod.resource_claims.push_back({.name = entry, .claim_name = {}, .template_name = name});
  return pod;
}

inline Pod of_scheduler(const std::string& scheduler, Pod pod) {
  pod.scheduler_name = scheduler;
  return pod;
}

/// One with a claim by name (none where it is empty), behind dray's gate.
inline Pod make_pod(const std::string& name, const std::string& claim, bool gated = true) {
  auto pod = make_pod(name);
  if (gated) pod.scheduling_gates = {"dray.dev/admission"};
  return claim.empty() ? pod : with_claim(std::move(pod), claim);
}

}  // namespace dray::testing
