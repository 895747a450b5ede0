#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/node_table.h"
#include "dray/cluster/snapshot.h"

namespace dray::cluster {

/// The pools with their slices and what is allocated of them. An allocation of a device that no
/// slice shows (any more) is kept for when one does.
class PoolTable {
 public:
  PoolTable(Stamps& stamps, NodeTable& nodes)
      : stamps_(stamps), nodes_(nodes), shared_(std::make_shared<std::vector<PoolIndex>>()) {}

  void put(const DriverName& driver, const PoolName& pool,
           std::shared_ptr<const PublishedSlice> slice);
  void erase(const std::string& slice_name);
  /// The order in which a slice of that name first came.
  [[nodiscard]] std::optional<std::uint64_t> arrival(const std::string& slice_name) const;

  void change_use(const DeviceId& device, const std::function<void(DeviceUse&)>& change);

  [[nodiscard]] std::size_t slices() const { return places_.size(); }
  [[nodiscard]] std::size_t devices() const { return devices_; }
  [[nodiscard]] std::size_t devices_in_use() const { return in_use_; }
  /// Moves when something changes that is not of one node.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

  [[nodiscard]] const Pool& pool(PoolIndex index) const { return *records_[index.get()].pool; }
  [[nodiscard]] Chunked<std::shared_ptr<const Pool>> freeze_pools();
  [[nodiscard]] ShardedMap<std::string, PoolIndex> freeze_index() { return index_.freeze(); }
  [[nodiscard]] std::shared_ptr<const std::vector<PoolIndex>> shared_pools() const {
    return shared_;
  }

 private:
  struct Place {
    PoolIndex pool;
    std::string node;
    std::uint64_t arrival = 0;
  };
  struct Record {
    std::shared_ptr<Pool> pool;   ///< null: no slice
    std::uint64_t cloned_at = 0;  ///< the freeze after which it was last cloned
    std::unordered_map<std::string, DeviceUse> uses;
    /// Where devices are, kept for pools of many slices: device -> arrival and node of the slice.
    std::unordered_multimap<std::string, Place> devices;
    bool indexed = false;
  };

  [[nodiscard]] std::uint32_t record_of(const std::string& driver, const std::string& pool);
  void let_go(std::uint32_t index);
  [[nodiscard]] Pool& own_pool(std::uint32_t index);
  [[nodiscard]] static std::size_t slot_place(const Pool& pool, const std::string& node,
                                              std::uint64_t arrival);
  void remove_slot(const Place& place);
  void slices_changed(std::uint32_t index, const std::string& node);
  void summarize(Pool& pool) const;
  void index_devices(Record& record, const PublishedSlice& slice, bool add);
  [[nodiscard]] std::vector<std::size_t> slots_with(Record& record, const std::string& device);
  void use_changed(std::uint32_t index, const std::string& device);
  void set_shared(PoolIndex pool, bool on);

  Stamps& stamps_;
  NodeTable& nodes_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;  ///< records of no pool: the next ones are theirs
  Chunked<std::shared_ptr<const Pool>> pools_;
  ShardedMap<std::string, PoolIndex> index_;
  std::shared_ptr<const std::vector<PoolIndex>> shared_;
  std::unordered_map<std::string, Place> places_;  // by slice name
  std::uint64_t freezes_ = 1;
  std::uint64_t epoch_ = 0;
  std::size_t devices_ = 0;
  std::size_t in_use_ = 0;
};

/// How a pool is found by name.
[[nodiscard]] inline std::string pool_key(const std::string& driver, const std::string& pool) {
  return driver + "/" + pool;
}

}  // namespace dray::cluster
