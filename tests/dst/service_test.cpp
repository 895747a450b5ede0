#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/dst/environment.h"
#include "tests/dst/run.h"

// The whole service in virtual time: replicas with their Lease, fence and outbox, through
// kube-scheduler's calls to the binding, while writes, watches, calls, clocks, nodes, pods, claims
// and dray itself fail.
//   DRAY_DST_SEEDS=N   so many seeds (300 where absent)
//   DRAY_DST_FIRST=N   from this one on
//   DRAY_DST_SEED=N    this one alone, with its trace; made as small as it gets if it fails
//   DRAY_DST_STOP=1    the first seed that fails is the last
//   DRAY_DST_HASHES=1  each seed with the hash of its trace

namespace dray::dst::service_test {
namespace {

/// Each must happen in some seed: a simulation in which nothing happens proves nothing.
const char* const interesting[] = {
    "a bind call was repeated",
    "a bind was answered with an error",
    "a bind was undone",
    "a binding was made without an answer",
    "a claim could not be given back",
    "a claim is shared",
    "a claim was replaced",
    "a device changed its model",
    "a device could not be attached",
    "a device was attached",
    "a doomed pod was tried again",
    "a gang runs",
    "a gang waits at the end",
    "a gate that stays was tried again",
    "a pod waits for devices at the end",
    "a pod was evicted",
    "a reservation expired",
    "a rival took a device",
    "a watch was lost for good",
    "a write landed late",
    "a write of an old epoch was refused",
    "a write was lost",
    "a write was refused",
    "an allocation was made without an answer",
    "an extender call was lost",
    "compacted",
    "cordoned under a reservation",
    "crash mid-bind",
    "crash with reservations",
    "devices were tainted",
    "gated pod deleted",
    "leadership moved twice",
    "node removed",
    "pod deleted mid-bind",
    "pod recreated under its name",
    "room came for a pod that waited",
    "stopped while writing",
    "the API server was overloaded",
    "the Lease was given back",
    "the policy was read again",
    "two believed to lead",
    "two queues have their quota and want more",
    "two queues want more at the end",
};

/// The smallest story that breaks the same rule, and how it goes.
void tell(const Story& story, const std::string& violation) {
  std::cout << "seed " << story.seed << ": " << violation << "\n";
  const auto small = shrunk(story, violation);
  const auto outcome = run(small, true);
  std::cout << describe(small) << outcome.violation.value_or("not any more") << "\n";
  for (const auto& line : outcome.trace) {
    const bool is_news = line.find("PutLease") == std::string::npos || !line.ends_with("delivered");
    if (is_news && line.find("Lease dray-system") == std::string::npos) std::cout << line << "\n";
    if (line.find("BROKEN") != std::string::npos) break;
  }
}

void play_one(std::uint64_t seed) {
  const auto story = Story::of(seed);
  const auto outcome = run(story, true);
  for (const auto& line : outcome.trace) std::cout << line << "\n";
  std::cout << describe(story);
  INFO("seed " << seed << ": " << outcome.violation.value_or("no violation"));
  CHECK(!outcome.violation);
}

}  // namespace

TEST_CASE("the service survives every fault, in every seed") {
  if (std::getenv("DRAY_DST_SEED") != nullptr) {
    return play_one(number_from_environment("DRAY_DST_SEED", 0));
  }
  const auto seeds = number_from_environment("DRAY_DST_SEEDS", 300);
  const auto first = number_from_environment("DRAY_DST_FIRST", 1);
  const bool print_hashes = std::getenv("DRAY_DST_HASHES") != nullptr;
  std::map<std::string, int> seen;
  std::uint64_t events = 0;
  bool told = false;
  Duration slowest{};
  for (auto seed = first; seed < first + seeds; ++seed) {
    const auto story = Story::of(seed);
    const auto outcome = run(story, false);
    INFO("seed " << seed << ": " << outcome.violation.value_or("no violation"));
    CHECK(!outcome.violation);
    if (outcome.violation && std::getenv("DRAY_DST_STOP") != nullptr) return;
    if (outcome.violation && !std::exchange(told, true)) tell(story, *outcome.violation);
    for (const auto& state : outcome.seen) ++seen[state];
    events += outcome.events;
    slowest = std::max(slowest, outcome.recovered_after.value_or(Duration{}));
    if (print_hashes) fmt::print("{} {:016x}\n", seed, outcome.trace_hash);
    if (seed % 25 == 1) CHECK(run(story, false).trace_hash == outcome.trace_hash);  // I14
  }
  std::cout << seeds << " seeds, " << events << " events, in order again after at most "
            << std::chrono::duration_cast<std::chrono::seconds>(slowest).count() << " s\n";
  for (const auto& [state, times] : seen) std::cout << "  " << times << "  " << state << "\n";
  if (seeds < 300) return;
  for (const auto* state : interesting) {
    INFO("never happened: " << state);
    CHECK(seen.contains(state));
  }
}

}  // namespace dray::dst::service_test
