#pragma once

#include <string>
#include <vector>

#include "app/doctor/tree.h"

namespace dray::app {

/// Which dray of a cluster: the only one, or that of a partition (docs/partitions.md).
struct Installation {
  std::string namespace_name = "dray-system";
  std::string partition;       ///< empty: it is none of several
  std::string lease = "dray";  ///< as --leader-elect-name of dray serve

  /// What it is called by that belongs to the whole cluster: `dray-gate-blue`.
  [[nodiscard]] std::string named(const std::string& name) const;
  /// `system:serviceaccount:dray-system:dray`.
  [[nodiscard]] std::string account() const;
  /// `ConfigMap dray-system/dray-exclusion`.
  [[nodiscard]] std::string describe(const std::string& kind, const std::string& name) const;
};

/// By the flags --partition, --namespace and --leader-elect-name, each empty where it is not given.
[[nodiscard]] Installation installation_of(std::string partition, std::string namespace_name,
                                           std::string lease = {});

/// Another dray of the same cluster.
struct OtherDray {
  Installation where;
  std::vector<std::string> schedulers;  ///< those that call it
};

/// The schedulers of all of them.
[[nodiscard]] std::vector<std::string> schedulers_of(const std::vector<OtherDray>& others);

/// An object of manifests/ as that installation has it: what the chart makes of it, with the name
/// of the Lease where that one, its rights and its fence are.
[[nodiscard]] Tree object_of(const Installation& where, Tree object);

/// The object without the accounts of others where ours is named: a partition's operator adds them.
[[nodiscard]] Tree without_accounts(Tree object, const std::vector<OtherDray>& others);

/// Some text of the object names the account.
[[nodiscard]] bool names_account(const Tree& object, const std::string& account);

}  // namespace dray::app
