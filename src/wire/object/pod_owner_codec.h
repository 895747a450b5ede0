#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dray/sim/owned_pods.h"
#include "wire/json/json_reader.h"

namespace dray::wire {

/// The kind, if it is one whose controller's pods are known.
[[nodiscard]] std::optional<sim::PodOwnerKind> find_pod_owner(std::string_view api_version,
                                                              std::string_view kind);

/// An object of that kind: how many pods it wants, and their templates.
[[nodiscard]] sim::PodOwner read_pod_owner(const Reader& in, const sim::PodOwnerKind& kind,
                                           std::string api_version);

/// Whether a pod's specification stands anywhere below the specification of an object: its
/// controller makes pods.
[[nodiscard]] bool has_pod_template(std::string_view object);

/// `Job, CronJob, …`: whose pods are known, for errors.
[[nodiscard]] std::string known_pod_owners();

}  // namespace dray::wire
