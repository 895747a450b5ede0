#pragma once

#include <cstdint>
#include <optional>

#include "sim/cluster_loop.h"

namespace dray::dst {

/// splitmix64: the only source of chance in a run.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    auto x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  /// 0 to n-1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  Duration up_to(Duration most) { return Duration(between(0, most.count())); }

 private:
  std::uint64_t state_;
};

/// Which faults a seed has: a random subset, so that rare ones are not drowned by common ones.
struct Faults {
  bool lost_writes = false;
  bool unanswered_writes = false;
  bool lost_calls = false;
  bool slow_watches = false;
  bool slow_lists = false;
  bool slow_writes = false;
  bool slow_plans = false;
  bool broken_watches = false;
  bool compaction = false;
  bool crashes = false;
  bool rivals = false;
  bool nodes_change = false;
  bool pods_deleted = false;

  static Faults of(Dice& dice) {
    const auto maybe = [&] { return dice.chance(40); };
    return {.lost_writes = maybe(),
            .unanswered_writes = maybe(),
            .lost_calls = maybe(),
            .slow_watches = maybe(),
            .slow_lists = maybe(),
            .slow_writes = maybe(),
            .slow_plans = maybe(),
            .broken_watches = maybe(),
            .compaction = maybe(),
            .crashes = maybe(),
            .rivals = maybe(),
            .nodes_change = maybe(),
            .pods_deleted = maybe()};
  }
};

/// Bad weather until it heals.
class Storm : public sim::Weather {
 public:
  Storm(const Faults& faults, std::uint64_t seed) : faults_(faults), dice_(seed) {}

  void heal() { healed_ = true; }
  struct Seen {
    int lost_writes = 0;
    int unanswered_binds = 0;
    int unanswered_allocations = 0;
    int lost_calls = 0;
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }

  Duration watch_delay(sim::Client client, Kind kind) override {
    if (healed_ || !faults_.slow_watches) return Weather::watch_delay(client, kind);
    // Now and then one kind is far behind the others.
    return dice_.chance(5) ? dice_.up_to(std::chrono::seconds(2))
                           : dice_.up_to(std::chrono::milliseconds(20));
  }
  Duration list_delay(sim::Client client, Kind kind) override {
    if (healed_ || !faults_.slow_lists) return Weather::list_delay(client, kind);
    return dice_.up_to(std::chrono::seconds(3));
  }
  std::optional<Duration> watch_breaks(sim::Client /*client*/, Kind /*kind*/) override {
    if (healed_ || !faults_.broken_watches || !dice_.chance(2)) return std::nullopt;
    return dice_.up_to(std::chrono::seconds(3));
  }
  Duration write_delay() override {
    if (healed_ || !faults_.slow_writes) return Weather::write_delay();
    return dice_.chance(5) ? dice_.up_to(std::chrono::milliseconds(800))
                           : dice_.up_to(std::chrono::milliseconds(20));
  }
  Fate write_fate(const engine::Write& write) override {
    if (healed_) return Fate::delivered;
    if (faults_.lost_writes && dice_.chance(5)) {
      ++seen_.lost_writes;
      return Fate::lost;
    }
    if (faults_.unanswered_writes && dice_.chance(5)) {
      seen_.unanswered_binds += std::holds_alternative<engine::BindPod>(write) ? 1 : 0;
      seen_.unanswered_allocations += std::holds_alternative<engine::AllocateClaim>(write) ? 1 : 0;
      return Fate::unanswered;
    }
    return Fate::delivered;
  }
  Fate call_fate() override {
    if (healed_ || !faults_.lost_calls || !dice_.chance(8)) return Fate::delivered;
    ++seen_.lost_calls;
    return dice_.chance(50) ? Fate::lost : Fate::unanswered;
  }
  Duration plan_delay() override {
    if (healed_ || !faults_.slow_plans) return Weather::plan_delay();
    return dice_.up_to(std::chrono::milliseconds(500));
  }

 private:
  Faults faults_;
  Dice dice_;
  bool healed_ = false;
  Seen seen_;
};

}  // namespace dray::dst
