#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "alloc/view/amount.h"
#include "dray/alloc/features.h"
#include "dray/base/error.h"
#include "dray/cluster/allocated_state.h"

namespace dray::alloc {

/// What a device takes of its pool's counters: rows of NodeView::counters, and amounts.
struct CounterTake {
  std::uint32_t row = 0;
  Amount amount = 0;
};

/// What a device says of compatibility in one counter set of its pool.
struct GroupTake {
  std::uint32_t set = 0;  ///< of NodeView::group_sets
  std::vector<std::string> groups;
};

/// One device that a node may use, in the order of search.
struct ViewDevice {
  const cluster::PublishedDevice* device = nullptr;
  const cluster::PublishedSlice* slice = nullptr;
  const cluster::DeviceUse* use = nullptr;  ///< null: none
  std::uint32_t pool = 0;                   ///< of NodeView::pools
  std::vector<CounterTake> counters;
  std::vector<GroupTake> groups;

  [[nodiscard]] const cluster::DeviceTraits& traits() const { return *device->traits; }
  [[nodiscard]] const std::string& name() const { return *device->name; }
};

/// One pool as a node sees it.
struct ViewPool {
  const cluster::Pool* pool = nullptr;
  cluster::PoolIndex index;
  bool incomplete = false;
  bool invalid = false;
  std::string fault;  ///< of an invalid one: what it has, `two devices named gpu-0`
  /// Of an incomplete one: slices of its newest generation, and how many there are to be.
  std::int64_t generation = 0;
  std::int64_t slices = 0;
  std::int64_t promised = 0;
  std::uint32_t first = 0;  ///< its devices: [first, last) of NodeView::devices
  std::uint32_t last = 0;
  std::uint32_t short_rows = 0;    ///< counters that are overdrawn before anything is placed
  bool counters_may_grow = false;  ///< some device takes a negative amount

  [[nodiscard]] bool usable() const { return !incomplete && !invalid; }
  [[nodiscard]] std::string id() const { return pool->driver.get() + "/" + pool->name.get(); }
};

/// What a pool's counter set allows besides counting (KEP-5963).
struct GroupSet {
  bool has_members = false;
  bool all_empty = false;
  std::vector<std::string> groups;  ///< running intersection, sorted

  [[nodiscard]] bool admits(const std::vector<std::string>& more) const;
  void add(const std::vector<std::string>& more);
};

/// The devices of a node in upstream's order of search (GatherPools). Points into the snapshot and
/// the overlay that it was made from.
struct NodeView {
  std::vector<ViewPool> pools;  ///< incomplete and invalid ones have no devices
  std::vector<ViewDevice> devices;
  std::vector<Amount> counters;  ///< left, by row
  std::vector<std::uint32_t> row_pool;
  std::vector<GroupSet> group_sets;
  bool any_invalid = false;

  [[nodiscard]] DeviceId id(std::uint32_t device) const;
  [[nodiscard]] std::string id_text(std::uint32_t device) const;
};

/// An Error is upstream's "gather pool information: …".
[[nodiscard]] Result<NodeView> gather(const cluster::AllocatedState& state, cluster::NodeIndex node,
                                      const Features& features);

}  // namespace dray::alloc
