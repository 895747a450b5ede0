#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cluster/claim_book.h"
#include "cluster/node_table.h"
#include "dray/cluster/node_facts.h"
#include "dray/cluster/sharded_map.h"
#include "dray/model/placement.h"
#include "dray/model/pod.h"

namespace dray::cluster {

/// The pods, the placements assumed for them, and what each takes of its node: its requests count
/// once, on the node that it has or else on the one that was assumed for it.
class PodBook {
 public:
  PodBook(NodeTable& nodes, ClaimBook& claims) : nodes_(nodes), claims_(claims) {}

  /// Whether a snapshot would show the change.
  bool put(const Pod& pod);
  /// False: there is no such pod, or another of that name (a uid that is not its).
  bool erase(const PodKey& key, const Uid& uid);

  /// Replaces what was assumed for the pod before.
  void assume(const Placement& placement);
  /// False: nothing was assumed.
  bool forget(const Uid& pod);

  [[nodiscard]] std::shared_ptr<const Pod> find(const PodKey& key) const;
  [[nodiscard]] std::shared_ptr<const Pod> find(const Uid& uid) const;
  void for_each(const std::function<void(const std::shared_ptr<const Pod>&)>& visit) const;
  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  [[nodiscard]] ShardedMap<PodKey, std::shared_ptr<const Pod>> freeze() { return pods_.freeze(); }

 private:
  struct Charge {
    NodeName node;
    NodeUse use;
  };

  [[nodiscard]] std::shared_ptr<const Pod> find_by_identity(const std::string& id) const;
  [[nodiscard]] std::optional<Charge> due(const std::string& id) const;
  bool recharge(const std::string& id);

  NodeTable& nodes_;
  ClaimBook& claims_;
  ShardedMap<PodKey, std::shared_ptr<const Pod>> pods_;
  ShardedMap<std::string, PodKey> keys_;  ///< by identity: see identity_of()
  ShardedMap<std::string, Placement> assumed_;
  ShardedMap<std::string, Charge> charges_;
};

}  // namespace dray::cluster
