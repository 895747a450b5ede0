#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/dst/invariants.h"
#include "tests/dst/world.h"

namespace dray::dst {

/// A pod that could have a GPU of its queue's share.
struct Starved {
  Pod pod;
  std::string how;
};

/// L4: no pod of a queue below its quota waits, while another queue has more than its own quota and
/// runs a pod that could go and leave enough room. Judged at rest, and not where a disruption
/// budget may have kept a victim a moment ago; adds to `seen` what it meets.
std::optional<Starved> who_lacks_its_share(const World& world, const Facts& facts,
                                           std::set<std::string>& seen);

/// L4 over time: nobody lacks its share for long, whatever budgets there are. Longer than a
/// victim's cool-down by a slow clock; where a budget may refuse victims, longer than these are
/// left alone.
class ShareWatch {
 public:
  ShareWatch(const Story& story, Checker& checker) : story_(story), checker_(checker) {}

  /// Every second of fair weather.
  void look();

 private:
  const Story& story_;
  Checker& checker_;
  std::map<Uid, Time> lacking_since_;
};

}  // namespace dray::dst
