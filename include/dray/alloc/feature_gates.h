#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/alloc/features.h"

namespace dray::alloc {

/// A cluster's feature gates by Kubernetes' names: on or off.
using FeatureGates = std::map<std::string, bool, std::less<>>;

/// A gate that does not stand alike in the cluster and here.
struct GateDifference {
  std::string gate;
  bool on_in_cluster = false;  ///< else it is on here alone
  bool known = true;           ///< dray has such a gate

  /// What is the matter, and what to do about it.
  [[nodiscard]] std::string to_string() const;

  bool operator==(const GateDifference&) const = default;
};

/// The gates whose standing in the API server has to be as here, sorted.
[[nodiscard]] std::span<const std::string_view> feature_gate_names();

/// Where they differ, by name: each gate of dray's, and those of DRA that are on in the cluster and
/// that dray does not know. A gate that the cluster has not got stands as in a default Kubernetes
/// 1.37: one that is on by default was locked and removed since, an alpha one is younger.
[[nodiscard]] std::vector<GateDifference> gate_differences(const FeatureGates& cluster,
                                                           const Features& ours);

}  // namespace dray::alloc
