#pragma once

#include <chrono>
#include <string>

#include "dray/model/claim.h"
#include "dray/model/device.h"
#include "dray/planner/job.h"
#include "tests/cases/runner.h"

// What the parts of KaiWorld have in common.

namespace dray::cases {

inline constexpr Time test_start = Time(std::chrono::hours(24 * 365 * 60));
inline constexpr const char* gpu_driver = "gpu.kai";
inline constexpr const char* zone_driver = "zone.kai";

inline Time minutes_from_start(const Json& json, const char* key) {
  return test_start + std::chrono::duration_cast<Duration>(
                          std::chrono::duration<double, std::ratio<60>>(json.value(key, 0.0)));
}

inline Duration seconds_of(const Json& value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value.get<double>()));
}

inline bool is_core(const std::string& resource) {
  return resource == "cpu" || resource == "memory" || resource == "pods" || resource == "gpu";
}

inline DeviceClass class_of(const std::string& name, const std::string& driver) {
  DeviceClass made;
  made.meta.name = name;
  made.selectors.push_back({.cel = "device.driver == \"" + driver + "\""});
  return made;
}

inline ResourceSlice slice_of(const std::string& node, const std::string& driver,
                              std::int64_t count) {
  ResourceSlice slice;
  slice.meta.name = node + "-" + driver;
  slice.meta.uid = Uid(slice.meta.name);
  slice.driver = DriverName(driver);
  slice.pool = PoolName(node);
  slice.pool_generation = 1;
  slice.scope.node_name = NodeName(node);
  for (std::int64_t i = 0; i < count; ++i) {
    Device device;
    device.name = DeviceName(std::to_string(i));
    device.attributes["index"] = i;
    slice.devices.push_back(std::move(device));
  }
  return slice;
}

/// Of a claim that is the task's own.
inline ObjectMeta meta_of_claim(const std::string& prefix, const std::string& task,
                                const std::string& name_space) {
  ObjectMeta meta;
  meta.namespace_name = name_space;
  meta.name = prefix + task;
  meta.uid = Uid(meta.name);
  meta.owners.push_back(
      {.api_version = "v1", .kind = "Pod", .name = task, .uid = Uid(task), .controller = true});
  return meta;
}

inline bool holds_room(const std::string& status) {
  return status == "Running" || status == "Binding" || status == "Bound" || status == "Allocated" ||
         status == "Releasing" || status == "StuckInReleasing";
}

inline planner::MemberState state_of(const std::string& status) {
  if (status == "Pending") return planner::MemberState::waiting;
  if (status == "Releasing") return planner::MemberState::leaving;
  if (status == "StuckInReleasing") return planner::MemberState::stuck;
  if (status == "Gated") return planner::MemberState::blocked;
  if (holds_room(status)) return planner::MemberState::placed;
  return planner::MemberState::done;
}

inline policy::TopologyConstraint constraint_of(const Json& group) {
  const auto it = group.find("topologyConstraint");
  if (it == group.end() || it->is_null()) return {};
  return {it->value("topology", ""), it->value("required", ""), it->value("preferred", "")};
}

}  // namespace dray::cases
