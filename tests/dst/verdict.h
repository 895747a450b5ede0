#pragma once

#include <set>
#include <string>
#include <vector>

#include "sim/cluster_loop.h"
#include "tests/dst/invariants.h"
#include "tests/dst/world.h"

namespace dray::dst {

/// The pods that are there.
std::vector<Pod> pods_of(const sim::ApiServer& server);
/// Whether it is there to be bound.
bool waits(const Pod& pod);

/// Why the pod waits, as the leader's engine says.
std::string view_of(sim::ClusterLoop& loop, const Pod& pod);

/// What must have come true when the weather has been fair for a while (I4, I5, I8, L1 to L4), told
/// to the checker; adds to `seen` what it meets.
void judge(const Story& story, sim::ClusterLoop& loop, Checker& checker,
           std::set<std::string>& seen);

/// Whether nothing is left to do: all that fits is bound, nobody leads twice, nothing is in flight.
std::string unrest(const Story& story, sim::ClusterLoop& loop, const Facts& facts);

}  // namespace dray::dst
