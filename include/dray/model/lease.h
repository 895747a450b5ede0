#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dray/model/meta.h"

namespace dray {

/// coordination.k8s.io/v1 Lease.
struct Lease {
  ObjectMeta meta;
  std::string holder;  ///< empty: released
  std::int32_t duration_seconds = 0;
  std::int32_t transitions = 0;  ///< leaseTransitions: dray's epoch
  std::optional<Time> acquired;
  std::optional<Time> renewed;

  bool operator==(const Lease&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& lease) {
    io.object("spec", [&](auto& spec) {
      spec.field("holderIdentity", lease.holder);
      spec.field("leaseDurationSeconds", lease.duration_seconds);
      spec.field("leaseTransitions", lease.transitions);
      spec.micro_time("acquireTime", lease.acquired);
      spec.micro_time("renewTime", lease.renewed);
    });
  }
};

/// events.k8s.io/v1 Event that dray writes: regarding is always a pod.
struct EventRecord {
  std::string type;    ///< Normal or Warning
  std::string reason;  ///< DrayBound, DrayPending…
  std::string action;
  std::string note;

  bool operator==(const EventRecord&) const = default;
};

}  // namespace dray
