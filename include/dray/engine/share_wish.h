#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"

namespace dray::engine {

// How pods ask for parts of devices without a claim: by KAI's annotations, or by extended resources
// in HAMi's or gpushare's words. A pod's claims are settled when it is created, so an admission
// policy (manifests/shares.yaml) gives such a pod an entry in spec.resourceClaims, and moves the
// extended resources, which no node has, into an annotation.

/// KAI: a decimal above 0 and at most 1, the part of each device.
inline constexpr const char* fraction_annotation = "gpu-fraction";
/// KAI: the memory of each part, in MiB.
inline constexpr const char* gpu_memory_annotation = "gpu-memory";
/// KAI: from how many devices a part is taken; 1 where absent.
inline constexpr const char* fraction_devices_annotation = "gpu-fraction-num-devices";
/// KAI: the container that gets the parts; the first where absent.
inline constexpr const char* fraction_container_annotation = "gpu-fraction-container-name";
/// What the containers asked for before the admission policy moved it here:
/// `main nvidia.com/gpu=1 nvidia.com/gpumem=8192; side aliyun.com/gpu-mem=3`.
inline constexpr const char* moved_requests_annotation = "dray.dev/moved-requests";
/// Of the entry, and of the template that there is none of.
inline constexpr const char* share_entry = "dray-share";

/// How many (virtual) GPUs; without one of HAMi's others it asks for whole ones.
inline constexpr const char* nvidia_gpu_resource = "nvidia.com/gpu";
/// HAMi: MiB of each GPU's memory.
inline constexpr const char* hami_memory_resource = "nvidia.com/gpumem";
/// HAMi: percent of each GPU's memory, where no MiB are said.
inline constexpr const char* hami_percentage_resource = "nvidia.com/gpumem-percentage";
/// HAMi: percent of each GPU's cores.
inline constexpr const char* hami_cores_resource = "nvidia.com/gpucores";
/// gpushare: GiB of one GPU's memory.
inline constexpr const char* gpushare_resource = "aliyun.com/gpu-mem";
/// Those of which each by itself asks for a part.
inline constexpr std::array<std::string_view, 4> share_resources{
    hami_memory_resource, hami_percentage_resource, hami_cores_resource, gpushare_resource};

/// In bytes.
inline constexpr double mebibyte = 1024.0 * 1024.0;

/// Parts of devices that a pod or one of its containers asks for.
struct ShareWish {
  std::string request;                ///< of the claim: the container's name, or `share`
  std::optional<double> memory_part;  ///< of each device's memory
  double memory = 0;                  ///< where no part is said: bytes of each
  /// Of each device's other capacities; absent: the same part as of the memory.
  std::optional<double> others_part;
  std::int64_t devices = 1;  ///< different ones
  bool together = false;     ///< all of the pod's that say so are parts of one device

  bool operator==(const ShareWish&) const = default;
};

/// Whether a container with these limits asks for a part of a device.
[[nodiscard]] bool asks_for_part(const ResourceList& limits);
/// What it asks for in HAMi's or gpushare's words. `invalid`: a number is not what the resource
/// means.
[[nodiscard]] Result<ShareWish> wish_of_resources(const std::string& container,
                                                  const ResourceList& limits);

/// What the first two of KAI's annotations, or the moved requests, ask for: at least one wish.
/// `invalid`: an annotation is wrong.
[[nodiscard]] Result<std::vector<ShareWish>> wishes_of(const Pod& pod);

/// The annotation or the resource by which the pod asks for a part of a device; empty: none.
/// Annotations count where a pod has no claims of its own.
[[nodiscard]] std::string asked_for_share_by(const Pod& pod);
/// The entry that the admission policy adds, and what it moves: what the embedded API server does
/// to a pod that is created.
void add_share_entry(Pod& pod);
/// Whether the pod has the entry.
[[nodiscard]] bool has_share_entry(const Pod& pod);

}  // namespace dray::engine
