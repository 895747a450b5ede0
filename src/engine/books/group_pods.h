#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dray/model/pod.h"

namespace dray::engine {

/// The pods of a group that are there, for what only they say. A view: the pods outlive it.
struct GroupPods {
  explicit GroupPods(const Pod& only) : first(only), all{&only} {}
  GroupPods(const Pod& one, std::vector<const Pod*> pods) : first(one), all(std::move(pods)) {}

  const Pod& first;  ///< one that has not finished, if there is one
  std::vector<const Pod*> all;

  /// How many have succeeded, by the name of their controller.
  [[nodiscard]] std::map<std::string, std::int32_t> succeeded() const;
};

/// Whether the pod has succeeded: its controller does not create it again.
[[nodiscard]] bool has_succeeded(const Pod& pod);

/// One start of a group's pods. Pods that succeeded in an earlier run are no members of this one:
/// a JobSet that was restarted needs all its pods again. The owner's name or uid, and the attempt.
[[nodiscard]] std::string run_of(const Pod& pod);

}  // namespace dray::engine
