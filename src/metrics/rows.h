#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "metrics/metric.h"

/// How rows of the table are made, and what reads the figures that many of them are of.
namespace dray::metrics::row {

using engine::Engine;
using planner::QueueReport;

/// From ten microseconds to ten seconds: a decision takes micro-, a write milliseconds.
inline constexpr auto seconds =
    std::to_array<double>({1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025,
                           0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});

constexpr Metric gauge(std::string_view name, std::string_view help, Labels labels, Read read) {
  return {name, Type::gauge, help, labels, {}, read};
}
/// The engine counts by itself.
constexpr Metric counter(std::string_view name, std::string_view help, Labels labels, Read read) {
  return {name, Type::counter, help, labels, {}, read};
}
/// Fed by Metrics::count().
constexpr Metric counted(std::string_view name, std::string_view help, Labels labels = {}) {
  return {name, Type::counter, help, labels, {}, nullptr};
}
/// Fed by Metrics::observe().
constexpr Metric observed(std::string_view name, std::string_view help, Labels labels = {}) {
  return {name, Type::histogram, help, labels, seconds, nullptr};
}

/// A figure of Engine::Status.
template <auto Figure>
void figure(const Reading& reading, Samples& out) {
  out(reading.engine.*Figure);
}
/// A figure of Outbox::Status.
template <auto Figure>
void outbox(const Reading& reading, Samples& out) {
  out(reading.outbox.*Figure);
}
/// A figure of each class of writes.
template <auto Figure>
void classes(const Reading& reading, Samples& out) {
  using Status = engine::Outbox::ClassStatus;
  for (std::size_t i = 0; i < engine::write_classes; ++i) {
    const Status& each = reading.outbox.classes[i];
    const auto figure = each.*Figure;
    const auto label = engine::name(static_cast<engine::WriteClass>(i));
    if constexpr (std::is_same_v<decltype(figure), const Duration>) {
      out(std::chrono::duration<double>(figure).count(), {label});
    } else {
      out(figure, {label});
    }
  }
}
/// What each queue has of each counted resource, as of the last plan.
template <auto Amounts>
void queues(const Reading& reading, Samples& out) {
  const auto& resources = reading.engine.resources;
  for (const auto& queue : reading.engine.queues) {
    const policy::Amounts& amounts = queue.*Amounts;
    const auto count = std::min(resources.size(), amounts.size());
    for (std::size_t i = 0; i < count; ++i) out(amounts[i], {queue.queue.get(), resources[i].name});
  }
}

/// What the policy in force gives each queue of each counted resource; what has no bound is left
/// out.
template <auto Amounts>
void rules(const Reading& reading, Samples& out) {
  if (!reading.engine.policy) return;
  const auto& resources = reading.engine.resources;
  for (const auto& queue : reading.engine.policy->queues.queues()) {
    const policy::Amounts& amounts = queue.*Amounts;
    const auto count = std::min(resources.size(), amounts.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (amounts[i] != policy::unlimited) out(amounts[i], {queue.name.get(), resources[i].name});
    }
  }
}
/// How many wait in each queue of the policy in force.
template <auto Figure>
void queues_waiting(const Reading& reading, Samples& out) {
  if (!reading.engine.policy) return;
  const auto& waiting = reading.engine.queues_waiting;
  for (const auto& queue : reading.engine.policy->queues.queues()) {
    const auto found = waiting.find(queue.name);
    out(found == waiting.end() ? std::size_t{0} : found->second.*Figure, {queue.name.get()});
  }
}
/// A figure of the devices of each driver.
template <auto Figure>
void drivers(const Reading& reading, Samples& out) {
  for (const auto& [driver, figures] : reading.devices) out(figures.*Figure, {driver.get()});
}
/// Devices by state, by what names them.
template <auto Devices>
void states(const Reading& reading, Samples& out) {
  for (const auto& [name, figures] : reading.*Devices) {
    out(figures.free, {name.get(), "free"});
    out(figures.tainted, {name.get(), "tainted"});
    out(figures.blocked, {name.get(), "blocked"});
    out(figures.in_use, {name.get(), "in_use"});
    out(figures.shared, {name.get(), "shared"});
  }
}
/// A figure of each kind's watch.
template <auto Figure>
void watches(const Reading& reading, Samples& out) {
  for (const auto& each : reading.watches) {
    const auto figure = each.*Figure;
    if constexpr (std::is_same_v<decltype(figure), const std::chrono::duration<double>>) {
      out(figure.count(), {each.kind});
    } else {
      out(figure, {each.kind});
    }
  }
}
/// A figure of the flight recorder, where there is one.
template <auto Figure>
void recorder(const Reading& reading, Samples& out) {
  if (reading.recording) out((*reading.recording).*Figure);
}

}  // namespace dray::metrics::row
