#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/policy/device_amounts.h"
#include "dray/policy/policy.h"
#include "planner/state/device_offers.h"
#include "planner/state/usable_capacity.h"

namespace dray::planner {

/// What nodes have and what is free, in numbers: one row a node, one column a counted resource,
/// then devices and millicores. Kept from plan to plan; nodes are looked at again where the
/// snapshot keeps others than the one before, which it shows chunk by chunk.
class NodeTable {
 public:
  void update(std::shared_ptr<const cluster::Snapshot> snapshot, const policy::Policy& policy);
  /// Measures `most` of the nodes that update() would measure. False: there are no more.
  [[nodiscard]] bool read_ahead(std::shared_ptr<const cluster::Snapshot> snapshot,
                                const policy::Policy& policy, std::size_t most);

  [[nodiscard]] std::size_t size() const { return measured_.size(); }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t devices_column() const { return columns_ - 2; }
  [[nodiscard]] std::size_t cpu_column() const { return columns_ - 1; }
  [[nodiscard]] std::span<double> free(cluster::NodeIndex node) {
    return std::span(rows_.free).subspan(node.get() * columns_, columns_);
  }
  [[nodiscard]] std::span<const double> free(cluster::NodeIndex node) const {
    return std::span(rows_.free).subspan(node.get() * columns_, columns_);
  }
  [[nodiscard]] std::span<const double> capacity(cluster::NodeIndex node) const {
    return std::span(rows_.capacity).subspan(node.get() * columns_, columns_);
  }
  /// Names the node's state: equal stamps, equal state.
  [[nodiscard]] std::uint64_t stamp(cluster::NodeIndex node) const { return stamps_[node.get()]; }
  void set_stamp(cluster::NodeIndex node, std::uint64_t stamp) {
    stamps_[node.get()] = stamp;
    changed_.last.push_back(node);
  }
  /// How often a node got another stamp so far.
  [[nodiscard]] std::uint64_t changes() const { return changed_.before + changed_.last.size(); }
  /// The nodes that did since there were so many changes, one after another; nothing: nobody knows
  /// any more, or nodes have other places in the order of names.
  [[nodiscard]] std::optional<std::span<const cluster::NodeIndex>> changed_since(
      std::uint64_t changes) const {
    if (changes < changed_.before) return std::nullopt;
    return std::span(changed_.last).subspan(changes - changed_.before);
  }
  /// How often the labels, taints, resources or published devices of a node changed so far, from 1
  /// on; what is in use of them is no part of that.
  [[nodiscard]] std::uint64_t hardware_changes() const {
    return hardware_.before + hardware_.last.size();
  }
  /// The nodes that did since there were so many, one after another; nothing: nobody knows.
  [[nodiscard]] std::optional<std::span<const cluster::NodeIndex>> hardware_changed_since(
      std::uint64_t changes) const {
    if (changes < hardware_.before) return std::nullopt;
    return std::span(hardware_.last).subspan(changes - hardware_.before);
  }
  [[nodiscard]] std::uint64_t new_stamp() { return ++changed_.last_stamp; }
  void renew_all();
  /// Pools with slices of several nodes, as far as measured nodes see them: what happens to one of
  /// these nodes may change the others.
  [[nodiscard]] bool has_spanning_pools() const { return !spanning_.empty(); }

  /// The node of that name; nothing: there is none.
  [[nodiscard]] std::optional<cluster::NodeIndex> find(const NodeName& name) const;
  /// The nodes of these names, those that are there, in the order of their names and each once. A
  /// list in which names follow each other as in the last one costs a comparison a name.
  [[nodiscard]] std::vector<cluster::NodeIndex> find_all(std::span<const NodeName> names);
  /// What is free for somebody: not on nodes that take no pods, nor behind taints of nodes and
  /// devices that none of these tolerates. Costs as much as there are different taints.
  [[nodiscard]] policy::Amounts free_total(const Tolerations& tolerations);
  /// Nodes that take pods, in the order of their names.
  [[nodiscard]] std::span<const cluster::NodeIndex> by_name() const { return by_name_; }
  [[nodiscard]] std::uint32_t rank(cluster::NodeIndex node) const {
    return names_.ranks[node.get()];
  }
  /// What all nodes offer of the counted device classes.
  [[nodiscard]] const DeviceOffers& offers() const { return devices_.offers; }
  /// How many nodes were looked at for a change so far.
  [[nodiscard]] std::size_t nodes_read() const { return read_; }

 private:
  /// Another origin or other rules: nothing of what was measured counts.
  void restart(const cluster::Snapshot& snapshot, const policy::Policy& policy);
  void forget_changes();
  void note_hardware(cluster::NodeIndex node);
  void forget_hardware();
  void index_names(const cluster::Snapshot& snapshot);
  std::shared_ptr<const cluster::Snapshot> begin(std::shared_ptr<const cluster::Snapshot> given,
                                                 const policy::Policy& policy);
  [[nodiscard]] bool read_changed(const cluster::Snapshot* before, std::size_t most);
  void note_spanning_pools(const cluster::Snapshot& snapshot, const cluster::NodeEntry& entry);
  void renew_spanning_pools(const cluster::Snapshot& snapshot);
  void measure(const cluster::Snapshot& snapshot, cluster::NodeIndex node);
  /// By taints of devices, the free amounts that only those who tolerate them may use.
  using Tainted = UsableCapacity::Parts;
  [[nodiscard]] Tainted count_devices(const cluster::Snapshot& snapshot,
                                      const cluster::NodeEntry& entry, std::span<double> free,
                                      std::span<double> capacity);

  /// Held, so that nothing else gets the addresses of what was read.
  std::shared_ptr<const cluster::Snapshot> snapshot_;
  /// Its nodes from this index on may be others than what was measured.
  std::size_t read_to_ = 0;
  const policy::Policy* policy_ = nullptr;
  std::size_t columns_ = 2;
  std::size_t read_ = 0;
  /// What a row was measured from; held, so that nothing else gets its address.
  struct Measured {
    std::uint64_t version = 0;
    std::shared_ptr<const cluster::NodeFacts> facts;
    std::shared_ptr<const cluster::NodeUse> use;

    [[nodiscard]] bool is_of(const cluster::NodeEntry& entry) const {
      return version == entry.version && facts == entry.facts && use == entry.use;
    }
  };
  std::vector<Measured> measured_;
  /// A pool that spans nodes, as of which all of them have their stamps.
  struct Spanning {
    std::uint64_t version = 0;
    std::vector<std::shared_ptr<const cluster::PublishedSlice>> slices;
  };
  std::map<cluster::PoolIndex, Spanning> spanning_;
  std::vector<std::uint64_t> stamps_;
  struct Changes {
    std::vector<cluster::NodeIndex> last;
    std::uint64_t before = 0;  ///< these, that nobody knows any more
    std::uint64_t last_stamp = 0;
  };
  Changes changed_;
  /// What a node is, whoever uses it; held, so that nothing else gets the addresses.
  struct Hardware {
    std::shared_ptr<const cluster::NodeFacts> facts;
    std::vector<std::shared_ptr<const cluster::PublishedSlice>> slices;
    std::vector<std::int64_t> generations;  ///< of its pools: what makes slices count
  };
  struct HardwareChanges {
    std::vector<Hardware> of;  ///< by node index
    std::vector<cluster::NodeIndex> last;
    std::uint64_t before = 1;
  };
  HardwareChanges hardware_;
  struct Rows {
    std::vector<double> free, capacity;
  };
  Rows rows_;
  UsableCapacity usable_;
  struct Names {
    std::vector<std::uint32_t> ranks;  ///< by node index
    std::string text;                  ///< all names in their order: read one after another
    std::vector<std::size_t> ends;     ///< by rank: where its name ends in `text`
    std::unordered_map<NodeName, cluster::NodeIndex> indices;
    std::vector<std::uint32_t> followers;  ///< by rank: the rank that came next in the last list

    [[nodiscard]] std::string_view at(std::uint32_t rank) const {
      const auto begin = rank == 0 ? 0 : ends[rank - 1];
      return std::string_view(text).substr(begin, ends[rank] - begin);
    }
  };
  std::vector<cluster::NodeIndex> by_name_;
  Names names_;
  struct DevicesOfNodes {
    std::optional<policy::DeviceAmounts> amounts;
    DeviceOffers offers;
  };
  DevicesOfNodes devices_;
};

}  // namespace dray::planner
