#include "tests/dst/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "tests/dst/environment.h"
#include "tests/dst/run.h"

namespace dray::dst {
namespace {

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

void play_one(const Story& story) {
  const auto outcome = run(story, true);
  for (const auto& line : outcome.trace) std::cout << line << "\n";
  std::cout << describe(story);
  INFO("seed " << story.seed << ": " << outcome.violation.value_or("no violation"));
  CHECK(!outcome.violation);
}

}  // namespace

void play(const Family& family) {
  if (std::getenv("DRAY_DST_SEED") != nullptr) {
    return play_one(family.story_of(number_from_environment("DRAY_DST_SEED", 0)));
  }
  const auto seeds = number_from_environment("DRAY_DST_SEEDS", 300);
  const auto first = number_from_environment("DRAY_DST_FIRST", 1);
  const bool print_hashes = std::getenv("DRAY_DST_HASHES") != nullptr;
  std::map<std::string, int> seen;
  std::uint64_t events = 0;
  bool told = false;
  Duration slowest{};
  for (auto seed = first; seed < first + seeds; ++seed) {
    const auto story = family.story_of(seed);
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
  for (const auto* state : family.interesting) {
    INFO("never happened: " << state);
    CHECK(seen.contains(state));
  }
}

}  // namespace dray::dst
