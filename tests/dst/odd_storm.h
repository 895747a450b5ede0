#pragma once

#include <functional>
#include <set>
#include <utility>

#include "tests/dst/storm.h"

namespace dray::dst {

/// The weather of a seed with what it has against some (Bias); without a bias it is the Storm.
class OddStorm : public Storm {
 public:
  explicit OddStorm(const Story& story)
      : Storm(story.faults, story.seed), bias_(story.bias), dice_(story.seed, 7) {}

  void heal() {
    healed_ = true;
    Storm::heal();
  }
  /// Until it is called again, nothing that is written to or read of the Lease arrives.
  void cut_lease(bool cut) { lease_is_cut_ = cut; }
  /// Until it is called again, this happens to wake-ups.
  void cut_wake_ups(std::optional<sim::Fate> how) { wake_ups_ = how; }
  /// Is called when a renewal of the Lease is sent.
  void when_renewed(std::function<void(std::size_t replica)> told) { renewed_ = std::move(told); }

  Duration watch_delay(sim::Client client, Kind kind) override;
  Duration write_delay() override;
  Duration call_delay() override;
  Duration plan_delay() override;
  Duration late_by() override;
  sim::Fate call_fate() override;
  sim::Fate write_fate(std::size_t replica, const engine::Write& write) override;

 private:
  std::optional<sim::Fate> lease_fate(std::size_t replica, const engine::Write& write);
  std::optional<sim::Fate> binding_fate(const engine::BindPod& bind);
  [[nodiscard]] Duration way_of(const engine::Write& write);

  Bias bias_;
  Dice dice_;
  bool healed_ = false;
  bool lease_is_cut_ = false;
  std::optional<sim::Fate> wake_ups_;
  std::optional<Duration> way_;  ///< of the write that is being sent, there
  std::set<Uid> in_doubt_;       ///< pods of which a binding is on its way still
  std::function<void(std::size_t)> renewed_;
};

}  // namespace dray::dst
