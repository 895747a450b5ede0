#pragma once

#include <cstddef>
#include <optional>

#include "tests/dst/stage.h"

namespace dray::dst {

/// The scenes of an odd seed, and what is looked at all the time besides; of another seed nothing.
class Scenes {
 public:
  Scenes(const Story& story, sim::ClusterLoop& loop, Checker& checker, OddStorm& storm);

  /// Before the replicas start.
  void plan();
  void committed(const sim::WatchEvent& event) {
    if (is_odd()) stage_.committed(event);
  }
  /// The weather is fair from now on.
  void heal();
  /// When all is over.
  void judge();
  [[nodiscard]] const std::set<std::string>& seen() const { return stage_.seen(); }

 private:
  [[nodiscard]] bool is_odd() const { return !story_.oddities.empty(); }
  void play();
  void look();
  void look_for_order();
  void look_for_answers();

  const Story& story_;
  sim::ClusterLoop& loop_;
  Checker& checker_;
  Stage stage_;
  Dice dice_;
  Time healed_at_{};
  std::optional<Time> unrest_since_;
};

}  // namespace dray::dst
