#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::report {

/// Measures in Prometheus' text format, as gauges: for a file of node_exporter's textfile collector
/// or a Pushgateway.
class MetricsText {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  /// A sample of a family, which has the help of its first sample.
  void add(std::string_view family, std::string_view help, Labels labels, double value);
  /// The families in the order of their first samples, each with its samples in their order.
  [[nodiscard]] std::string text() const;

 private:
  struct Sample {
    Labels labels;
    double value;
  };
  struct Family {
    std::string_view name;
    std::string_view help;
    std::vector<Sample> samples;
  };
  std::vector<Family> families_;
};

}  // namespace dray::report
