#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/doctor/installation.h"
#include "app/doctor/tree.h"

namespace dray::app {

/// A file that this program was built with.
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

/// The files of manifests/, by name. The build generates it.
[[nodiscard]] std::span<const EmbeddedFile> embedded_manifests();

/// An object as manifests/ has it.
struct Installed {
  std::string api_version;
  std::string kind;
  std::string namespace_name;
  std::string name;
  Tree tree;

  /// `ConfigMap dray-system/dray-exclusion`.
  [[nodiscard]] std::string describe() const;
  /// `/api/v1/namespaces/dray-system/configmaps/dray-exclusion`.
  [[nodiscard]] std::string path() const;
  /// One of the kinds of admissionregistration.k8s.io.
  [[nodiscard]] bool is_admission() const;
  /// An admission policy's binding: it goes before the policy, and comes after it.
  [[nodiscard]] bool is_binding() const;
};

/// All objects of manifests/ as that installation has them, in the order of files and documents.
[[nodiscard]] std::vector<Installed> installed_objects(const Installation& where = {});

/// Where the resources of a kind are in the API: `/apis/apps/v1/namespaces/NAMESPACE/deployments`,
/// without the namespace where it is empty.
[[nodiscard]] std::string resource_path(std::string_view api_version, std::string_view kind,
                                        std::string_view namespace_name);

}  // namespace dray::app
