#pragma once

#include <span>

#include "tests/dst/stage.h"

namespace dray::dst {

/// Something that is rare in a cluster, and often in the seeds that have it.
struct Oddity {
  const char* name;
  void (*shape)(Story&);  ///< the world and the weather that it needs
  void (*play)(Stage&);   ///< one scene
  Duration length;        ///< of a scene
};

std::span<const Oddity> odd_claims();
std::span<const Oddity> odd_queues();
std::span<const Oddity> odd_leases();
std::span<const Oddity> odd_pods();
/// These came later: each shares the seeds of one of the others.
std::span<const Oddity> odd_waits();
std::span<const Oddity> odd_terms();

/// A small world with one oddity or two, whose scenes follow each other while the weather is bad.
Story odd_story(std::uint64_t seed);

}  // namespace dray::dst
