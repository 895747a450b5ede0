#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/dst/run.h"

// Fault simulation of the main job: gated and ungated pods with claims, through kube-scheduler's
// calls, to the binding, while writes, watches, calls, nodes, pods and dray itself fail.
//   DRAY_DST_SEEDS=N   so many seeds (300 where absent)
//   DRAY_DST_SEED=N    this one alone, with its trace
//   DRAY_DST_HASHES=1  each seed with the hash of its trace: the same before and after a change
//   that
//                      is to change nothing

namespace dray::main_job_test {

using namespace dray::dst;

namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t absent) {
  const char* text = std::getenv(name);
  return text == nullptr ? absent : std::stoull(text);
}

/// Each must happen in some seed: a simulation in which nothing happens proves nothing.
const char* const interesting[] = {
    "a write was lost",
    "a binding was made without an answer",
    "an allocation was made without an answer",
    "an extender call was lost",
    "a bind was answered with an error",
    "a bind was undone",
    "a reservation expired",
    "a watch was lost for good",
    "a claim is shared",
    "a gang runs",
    "a gang waits at the end",
    "a pod waits for devices at the end",
    "compacted",
    "cordoned under a reservation",
    "crash mid-bind",
    "crash with reservations",
    "every device was in use",
    "gated pod deleted",
    "node removed",
    "pod deleted mid-bind",
    "pod recreated under its name",
    "two crashes",
};

}  // namespace

TEST_CASE("the main job survives every fault, in every seed") {
  if (std::getenv("DRAY_DST_SEED") != nullptr) {
    const auto seed = number_from_environment("DRAY_DST_SEED", 0);
    const auto outcome = Run(seed, true).run();
    for (const auto& line : outcome.trace) std::cout << line << "\n";
    INFO("seed " << seed << ": " << outcome.violation.value_or("no violation"));
    CHECK(!outcome.violation);
    return;
  }
  const auto seeds = number_from_environment("DRAY_DST_SEEDS", 300);
  std::map<std::string, int> seen;
  const bool print_hashes = std::getenv("DRAY_DST_HASHES") != nullptr;
  std::uint64_t events = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto outcome = Run(seed, false).run();
    INFO("seed " << seed << ": " << outcome.violation.value_or("no violation"));
    CHECK(!outcome.violation);
    for (const auto& state : outcome.seen) ++seen[state];
    events += outcome.events;
    if (print_hashes) fmt::print("{} {:016x}\n", seed, outcome.trace_hash);
    if (seed % 25 == 1) CHECK(Run(seed, false).run().trace_hash == outcome.trace_hash);
  }
  std::cout << seeds << " seeds, " << events << " events\n";
  for (const auto& [state, times] : seen) std::cout << "  " << times << "  " << state << "\n";
  if (seeds < 300) return;
  for (const auto* state : interesting) {
    INFO("never happened: " << state);
    CHECK(seen.contains(state));
  }
}

}  // namespace dray::main_job_test
