#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dray/cel/selector_memo.h"
#include "dray/cluster/snapshot.h"
#include "dray/policy/policy.h"

namespace dray::planner {

/// What the nodes of a cluster offer of each device class that a policy counts, in summary: what a
/// pending request may take is estimated by it. Kept node by node.
class DeviceOffers {
 public:
  /// Devices that count alike: of one driver, with the same capacities, shareable or not.
  struct Size {
    DriverName driver;
    std::shared_ptr<const cluster::DeviceTraits> traits;  ///< of one of them
    std::size_t devices = 0;
  };
  struct OfClass {
    std::vector<Size> sizes;
    std::size_t fewest = 0;  ///< devices that a node sees which sees any
    std::size_t most = 0;    ///< devices that a node sees
    bool shareable = false;  ///< some may be given to several claims
  };

  /// Nothing is known; the policy's classes count from now on.
  void restart(const cluster::Snapshot& snapshot, const policy::Policy& policy);
  /// Brings a node up to the snapshot. One that publishes the same slices costs a comparison.
  void measure(const cluster::Snapshot& snapshot, cluster::NodeIndex node);
  /// Nodes from that index on are not there any more.
  void remove_from(std::size_t limit);
  /// The same as measure() for devices that many nodes see.
  void measure_shared(const cluster::Snapshot& snapshot);

  /// Null: the class is not counted, or not there.
  [[nodiscard]] const OfClass* find(const ClassName& name) const;
  /// Moves when any answer of find() changes.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// Moves when OfClass::shareable of some class does, or a class has its first devices.
  [[nodiscard]] std::uint64_t sharing_version() const { return sharing_version_; }

 private:
  /// A slice, held so that nothing else gets its address, with its pool's driver.
  using Slice = std::pair<DriverName, std::shared_ptr<const cluster::PublishedSlice>>;
  struct Source {
    std::vector<Slice> slices;
    std::vector<std::size_t> counts;  ///< devices, by class
  };
  struct Counted {
    ClassName name;
    std::shared_ptr<const cluster::CompiledClass> compiled;
    OfClass offer;
    std::map<std::size_t, std::size_t> nodes;  ///< by how many devices they have: how many
  };

  void replace(Source& source, std::vector<Slice> slices, bool of_node);
  void add(Counted& counted, const DriverName& driver, const cluster::PublishedDevice& device);
  void remove(Counted& counted, const DriverName& driver, const cluster::PublishedDevice& device);
  [[nodiscard]] bool is_of(const Counted& counted, const cluster::PublishedDevice& device);
  void summarize(std::size_t at);

  std::vector<Counted> classes_;
  std::vector<Source> nodes_;
  Source shared_;
  cel::SelectorMemo memo_;
  std::uint64_t version_ = 0;
  std::uint64_t sharing_version_ = 0;
};

}  // namespace dray::planner
