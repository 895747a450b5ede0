#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/alloc/feature_gates.h"
#include "dray/engine/engine.h"
#include "dray/engine/outbox.h"
#include "metrics/device_figures.h"

namespace dray::metrics {

/// What is read when /metrics is asked for.
struct Reading {
  /// How one kind's list and watch do: see kube::WatchFigures.
  struct Watch {
    std::string kind;  ///< no two have the same
    std::uint64_t lists = 0;
    std::uint64_t corrections = 0;
    std::chrono::duration<double> silence{};
    std::chrono::duration<double> failing{};
  };
  struct Recording {
    bool going_on = false;
    std::uint64_t steps = 0;
    std::size_t waiting = 0;
  };

  engine::Engine::Status engine = {};
  std::string policy_problem =
      {};  ///< why the policy is not in force as written last; empty: it is
  /// What the policy names that the cluster does not have.
  std::vector<std::string> policy_warnings = {};
  engine::Outbox::Status outbox = {};
  std::vector<alloc::GateDifference> gates = {};
  std::vector<Watch> watches = {};
  std::shared_ptr<const cluster::Snapshot> snapshot = {};  ///< Metrics counts its devices
  std::map<DriverName, DeviceFigures> devices = {};
  std::map<ClassName, DeviceFigures> class_devices = {};
  std::optional<Recording> recording = {};
  std::int32_t lease_epoch = 0;
  std::uint64_t policy_generation = 0;
  std::string version = {};  ///< Metrics fills it in
};

}  // namespace dray::metrics
