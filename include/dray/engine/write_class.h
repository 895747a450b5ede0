#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dray/base/time.h"
#include "dray/engine/write.h"

namespace dray::engine {

/// How long a write may take, from when it is sent.
inline constexpr Duration write_deadline = std::chrono::seconds(5);
/// An eviction may take longer: while others change the pod or its budget, the API server itself
/// tries again, 20 times with up to 550 ms between them (EvictionsRetry of kubernetes
/// pkg/registry/core/pod/storage/eviction.go), before it says no.
inline constexpr Duration eviction_deadline = std::chrono::seconds(12);
/// Of the two, what this write may take.
[[nodiscard]] Duration deadline_of(const Write& write);

/// What goes first when writes have to wait: from the most urgent to the least.
enum class WriteClass : std::uint8_t {
  undo,   ///< gives back what a failed bind, or a pod that is gone, holds
  bind,   ///< a bind call's chain: claims, then the binding; kube-scheduler waits for it
  evict,  ///< room for others
  lift,   ///< a pod that has its place is handed to kube-scheduler, or woken
  note,   ///< what people read: conditions, Events, the record of usage
};
/// How many classes there are.
inline constexpr std::size_t write_classes = 5;

/// Its class; the Lease's writes have none: they never wait (see is_lease_write()).
[[nodiscard]] WriteClass class_of(const Write& write);
/// `undo`, `bind`, `evict`, `lift` or `note`, for metrics.
[[nodiscard]] std::string_view name(WriteClass write_class);

/// ReadLease and PutLease: they go on a line of their own.
[[nodiscard]] bool is_lease_write(const Write& write);

/// Names what must keep its order: writes of one line go one after another. Empty: of no line.
/// Conditions of a pod have a line of their own: no bind waits for what people read.
[[nodiscard]] std::string line_of(const Write& write);

}  // namespace dray::engine
