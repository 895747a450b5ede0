#pragma once

#include <map>
#include <string_view>

#include "dray/base/quantity.h"
#include "dray/cluster/devices.h"

namespace dray::cluster {

/// What the devices in use of one pool leave of its counters, for people and figures: a partition
/// whose counters are taken is in nobody's use, and cannot be had. It goes by the newest
/// generation; compatibility groups are the allocator's alone. Refers to the pool.
class CountersLeft {
 public:
  explicit CountersLeft(const Pool& pool);

  /// A device in use that has taken of a counter of which too little is left for `device`; null:
  /// there is enough of each.
  [[nodiscard]] const PublishedDevice* blocker(const PublishedDevice& device) const;

 private:
  struct Counter {
    Quantity left;
    const PublishedDevice* taker = nullptr;  ///< the first
  };
  void charge(const PublishedDevice& device);

  /// By counter set and counter.
  std::map<std::string_view, std::map<std::string_view, Counter>> sets_;
};

}  // namespace dray::cluster
