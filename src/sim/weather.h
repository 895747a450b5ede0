#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/model/object.h"

namespace dray::sim {

/// Who watches the API server.
enum class Client : std::uint8_t { dray, scheduler, controller, kubelet };

/// What happens to a write of dray on its way.
enum class Fate : std::uint8_t {
  delivered,
  lost,        ///< never arrives; the sender gets no answer
  unanswered,  ///< takes effect, but the sender gets no answer
  late,        ///< takes effect late_by() after the sender was told that there is no answer
  refused,     ///< 403: an admission policy will not have it
  invalid,     ///< 422
  overloaded,  ///< 429: nothing is done
  gateway,     ///< 504 at once, though it takes effect
};

/// What happens to messages under way. This one is fair: everything arrives, after a millisecond,
/// in order. A fault simulation derives its own.
class Weather {
 public:
  Weather() = default;
  virtual ~Weather() = default;
  Weather(const Weather&) = delete;
  Weather& operator=(const Weather&) = delete;

  /// Of one change on its way to a watch; changes of one kind stay in order.
  virtual Duration watch_delay(Client /*client*/, Kind /*kind*/) {
    return std::chrono::milliseconds(1);
  }
  /// Of a list: the objects are those of its begin.
  virtual Duration list_delay(Client /*client*/, Kind /*kind*/) {
    return std::chrono::milliseconds(5);
  }
  /// Whether a watch breaks off now instead of telling something; then how long it is away.
  virtual std::optional<Duration> watch_breaks(Client /*client*/, Kind /*kind*/) {
    return std::nullopt;
  }
  /// From the outbox's word to the bytes on the wire: a connection has to be found.
  virtual Duration send_delay() { return std::chrono::microseconds(100); }
  /// Of a write on its way, and of its outcome on the way back.
  virtual Duration write_delay() { return std::chrono::milliseconds(1); }
  /// See Fate::late.
  virtual Duration late_by() { return std::chrono::seconds(1); }
  /// `replica` is about to send `write`.
  virtual Fate write_fate(std::size_t /*replica*/, const engine::Write& /*write*/) {
    return Fate::delivered;
  }
  /// How far the admission policies' view of the Lease lies behind.
  virtual Duration policy_lag() { return std::chrono::milliseconds(20); }
  /// Of an extender call, and of its answer.
  virtual Duration call_delay() { return std::chrono::microseconds(300); }
  /// Delivered, lost or unanswered.
  virtual Fate call_fate() { return Fate::delivered; }
  /// How long a plan takes.
  virtual Duration plan_delay() { return std::chrono::milliseconds(2); }
};

}  // namespace dray::sim
