#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "dray/cluster/snapshot.h"
#include "dray/model/ids.h"

namespace dray::metrics {

/// How the devices of one driver are used, each counted once. Of partitions of one card each is
/// free until others leave too little for it.
struct DeviceFigures {
  std::size_t free = 0;
  std::size_t tainted = 0;  ///< free, with a taint, its own or a rule's, that keeps pods off
  std::size_t blocked = 0;  ///< free, and partitions in use of its card leave too little for it
  std::size_t in_use = 0;   ///< as a whole
  std::size_t shared = 0;   ///< a part of it at least is in use
  /// Of those that are free, on nodes where another of the driver is used: what is left over.
  std::size_t free_on_used_nodes = 0;
  std::size_t most_free_on_one_node = 0;  ///< what one pod could have at most

  [[nodiscard]] std::size_t all() const { return free + tainted + blocked + in_use + shared; }
  bool operator==(const DeviceFigures&) const = default;
};

/// By driver; of each pool its newest generation. Looks at every device.
[[nodiscard]] std::map<DriverName, DeviceFigures> count_devices(const cluster::Snapshot& snapshot);

/// Counts the devices of one snapshot after another: only pools that are others than in the one
/// before are read, and all of them where a class or a DeviceTaintRule changed.
class DeviceCounter {
 public:
  DeviceCounter();
  ~DeviceCounter();
  DeviceCounter(const DeviceCounter&) = delete;
  DeviceCounter& operator=(const DeviceCounter&) = delete;

  struct Counted {
    std::map<DriverName, DeviceFigures> by_driver;  ///< as count_devices() has it
    /// By DeviceClass, also those that accept none; a device counts for each class that accepts it.
    /// Only the states are counted, and nothing of nodes.
    std::map<ClassName, DeviceFigures> by_class;
  };
  [[nodiscard]] Counted count(std::shared_ptr<const cluster::Snapshot> snapshot);
  /// How many pools were read so far.
  [[nodiscard]] std::size_t pools_read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::metrics
