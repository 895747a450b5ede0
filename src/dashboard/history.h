#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dray/engine/engine.h"

namespace dray::dashboard {

/// What queues held and what was their fair share over the last while, in memory: at most
/// `most_samples` moments of `most_values` amounts. The oldest go first. One thread.
class History {
 public:
  static constexpr std::size_t most_samples = 720;
  /// Queues times resources; queues beyond it, by name, are not kept.
  static constexpr std::size_t most_values = 1024;

  void add(Time at, const engine::Engine::Status& status);

  /// One queue's curve; amounts as the engine has them.
  struct Curve {
    std::string queue;
    std::vector<float> used;
    std::vector<float> fair_share;
  };
  /// Moments, oldest first, and a curve a queue, as long as they.
  struct Curves {
    std::vector<Time> times;
    std::vector<Curve> queues;
    std::size_t left_out = 0;  ///< queues that are not kept
  };
  /// Of the resource of that name, since the queues or the resources last became others.
  [[nodiscard]] Curves of(const std::string& resource) const;

 private:
  /// What the values of a sample are of; shared by samples alike.
  struct Names {
    std::vector<std::string> queues;
    std::vector<std::string> resources;
    std::size_t left_out = 0;

    bool operator==(const Names&) const = default;
  };
  struct Sample {
    Time at;
    std::shared_ptr<const Names> names;
    std::vector<float> values;  ///< by queue, by resource: used, fair share
  };
  std::deque<Sample> samples_;
};

}  // namespace dray::dashboard
