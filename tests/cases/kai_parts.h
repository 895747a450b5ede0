#pragma once

#include <chrono>
#include <cmath>
#include <string>

#include "dray/model/claim.h"
#include "dray/model/device.h"
#include "dray/planner/job.h"
#include "tests/cases/runner.h"
#include "tests/objects/claims.h"

// What the readers of KAI's cases have in common.

namespace dray::cases {

inline constexpr Time test_start = Time(std::chrono::hours(24 * 365 * 60));
inline constexpr const char* gpu_driver = "gpu.kai";
inline constexpr const char* zone_driver = "zone.kai";

/// A member of an object, which may also be null where it is absent.
template <class T>
T get_or(const Json& json, const char* key, T absent) {
  const auto it = json.find(key);
  return it == json.end() || it->is_null() ? absent : it->get<T>();
}
inline std::string text_of(const Json& json, const char* key) {
  return get_or(json, key, std::string());
}
inline Json object_of(const Json& json, const char* key) {
  return get_or(json, key, Json(Json::object()));
}
inline Json list_of(const Json& json, const char* key) {
  return get_or(json, key, Json(Json::array()));
}

/// A whole number that the case gives as a floating one.
inline Quantity whole(double value) {
  return Quantity(std::llround(value));
}

inline Time minutes_from_start(const Json& json, const char* key) {
  return test_start + std::chrono::duration_cast<Duration>(
                          std::chrono::duration<double, std::ratio<60>>(get_or(json, key, 0.0)));
}

inline Duration seconds_of(const Json& value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value.get<double>()));
}

/// Statuses of a task that has its node and devices, though it may be on its way out.
inline bool holds_room(const std::string& status) {
  return status == "Running" || status == "Binding" || status == "Bound" || status == "Allocated" ||
         status == "Releasing" || status == "StuckInReleasing";
}

/// Where KAI keeps which zones a pod was seen to run on.
inline constexpr const char* zones_annotation = "kai.scheduler/numa-placement-observed";

/// The CPU in a resource list of Kubernetes, in thousandths: the unit of the case's own numbers.
inline Quantity cpu_in(const Json& amounts) {
  return Quantity(Quantity::parse(get_or(amounts, "cpu", std::string("0"))).value().milli_value());
}

/// The number at the end of a zone's id.
inline int zone_number(const std::string& id) {
  return std::stoi(id.substr(id.find_last_not_of("0123456789") + 1));
}

}  // namespace dray::cases
