#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/ids.h"

namespace dray {

/// Labels or annotations.
using Labels = std::map<std::string, std::string, std::less<>>;

/// Whether `a` is of an earlier write than `b`: the API server's versions of one kind count up
/// (KEP-5504). What is no number is older than any.
[[nodiscard]] bool is_older(const ResourceVersion& a, const ResourceVersion& b);

/// metadata.ownerReferences[]: the object ends with its owners.
struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  Uid uid;
  bool controller = false;

  bool operator==(const OwnerReference&) const = default;
};

/// metav1.ObjectMeta, as far as dray reads it. Cluster-scoped objects have an empty namespace.
struct ObjectMeta {
  std::string namespace_name;
  std::string name;
  Uid uid;
  ResourceVersion resource_version;
  std::optional<Time> created;
  std::optional<Time> deleted;  ///< deletionTimestamp: the object is on its way out
  Labels labels;
  Labels annotations;
  std::vector<std::string> finalizers;
  std::vector<OwnerReference> owners;

  bool operator==(const ObjectMeta&) const = default;
};

/// metav1.Condition and PodCondition: the fields they share.
struct Condition {
  std::string type;
  std::string status;  ///< "True", "False" or "Unknown"
  std::string reason;
  std::string message;
  std::optional<Time> last_transition;

  bool operator==(const Condition&) const = default;
};

}  // namespace dray
