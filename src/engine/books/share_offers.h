#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/engine/share_claim.h"

namespace dray::engine {

/// The sizes of published devices of which parts can be had, kept slice by slice: a change costs
/// what its slice has.
class ShareOffers {
 public:
  /// Another rule: all slices are looked at again.
  void set_rule(const std::optional<policy::Fractions>& rule, const cluster::Snapshot& snapshot);
  void put(const ResourceSlice& slice);
  void erase(const std::string& slice);

  /// The smallest memory first.
  [[nodiscard]] std::vector<ShareOffer> all() const;

 private:
  template <class Traits>
  void collect(const DriverName& driver, const Traits& device, std::set<ShareOffer>& into) const;
  void replace(const std::string& slice, std::set<ShareOffer> next);

  std::optional<policy::Fractions> rule_;
  std::map<std::string, std::set<ShareOffer>> by_slice_;
  std::map<ShareOffer, std::size_t> slices_;  ///< how many have it
};

}  // namespace dray::engine
