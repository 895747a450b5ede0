#pragma once

#include <set>
#include <string>
#include <vector>

#include "dray/model/object.h"

namespace dray::app {

/// Whose pods and marks are dray's.
struct OwnContext {
  std::string scheduler_name = "dray-scheduler";
  std::string gate = "dray.dev/admission";
  bool partition = false;  ///< one of several drays: pods of its scheduler name alone are its own
  std::vector<std::string> other_schedulers;  ///< those of the cluster's other drays
};

/// Which pods and claims are not another dray's. Of a partition those of its scheduler name; else
/// all whose scheduler no other dray has.
class OwnObjects {
 public:
  OwnObjects(const std::vector<KubeObject>& objects, const OwnContext& context);

  [[nodiscard]] bool has(const Pod& pod) const;
  /// A claim that pods of others use, and none of dray's own, is theirs. One that nobody uses says
  /// nothing of whose it is, and what dray leaves on it serves nobody.
  [[nodiscard]] bool has(const ResourceClaim& claim) const;

 private:
  OwnContext context_;
  std::set<std::string> own_claims_;
  std::set<std::string> others_claims_;
};

}  // namespace dray::app
