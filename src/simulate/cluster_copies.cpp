#include "dray/simulate/cluster_copies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "simulate/node_of.h"

namespace dray::simulate {
namespace {

std::string renamed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// Makes `copy`, which is one of `object` for whatever node, the one for the node `to`.
void rename(const KubeObject& object, const std::string& from, const std::string& to,
            KubeObject& copy) {
  const auto& original = meta_of(object);
  auto& meta = meta_of(copy);
  meta.name = renamed(original.name, from, to);
  // Another object of that kind with no name in common.
  if (meta.name == original.name) meta.name += "-" + to;
  meta.uid = Uid(renamed(original.uid.get(), from, to) + "-" + to);
  if (auto* node = std::get_if<Node>(&copy)) node->meta.labels[label_hostname] = to;
  if (auto* pod = std::get_if<Pod>(&copy)) pod->node_name = NodeName(to);
  if (auto* slice = std::get_if<ResourceSlice>(&copy)) {
    slice->scope.node_name = NodeName(to);
    slice->pool = PoolName(renamed(std::get<ResourceSlice>(object).pool.get(), from, to));
  }
}

/// What a cluster of copies is made of.
struct Original {
  std::vector<KubeObject> common;   ///< that are of no node
  std::vector<KubeObject> of_node;  ///< that is copied
  std::string node;
  std::string kind;
  std::size_t count = 0;

  /// One copy of each object is all that there is at a time: with each node it gets other names.
  void play(const ObjectStream::Visit& visit) const {
    for (const auto& object : common) visit(object);
    auto copies = of_node;
    for (std::size_t i = 0; i < count; ++i) {
      const auto name = fmt::format("{}-{:06}", kind, i);
      for (std::size_t k = 0; k < copies.size(); ++k) {
        rename(of_node[k], node, name, copies[k]);
        visit(copies[k]);
      }
    }
  }
};

}  // namespace

Result<ObjectStream> copies_of(const std::vector<KubeObject>& objects, const std::string& kind,
                               std::size_t count) {
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
  auto original = std::make_shared<Original>();
  original->node = *of_kind;
  original->kind = kind;
  original->count = count;
  for (const auto& object : objects) {
    const auto* node = node_of(object);
    if (node == nullptr) original->common.push_back(object);
    if (node != nullptr && *node == *of_kind) original->of_node.push_back(object);
  }
  return ObjectStream::made_by(
      [original](const ObjectStream::Visit& visit) { original->play(visit); });
}

}  // namespace dray::simulate
