#include "app/doctor/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dray/base/check.h"

namespace dray::app {
namespace {

/// `validatingadmissionpolicies` for ValidatingAdmissionPolicy: how Kubernetes names resources.
std::string plural_of(std::string_view kind) {
  std::string plural;
  for (const char c : kind) {
    plural += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!plural.ends_with('y')) return plural + "s";
  plural.pop_back();
  return plural + "ies";
}

}  // namespace

std::string resource_path(std::string_view api_version, std::string_view kind,
                          std::string_view namespace_name) {
  auto path = fmt::format("{}/{}", api_version.contains('/') ? "/apis" : "/api", api_version);
  if (!namespace_name.empty()) path += fmt::format("/namespaces/{}", namespace_name);
  return path + "/" + plural_of(kind);
}

std::string Installed::describe() const {
  return namespace_name.empty() ? fmt::format("{} {}", kind, name)
                                : fmt::format("{} {}/{}", kind, namespace_name, name);
}

std::string Installed::path() const {
  return resource_path(api_version, kind, namespace_name) + "/" + name;
}

bool Installed::is_admission() const {
  return api_version.starts_with("admissionregistration.k8s.io/");
}

bool Installed::is_binding() const {
  return kind.ends_with("PolicyBinding");
}

std::vector<Installed> installed_objects(const Installation& where) {
  std::vector<Installed> objects;
  for (const auto& file : embedded_manifests()) {
    auto trees = read_trees(file.text);
    DRAY_CHECK(trees.has_value());
    for (auto& shipped : *trees) {
      auto tree = object_of(where, std::move(shipped));
      Installed object;
      object.api_version = text_at(tree, {"apiVersion"});
      object.kind = text_at(tree, {"kind"});
      object.namespace_name = text_at(tree, {"metadata", "namespace"});
      object.name = text_at(tree, {"metadata", "name"});
      object.tree = std::move(tree);
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

}  // namespace dray::app
