#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dray/cluster/snapshot.h"

namespace dray::cluster {

/// Never gives the same number twice: versions.
class Stamps {
 public:
  [[nodiscard]] std::uint64_t next() { return ++last_; }

 private:
  std::uint64_t last_ = 0;
};

/// The nodes, and what their pods take of them. Uses and pools of nodes that are not there (yet)
/// are kept for when they come.
class NodeTable {
 public:
  explicit NodeTable(Stamps& stamps)
      : stamps_(stamps), by_name_(std::make_shared<std::vector<NodeIndex>>()) {}

  /// True if anything but the resourceVersion is different.
  bool put(std::shared_ptr<const NodeFacts> facts);
  bool erase(const NodeName& name);

  [[nodiscard]] std::optional<NodeIndex> find(const NodeName& name) const;
  [[nodiscard]] const NodeEntry& entry(NodeIndex node) const { return nodes_[node.get()]; }
  [[nodiscard]] const std::vector<NodeIndex>& by_name() const { return *by_name_; }

  void charge(const NodeName& node, const NodeUse& use);
  void discharge(const NodeName& node, const NodeUse& use);

  /// A pool has its first slice of that node, or lost its last.
  void add_pool(const std::string& node, PoolIndex pool);
  void remove_pool(const std::string& node, PoolIndex pool);
  /// A slice of that node, or its use, is different. False: there is no such node.
  bool touch(const std::string& node);

  /// Gives every node that changed since the last time its equivalence class: `class_of(name,
  /// pools)`.
  template <class ClassOf>
  void refresh_equivalence(const ClassOf& class_of) {
    for (const auto index : std::exchange(stale_equivalence_, {})) {
      const auto& held = entry(index);
      if (!held.facts) continue;
      const auto number = class_of(held.facts->name.get(), held.pools);
      if (number != held.equivalence_class)
        nodes_.at_for_write(index.get()).equivalence_class = number;
    }
  }
  /// A pool of the node has come to be seen from elsewhere too, or no more.
  void equivalence_is_stale(const std::string& node) {
    if (const auto index = find(NodeName(node))) is_stale(*index);
  }
  void refresh_all_equivalence() { stale_equivalence_ = *by_name_; }

  [[nodiscard]] Chunked<NodeEntry> freeze_entries() { return nodes_.freeze(); }
  [[nodiscard]] std::shared_ptr<const std::vector<NodeIndex>> freeze_names();

 private:
  struct Beyond {  // what is known of a node beside its object
    NodeUse use;
    std::vector<PoolIndex> pools;
  };

  void is_stale(NodeIndex node);
  void forget_if_unused(const std::string& node);
  void set_pools(const std::string& node, const std::vector<PoolIndex>& pools);
  void publish_use(const NodeName& node, const NodeUse& use);
  std::vector<NodeIndex>& own_names();

  Stamps& stamps_;
  Chunked<NodeEntry> nodes_;
  std::unordered_map<std::string, NodeIndex> index_;
  std::vector<NodeIndex> free_;
  std::vector<NodeIndex> stale_equivalence_;
  std::unordered_map<std::string, Beyond> beyond_;
  std::shared_ptr<std::vector<NodeIndex>> by_name_;
  bool names_shared_ = false;
};

}  // namespace dray::cluster
