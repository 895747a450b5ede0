#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "dray/model/object.h"

namespace dray {

namespace detail {
/// Other projects have a PodGroup, too: then the group tells them apart, as kubectl has it.
inline std::string unambiguous(const KindInfo& info, std::string_view KindInfo::* name) {
  auto text = std::string(info.*name);
  const bool shared = std::ranges::count(kind_table, info.*name, name) > 1;
  return shared ? text + "." + std::string(info.group) : text;
}
}  // namespace detail

/// `nodes`, `podgroups.scheduling.x-k8s.io`: no two kinds have the same.
[[nodiscard]] inline std::string unique_plural(const KindInfo& info) {
  return detail::unambiguous(info, &KindInfo::plural);
}
/// `Node`, `PodGroup.scheduling.x-k8s.io`: no two kinds have the same.
[[nodiscard]] inline std::string unique_name(const KindInfo& info) {
  return detail::unambiguous(info, &KindInfo::name);
}

}  // namespace dray
