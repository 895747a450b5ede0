#pragma once

#include <cstdint>
#include <vector>

#include "dray/sim/owned_pods.h"

namespace dray::sim {

/// How many pods the object's controllers make at once; `later`: in all.
[[nodiscard]] std::int64_t count_pods(const PodOwner& owner, bool later);
/// These pods, and the objects that stand between them and the owner, as far as dray reads them.
[[nodiscard]] std::vector<KubeObject> make_pods(const PodOwner& owner, bool later);
/// The uid of an object that has none: by its name, so that pods can name it before it is created.
[[nodiscard]] Uid uid_of(std::string_view kind, const ObjectMeta& meta);

}  // namespace dray::sim
