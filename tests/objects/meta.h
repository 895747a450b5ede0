#pragma once

#include <chrono>
#include <string>

#include "dray/base/quantity.h"
#include "dray/base/time.h"
#include "dray/model/meta.h"

// What all objects have in common. The other files of this folder make one kind each: `make_*` is a
// whole object as the API server keeps it, a bare word is a part of one.

namespace dray::testing {

/// When tests begin.
inline constexpr Time start = Time(std::chrono::hours(24 * 365 * 50));

/// A moment, in seconds since the start.
inline Time at(double seconds) {
  return start + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

inline Quantity quantity(const char* text) {
  return Quantity::parse(text).value();
}

/// Of an object without a namespace: its uid is "uid-NAME".
inline ObjectMeta cluster_meta(const std::string& name, const char* version = "1") {
  ObjectMeta meta;
  meta.name = name;
  meta.uid = Uid("uid-" + name);
  meta.resource_version = ResourceVersion(version);
  return meta;
}

/// Of an object in namespace "default".
inline ObjectMeta default_meta(const std::string& name, const char* version = "1") {
  auto meta = cluster_meta(name, version);
  meta.namespace_name = "default";
  return meta;
}

/// The pod of this name as the controller of what it owns.
inline OwnerReference owner_pod(const std::string& name) {
  return {.api_version = "v1",
          .kind = "Pod",
          .name = name,
          .uid = Uid("uid-" + name),
          .controller = true};
}

}  // namespace dray::testing
