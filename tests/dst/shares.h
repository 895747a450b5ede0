#pragma once

#include <optional>
#include <set>
#include <string>

#include "tests/dst/facts.h"
#include "tests/dst/world.h"

namespace dray::dst {

/// A pod that could have a GPU of its queue's share.
struct Starved {
  Pod pod;
  std::string how;
};

/// L4: no pod of a queue below its quota waits, while another queue has more than its own quota and
/// runs a pod that could go and leave enough room. Judged at rest; adds to `seen` what it meets.
std::optional<Starved> who_lacks_its_share(const World& world, const Facts& facts,
                                           std::set<std::string>& seen);

}  // namespace dray::dst
