#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dray/engine/engine.h"

namespace dray::dashboard {

/// What queues held and what was their fair share over the last two weeks, in memory: every moment
/// of the last two hours, of the last two days one each five minutes, before that one an hour; of
/// each at most `most_values` amounts. One thread.
class History {
 public:
  /// Queues times resources; queues beyond it, by name, are not kept.
  static constexpr std::size_t most_values = 1024;
  /// How old a moment may become.
  static constexpr Duration oldest = std::chrono::days(14);

  /// What the values of a sample are of; shared by samples alike.
  struct Names {
    std::vector<std::string> queues;
    std::vector<std::string> resources;
    std::size_t left_out = 0;

    bool operator==(const Names&) const = default;
  };
  /// A moment. No two have the same time.
  struct Sample {
    Time at;
    std::shared_ptr<const Names> names;
    std::vector<float> values;  ///< by queue, by resource: used, fair share
  };
  /// What else is kept now than before, for who keeps a copy.
  struct Change {
    bool added = false;         ///< the last of samples()
    std::vector<Time> dropped;  ///< which are kept no more
  };

  /// Nothing is added before the first plan. Times go up; where the clock was put back, what was
  /// after it is dropped.
  Change add(Time at, const engine::Engine::Status& status);
  /// Moments of an earlier run, oldest first, before the first one of this run.
  void restore(std::vector<Sample> samples);
  /// Oldest first.
  [[nodiscard]] const std::deque<Sample>& samples() const { return samples_; }

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
  /// Of the resource of that name, since the queues or the resources last became others, and of no
  /// moment more than `span` before the last one.
  [[nodiscard]] Curves of(const std::string& resource, Duration span = oldest) const;

 private:
  std::vector<Time> thin(Time now);

  std::deque<Sample> samples_;
};

}  // namespace dray::dashboard
