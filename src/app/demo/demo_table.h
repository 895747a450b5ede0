#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/demo/outcome_log.h"
#include "dray/model/placement.h"

namespace dray::app {

/// What became of one pod of the demo, as it is shown.
struct DemoRow {
  PodKey pod;
  Outcome::Kind kind = Outcome::Kind::waits;
  std::string node;  ///< empty: it waits
  std::vector<AllocatedDevice> devices;
  std::string reason;                ///< why there, or why not
  std::chrono::microseconds took{};  ///< from its creation to its binding, or to the reason
};

/// A readable line; columns line up with table_header().
[[nodiscard]] std::string table_header();
[[nodiscard]] std::string table_line(const DemoRow& row);
/// {"pod":…,"node":…,"devices":[…],"reason":…,"micros":…}; node is null for a pod that waits.
[[nodiscard]] std::string json_line(const DemoRow& row);

/// `gpu: 8 x gpu-0…gpu-7`, `gpu: gpu-3, nic: pci-0000-18-00-0`.
[[nodiscard]] std::string describe_devices(const std::vector<AllocatedDevice>& devices);

}  // namespace dray::app
