#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/model/object.h"
#include "dray/simulate/cluster.h"

namespace dray::simulate {

/// What happens to a cluster while jobs run.
enum class ChurnKind : std::uint8_t {
  fails,       ///< the node is gone, and what ran there begins anew
  returns,     ///< it is there again, as it was
  cordoned,    ///< no job begins there; what runs goes on
  uncordoned,  ///< jobs may begin there again
  changes,     ///< slices, classes and taint rules are from now on as a file has them
};

/// One such thing.
struct Churn {
  Duration at{0};  ///< since the beginning of the trace
  ChurnKind kind = ChurnKind::fails;
  std::string node;                 ///< its name; empty: it changes objects
  std::vector<KubeObject> objects;  ///< that change, where it does
};

/// By the name of its enumerator, which people write.
[[nodiscard]] std::optional<ChurnKind> find_churn(std::string_view name);

/// What of a cluster churn may name.
struct ChurnTargets {
  std::set<std::string, std::less<>> nodes;
  bool objects = false;  ///< it is one of Kubernetes objects, which may change
};
/// Its nodes, and whether it is of objects.
[[nodiscard]] ChurnTargets churn_targets(const Cluster& cluster);
[[nodiscard]] ChurnTargets churn_targets(const std::vector<KubeObject>& cluster);
/// An Error names a node that the cluster does not have, or an object that cannot change.
[[nodiscard]] Result<void> check_churn(const std::vector<Churn>& churn, const ChurnTargets& of);

}  // namespace dray::simulate
