#include "dray/simulate/cluster_copies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "simulate/node_of.h"

namespace dray::simulate {
namespace {

std::string renamed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

KubeObject copy_for(const KubeObject& object, const std::string& from, const std::string& to) {
  auto copy = object;
  auto& meta = meta_of(copy);
  meta.name = renamed(meta.name, from, to);
  // Another object of that kind with no name in common.
  if (meta.name == meta_of(object).name) meta.name += "-" + to;
  meta.uid = Uid(renamed(meta.uid.get(), from, to) + "-" + to);
  if (auto* node = std::get_if<Node>(&copy)) node->meta.labels["kubernetes.io/hostname"] = to;
  if (auto* pod = std::get_if<Pod>(&copy)) pod->node_name = NodeName(to);
  if (auto* slice = std::get_if<ResourceSlice>(&copy)) {
    slice->scope.node_name = NodeName(to);
    slice->pool = PoolName(renamed(slice->pool.get(), from, to));
  }
  return copy;
}

}  // namespace

Result<std::vector<KubeObject>> copies_of(const std::vector<KubeObject>& objects,
                                          const std::string& kind, std::size_t count) {
  std::set<std::string> nodes;
  for (const auto& object : objects) {
    if (std::holds_alternative<Node>(object)) nodes.insert(meta_of(object).name);
  }
  const auto of_kind =
      std::ranges::find_if(nodes, [&](const auto& name) { return name.starts_with(kind + "-"); });
  if (of_kind == nodes.end()) {
    std::set<std::string> kinds;
    for (const auto& name : nodes) kinds.insert(name.substr(0, name.find_last_of('-')));
    return fail(ErrorCode::invalid,
                fmt::format("no kind of node {}; there are {}", kind, fmt::join(kinds, ", ")));
  }
  std::vector<KubeObject> copies;
  for (const auto& object : objects) {
    if (node_of(object) == nullptr) copies.push_back(object);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& object : objects) {
      const auto* node = node_of(object);
      if (node == nullptr || *node != *of_kind) continue;
      copies.push_back(copy_for(object, *of_kind, fmt::format("{}-{:06}", kind, i)));
    }
  }
  return copies;
}

}  // namespace dray::simulate
