#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/doctor/finding.h"
#include "app/doctor/installation.h"
#include "app/doctor/manifests.h"

namespace dray::app {

/// Something that dray's account must be allowed to do.
struct Right {
  std::string verb;
  std::string group;           ///< empty: the core group
  std::string resource;        ///< `pods/status`; empty for a path
  std::string name;            ///< of the one object; empty: all
  std::string namespace_name;  ///< empty: in all of them
  std::string path;            ///< `/metrics`: no resource

  /// `patch pods/status`, `get leases.coordination.k8s.io dray in dray-system`, `get /metrics`.
  [[nodiscard]] std::string to_string() const;
  bool operator==(const Right&) const = default;
};

/// What the rules of dray's ClusterRole and Role in manifests/rbac.yaml allow, one by one.
[[nodiscard]] std::vector<Right> needed_rights(const std::vector<Installed>& manifests);

/// What of these objects only who allocates devices needs: they are not installed for mode advise
/// (overlays/advise).
[[nodiscard]] bool is_allocators(const Installed& object);

/// The body of a SelfSubjectAccessReview, or of a SubjectAccessReview for dray's account there.
[[nodiscard]] std::string access_review(const Right& right, const Installation* where);

/// A finding for each right that dray's account there is missing.
[[nodiscard]] Findings missing_rights(const std::vector<Right>& missing,
                                      const Installation& where = {});

}  // namespace dray::app
