#pragma once

#include <string>
#include <vector>

#include "dray/model/pod.h"
#include "engine/books/job_key.h"

namespace dray::engine {

/// What a pod says of a group: whose word it is, the name, and the part of it (see JobKey).
struct Mention {
  GroupSource source = GroupSource::none;
  std::string name;
  std::string part = {};
};

/// The groups that the pod speaks of, what is said on purpose before what follows from its owner.
[[nodiscard]] std::vector<Mention> mentions_of(const Pod& pod);

/// A label's or annotation's value; empty where there is none.
[[nodiscard]] std::string mark(const Labels& marks, const char* key);
/// The owner that controls the pod, or null.
[[nodiscard]] const OwnerReference* controller_of(const Pod& pod);
/// Whether the pod is a worker of a LeaderWorkerSet, not the leader of a replica.
[[nodiscard]] bool follows_leader(const Pod& pod);
/// The pod set of a subgroup of a LeaderWorkerSet's replica.
[[nodiscard]] std::string leader_worker_pod_set(const std::string& index);
/// The index of a pod of an Indexed Job; empty: it has none.
[[nodiscard]] std::string completion_index(const Pod& pod);

}  // namespace dray::engine
