#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/dst/world.h"

namespace dray::dst {

/// What came of one run.
struct Outcome {
  std::optional<std::string> violation;  ///< `I1: ...`, by the numbers of docs/faults.md
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::set<std::string> seen;  ///< interesting states
  /// From the end of the storm until all was in order; nothing: it never was.
  std::optional<Duration> recovered_after;
  std::vector<std::string> trace;
};

/// A world, a storm of a minute over it, four minutes of fair weather, a verdict. The same story
/// gives the same outcome.
Outcome run(const Story& story, bool keep_trace);

/// Takes away whatever can go while the same rule stays broken: faults, then pods, nodes, replicas.
Story shrunk(Story story, const std::string& violation);

/// The world and the faults, in a few lines.
std::string describe(const Story& story);

}  // namespace dray::dst
