#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dashboard/device_owners.h"
#include "dray/engine/engine.h"

namespace dray::dashboard {

/// The cluster as the dashboard shows it: taken from the engine in short steps, and never changed
/// afterwards. The jobs are as they were within the moments after the snapshot. One thread.
class Picture {
 public:
  std::uint64_t revision = 0;  ///< counts up with each picture that differs from the one before
  Time at;
  engine::Engine::Picture engine;
  std::vector<engine::Engine::JobRow> jobs;  ///< by uid
  std::vector<engine::Engine::UnformedPod> unformed;

  /// Made when first asked for.
  [[nodiscard]] const DeviceOwners& owners() const {
    if (!owners_) owners_ = std::make_unique<DeviceOwners>(*engine.snapshot, jobs);
    return *owners_;
  }
  /// Namespaces of its claims, jobs and pods, sorted. Made when first asked for.
  [[nodiscard]] const std::vector<std::string>& namespaces() const;
  /// Nobody could tell them apart, but for their times.
  [[nodiscard]] bool shows_the_same(const Picture& other) const;

 private:
  mutable std::unique_ptr<DeviceOwners> owners_;
  mutable std::unique_ptr<const std::vector<std::string>> namespaces_;
};

/// Members of the job that have no room.
[[nodiscard]] std::size_t waiting_members(const planner::Job& job);

}  // namespace dray::dashboard
