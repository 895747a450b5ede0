#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "sim/weather.h"
#include "tests/dst/world.h"

namespace dray::dst {

/// Bad weather until it heals. What a doomed pod asks for is refused for ever.
class Storm : public sim::Weather {
 public:
  Storm(const Faults& faults, std::uint64_t seed) : faults_(faults), dice_(seed, 3) {}

  void heal() { healed_ = true; }
  struct Seen {
    int lost_writes = 0;
    int unanswered_binds = 0;
    int unanswered_allocations = 0;
    int late_writes = 0;
    int refused_writes = 0;
    int overloads = 0;
    int lost_calls = 0;
    int doomed_writes = 0;
    int doomed_lifts = 0;
    int doomed_releases = 0;
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }

  Duration watch_delay(sim::Client client, Kind kind) override;
  Duration list_delay(sim::Client client, Kind kind) override;
  std::optional<Duration> watch_breaks(sim::Client client, Kind kind) override;
  Duration send_delay() override;
  Duration write_delay() override;
  Duration late_by() override { return dice_.up_to(std::chrono::seconds(30)); }
  sim::Fate write_fate(std::size_t replica, const engine::Write& write) override;
  Duration policy_lag() override;
  sim::Fate call_fate() override;
  Duration plan_delay() override;

 private:
  sim::Fate lease_fate();
  std::optional<sim::Fate> doom(const engine::Write& write);
  std::optional<sim::Fate> bad_answer(const engine::Write& write);

  Faults faults_;
  Dice dice_;
  bool healed_ = false;
  std::set<ClaimKey> in_doubt_;  ///< an allocation of it is on its way still
  Seen seen_;
};

/// Claims of this name's beginning are refused for good (an admission policy of the cluster's own).
inline constexpr const char* doomed_prefix = "doomed";
/// A pod whose gate stays.
inline constexpr const char* doomed_gate = "doomed-gate";
/// A pod that cannot be bound while the storm lasts, and whose claims cannot be given back, ever.
inline constexpr const char* kept_prefix = "kept";

}  // namespace dray::dst
