#include "metrics/metrics.h"

#include <prometheus/client_metric.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "dray/base/check.h"

namespace dray::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Counters = prometheus::Family<prometheus::Counter>;
using Histograms = prometheus::Family<prometheus::Histogram>;

prometheus::Labels labelled(const Metric& row, std::span<const std::string_view> values) {
  DRAY_CHECK(values.size() == row.label_count());
  prometheus::Labels labels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    labels.emplace(row.labels[i], values[i]);
  }
  return labels;
}

prometheus::Histogram::BucketBoundaries bounds(const Metric& row) {
  return {row.buckets.begin(), row.buckets.end()};
}

/// The row without values: how a page says that there is such a metric.
MetricFamily empty(const Metric& row) {
  MetricFamily family;
  family.name = row.name;
  family.help = row.help;
  family.type = row.type == Type::gauge     ? MetricType::Gauge
                : row.type == Type::counter ? MetricType::Counter
                                            : MetricType::Histogram;
  return family;
}

ClientMetric client_metric(const Metric& row, const Samples::Sample& sample) {
  ClientMetric metric;
  const std::vector<std::string_view> values(sample.labels.begin(), sample.labels.end());
  for (const auto& [name, value] : labelled(row, values)) metric.label.push_back({name, value});
  if (row.type == Type::counter) {
    metric.counter.value = sample.value;
  } else {
    metric.gauge.value = sample.value;
  }
  return metric;
}

/// What a row that is fed has taken in: one of the two, by its type; neither if it is read.
struct Taken {
  explicit Taken(const Metric& row) {
    if (row.read != nullptr) return;
    const std::string name(row.name);
    const std::string help(row.help);
    if (row.type == Type::counter) {
      counters = std::make_unique<Counters>(name, help, prometheus::Labels{});
      if (row.label_count() == 0) counters->Add({});
    } else {
      histograms = std::make_unique<Histograms>(name, help, prometheus::Labels{});
      if (row.label_count() == 0) histograms->Add({}, bounds(row));
    }
  }
  [[nodiscard]] std::vector<MetricFamily> collect() const {
    return counters ? counters->Collect() : histograms->Collect();
  }

  std::unique_ptr<Counters> counters;
  std::unique_ptr<Histograms> histograms;
};

}  // namespace

struct Metrics::State {
  explicit State(std::string given) : version(std::move(given)) {
    for (const auto& row : table) taken.emplace_back(row);
  }

  MetricFamily read(const Metric& row, const Reading& reading);

  // Fixed after construction; the families may be used by any thread.
  std::string version;
  std::vector<Taken> taken;  ///< beside the table's rows
  // Shared.
  std::mutex page;
  DeviceCounter devices;
  /// Of the counters that are read, by name and labels: what no later page may go below.
  std::map<std::pair<std::string_view, std::vector<std::string>>, double> highest;
};

MetricFamily Metrics::State::read(const Metric& row, const Reading& reading) {
  Samples samples;
  row.read(reading, samples);
  auto family = empty(row);
  for (auto sample : samples.taken()) {
    if (row.type == Type::counter) {
      auto& most = highest[{row.name, sample.labels}];
      most = std::max(most, sample.value);
      sample.value = most;
    }
    family.metric.push_back(client_metric(row, sample));
  }
  return family;
}

Metrics::Metrics(std::string version) : state_(std::make_unique<State>(std::move(version))) {}
Metrics::~Metrics() = default;

void Metrics::count(Fed<Type::counter> metric, LabelValues labels, double by) {
  const auto& row = table[metric.index()];
  state_->taken[metric.index()].counters->Add(labelled(row, labels)).Increment(by);
}

void Metrics::observe(Fed<Type::histogram> metric, LabelValues labels, Seconds took) {
  const auto& row = table[metric.index()];
  state_->taken[metric.index()]
      .histograms->Add(labelled(row, labels), bounds(row))
      .Observe(took.count());
}

std::string Metrics::page(Reading reading) {
  reading.version = state_->version;
  const std::lock_guard one_at_a_time(state_->page);
  if (reading.snapshot) {
    auto counted = state_->devices.count(reading.snapshot);
    reading.devices = std::move(counted.by_driver);
    reading.class_devices = std::move(counted.by_class);
  }
  std::vector<MetricFamily> families;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].read != nullptr) {
      families.push_back(state_->read(table[i], reading));
      continue;
    }
    auto collected = state_->taken[i].collect();
    if (collected.empty()) collected.push_back(empty(table[i]));
    std::ranges::move(collected, std::back_inserter(families));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace dray::metrics
