#include "wire/object/snapshot_lists.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace dray::wire {
namespace {

constexpr std::string_view kai_lists = "rawObjects";

constexpr std::array lists{std::pair{std::string_view("pods"), Kind::pod},
                           std::pair{std::string_view("nodes"), Kind::node},
                           std::pair{std::string_view("namespaces"), Kind::name_space},
                           std::pair{std::string_view("configMaps"), Kind::config_map},
                           std::pair{std::string_view("priorityClasses"), Kind::priority_class},
                           std::pair{std::string_view("queues"), Kind::kai_queue},
                           std::pair{std::string_view("podGroups"), Kind::kai_pod_group},
                           std::pair{std::string_view("topologies"), Kind::kai_topology},
                           std::pair{std::string_view("resourceClaims"), Kind::resource_claim},
                           std::pair{std::string_view("resourceSlices"), Kind::resource_slice},
                           std::pair{std::string_view("deviceClasses"), Kind::device_class}};

void walk(const Reader& lists_of, const Path& way,
          const std::function<void(const Reader&, const Path&, const KindInfo&)>& f) {
  lists_of.members([&](const Reader& member) {
    for (const auto& [name, kind] : lists) {
      if (member.key() != name) continue;
      auto path = way;
      path.push_back({std::string(name), 0});
      f(member, path, kind_info(kind));
    }
  });
}

}  // namespace

std::optional<Path> way_to_lists(Document& document) {
  bool has_lists = false;
  bool has_pods = false;
  bool has_nodes = false;
  document.visit([&](const Reader& root) {
    root.members([&](const Reader& member) {
      has_lists = has_lists || member.key() == kai_lists;
      has_pods = has_pods || member.key() == "pods";
      has_nodes = has_nodes || member.key() == "nodes";
    });
  });
  if (document.problem()) return std::nullopt;
  if (has_lists) return Path{{std::string(kai_lists), 0}};
  if (has_pods && has_nodes) return Path{};
  return std::nullopt;
}

void each_list(const Reader& root, const Path& way,
               const std::function<void(const Reader&, const Path&, const KindInfo&)>& f) {
  if (way.empty()) return walk(root, way, f);
  root.members([&](const Reader& member) {
    if (member.key() == way.front().key) walk(member, way, f);
  });
}

}  // namespace dray::wire
