#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/table.h"

namespace dray::metrics {

/// A row of the table by its name, looked up when dray is compiled: a name that is not there, or is
/// of another type or fed otherwise, does not compile.
template <Type type>
class Fed {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): the name stands where it is fed.
  consteval Fed(const char* name) : index_(0) {
    while (table[index_].name != name) ++index_;
    if (table[index_].type != type || table[index_].read != nullptr) throw "is not fed like this";
  }
  [[nodiscard]] std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

/// The values of the metrics that are fed where things happen, and the page of all. Any thread.
class Metrics {
 public:
  explicit Metrics(std::string version);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  using LabelValues = std::initializer_list<std::string_view>;
  using Seconds = std::chrono::duration<double>;

  /// Adds to a counter; as many `labels` as its row names.
  void count(Fed<Type::counter> metric, LabelValues labels = {}, double by = 1);
  /// Takes a time into a histogram; as many `labels` as its row names.
  void observe(Fed<Type::histogram> metric, LabelValues labels, Seconds took);

  /// Every row in Prometheus' text format, version 0.0.4.
  [[nodiscard]] std::string page(Reading reading);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::metrics
