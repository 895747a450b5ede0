#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/reading.h"

namespace dray::metrics {

/// Takes a metric's values, each with the values of its labels in the order of their names.
class Samples {
 public:
  struct Sample {
    double value = 0;
    std::vector<std::string> labels;
  };

  template <class Number>
  void operator()(Number value, std::initializer_list<std::string_view> labels = {}) {
    taken_.push_back({static_cast<double>(value), {labels.begin(), labels.end()}});
  }
  [[nodiscard]] std::span<const Sample> taken() const { return taken_; }

 private:
  std::vector<Sample> taken_;
};

enum class Type : std::uint8_t { counter, gauge, histogram };
using Labels = std::array<std::string_view, 2>;  ///< names; empty: no more
using Read = void (*)(const Reading&, Samples&);

/// A metric: how it is called, what it says, and how it is fed.
struct Metric {
  std::string_view name;
  Type type = Type::gauge;
  std::string_view help;  ///< its document: what is counted, in which unit
  Labels labels = {};
  std::span<const double> buckets = {};  ///< of a histogram: upper bounds, rising
  /// Reads it off the engine for each page. None: it is fed where it happens, by Metrics::count()
  /// or Metrics::observe().
  Read read = nullptr;

  [[nodiscard]] constexpr std::size_t label_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(labels, [](std::string_view label) { return !label.empty(); }));
  }
};

}  // namespace dray::metrics
