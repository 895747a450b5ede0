#include "kube/api_path.h"

#include "net/http.h"

namespace dray::kube {
namespace {

std::string group_path(const KindInfo& info, std::string_view version) {
  auto path = info.group.empty() ? std::string("/api/") : "/apis/" + std::string(info.group) + "/";
  path += version;
  return path;
}

}  // namespace

std::vector<Kind> cluster_kinds() {
  std::vector<Kind> kinds;
  for (const auto& info : kind_table) {
    if (info.kept_by != KeptBy::nobody) kinds.push_back(info.kind);
  }
  return kinds;
}

std::string collection_path(Kind kind, std::string_view version) {
  const auto& info = kind_info(kind);
  return group_path(info, version) + "/" + std::string(info.plural);
}

std::string collection_path(Kind kind, std::string_view version, std::string_view namespace_name) {
  const auto& info = kind_info(kind);
  if (namespace_name.empty()) return collection_path(kind, version);
  return group_path(info, version) + "/namespaces/" + net::percent_encode(namespace_name) + "/" +
         std::string(info.plural);
}

std::string object_path(Kind kind, std::string_view version, std::string_view namespace_name,
                        std::string_view name) {
  return collection_path(kind, version, namespace_name) + "/" + net::percent_encode(name);
}

}  // namespace dray::kube
