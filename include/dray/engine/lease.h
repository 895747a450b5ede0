#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/model/lease.h"

namespace dray::engine {

/// Leadership over a coordination.k8s.io Lease, after client-go's leaderelection with a stricter
/// fence (one writer is what keeps a device from being given twice):
/// - a candidate waits the full duration from its *first sight* of the holder's last renewal, by
/// its
///   own clock, plus `write_deadline`, so that no write of the old holder is still under way;
/// - each acquisition raises leaseTransitions, dray's epoch, also when the same identity comes
/// back:
///   the admission policy refuses first allocations of an older epoch;
/// - the holder stops leading `fence` before its lease runs out, whether it could renew or not.
class LeaseKeeper {
 public:
  /// The names and times of one candidate; both candidates of a Lease must agree on the times.
  struct Options {
    LeaseKey lease;                                     ///< which Lease object
    std::string identity;                               ///< spec.holderIdentity, unique to a run
    Duration duration = std::chrono::seconds(15);       ///< spec.leaseDurationSeconds, rounded up
    Duration renew_every = std::chrono::seconds(2);     ///< between writes or reads
    Duration fence = std::chrono::seconds(2);           ///< the term ends so long before the Lease
    Duration write_deadline = std::chrono::seconds(5);  ///< of any write of another holder
  };

  using Commands = std::vector<Write>;  ///< ReadLease and PutLease only

  /// Holds nothing yet; the first tick reads.
  explicit LeaseKeeper(Options options);

  /// Call at next_tick(). One read or write is under way at a time.
  [[nodiscard]] Commands tick(Time now);
  /// The outcome of the command that is under way.
  [[nodiscard]] Commands step(const WriteOutcome& outcome, Time now);
  /// When tick() has something to do, unless a command is under way still.
  [[nodiscard]] Time next_tick() const { return next_tick_; }

  /// Whether a write may be *sent* at `now`.
  [[nodiscard]] bool may_write(Time now) const { return leading_until_ && now < *leading_until_; }
  /// When may_write() ends unless the Lease is renewed before; the epoch of time while it is not
  /// held.
  [[nodiscard]] Time leading_until() const { return leading_until_.value_or(Time{}); }
  /// leaseTransitions of the last term that this candidate held; 0 before the first.
  [[nodiscard]] std::int32_t epoch() const { return epoch_; }
  /// Who held the Lease when it was last read or written; empty: nobody.
  [[nodiscard]] const std::string& holder() const { return seen_.holder; }

  /// Gives the Lease back, so that the next one need not wait. Call when no write is under way.
  [[nodiscard]] Commands release(Time now);

 private:
  [[nodiscard]] Commands read(const WriteOutcome& outcome, Time now);
  [[nodiscard]] Commands written(const WriteOutcome& outcome, Time now);
  [[nodiscard]] Commands acquire_or_wait(Time now);
  [[nodiscard]] PutLease held_by_us(std::int32_t transitions, Time acquired, Time now) const;

  Options options_;
  Lease seen_;                   ///< as last read or written
  std::optional<Time> seen_at_;  ///< when this state of it was first seen
  std::optional<Time> leading_until_;
  std::optional<Time> sent_at_;  ///< when the write under way was made up
  std::int32_t epoch_ = 0;
  enum class Busy : std::uint8_t { no, reading, writing };
  Busy busy_ = Busy::no;
  Time next_tick_{};
};

}  // namespace dray::engine
