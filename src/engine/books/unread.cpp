#include "dray/engine/unread.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "dray/alloc/extended_resources.h"
#include "dray/engine/group_marks.h"
#include "dray/engine/share_wish.h"
#include "dray/model/pod_claim.h"
#include "dray/model/pod_marks.h"
#include "dray/model/workload_size.h"

namespace dray::engine {
namespace {

constexpr auto read_annotations = std::to_array<std::string_view>(
    {reservation_annotation, kai_group_annotation, kai_min_member_annotation,
     kai_topology_annotation, kai_required_level_annotation, kai_preferred_level_annotation,
     volcano_annotation, fraction_annotation, gpu_memory_annotation, fraction_devices_annotation,
     fraction_container_annotation, pod_claim_annotation, moved_requests_annotation,
     completion_index_mark, job_set_exclusive_annotation, job_set_node_selector_annotation,
     leader_worker_exclusive_annotation, leader_worker_size_annotation,
     leader_worker_subgroup_topology_annotation});

void drop(Labels& annotations) {
  std::erase_if(annotations, [](const auto& entry) {
    return entry.first != alloc::extended_resource_annotation &&
           std::ranges::find(read_annotations, entry.first) == read_annotations.end();
  });
}

void drop(std::optional<OpaqueConfig>& opaque) {
  if (opaque) opaque->parameters = "{}";
}

void drop(ClaimSpec& spec) {
  for (auto& config : spec.config) drop(config.opaque);
}

void drop(AllocationResult& allocation) {
  for (auto& config : allocation.config) drop(config.opaque);
}

void drop(ResourceClaim& claim) {
  drop(claim.meta.annotations);
  drop(claim.spec);
  if (claim.allocation) drop(*claim.allocation);
}

}  // namespace

void drop_unread(KubeObject& object) {
  drop(meta_of(object).annotations);
  if (auto* claim = std::get_if<ResourceClaim>(&object)) {
    drop(*claim);
  } else if (auto* made_from = std::get_if<ResourceClaimTemplate>(&object)) {
    drop(made_from->claim_annotations);
    drop(made_from->spec);
  } else if (auto* device_class = std::get_if<DeviceClass>(&object)) {
    for (auto& config : device_class->config) drop(config);
  } else if (auto* job_set = std::get_if<JobSet>(&object)) {
    for (auto& job : job_set->jobs) drop(job.annotations);
  }
}

void drop_unread(Pod& pod) {
  drop(pod.meta.annotations);
}

void drop_unread(Write& write) {
  if (auto* allocate = std::get_if<AllocateClaim>(&write)) {
    drop(allocate->allocation);
  } else if (auto* create = std::get_if<CreateClaim>(&write)) {
    drop(create->claim);
  }
}

}  // namespace dray::engine
