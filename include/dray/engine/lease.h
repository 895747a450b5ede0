#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/engine/write_class.h"
#include "dray/model/lease.h"

namespace dray::engine {

/// The fieldManager of every write that is decided under an epoch of the Lease, DELETEs apart:
/// `dray-EPOCH-IDENTITY`, or `dray` where there is no Lease. manifests/exclusion.yaml compares it
/// with the Lease's leaseTransitions and holderIdentity: it costs no write, and fences all of them.
[[nodiscard]] std::string field_manager(std::int32_t epoch, const std::string& identity);
/// The API server's admission policies learn of a new Lease by a watch of their own: until then a
/// late write of the term before may land. So long a leader waits before it reads what there is; in
/// the first term, which nobody's writes precede, not at all.
[[nodiscard]] constexpr Duration fence_lag(std::int32_t epoch) {
  return epoch > 1 ? std::chrono::milliseconds(750) : Duration{};
}
/// A longer spec.holderIdentity does not fit in (metav1.FieldManager has 128 characters).
inline constexpr std::size_t longest_identity = 100;

/// Leadership over a coordination.k8s.io Lease, after client-go's leaderelection with a stricter
/// fence (one writer is what keeps a device from being given twice):
/// - a candidate waits the full duration from its *first sight* of the holder's last renewal, by
///   its own clock, and until no write of the old holder can be under way any more: that one sends
///   its last `fence` before its lease runs out, and it takes `write_deadline` at most;
/// - each acquisition raises leaseTransitions, dray's epoch, also when the same identity comes
///   back: the admission policy refuses writes of an older epoch (see field_manager()). That one
///   waits out only the `write_deadline`, since nobody else renews under its name;
/// - the holder stops leading `fence` before its lease runs out, whether it could renew or not: an
///   answer that comes later begins no term;
/// - a Lease that is deleted counts as it was last seen: its holder stops leading when it finds
///   out, and who has seen the holder waits as after any other term. Epochs do not begin anew;
/// - a renewal that was refused, or whose answer was lost, ends no term by itself: the Lease is
///   read, and as long as it shows this holder and epoch, renewed again.
class LeaseKeeper {
 public:
  /// The names and times of one candidate; both candidates of a Lease must agree on the times.
  struct Options {
    LeaseKey lease;                                  ///< which Lease object
    std::string identity;                            ///< spec.holderIdentity, unique to a run
    Duration duration = std::chrono::seconds(15);    ///< spec.leaseDurationSeconds, rounded up
    Duration renew_every = std::chrono::seconds(2);  ///< between writes; half of it between reads
    Duration fence = std::chrono::seconds(5);        ///< the term ends so long before the Lease
    /// Of any write of another holder but evictions: these take nothing that a new holder gives
    /// away, and the admission policy refuses those that come after its Lease.
    Duration write_deadline = engine::write_deadline;
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

  /// Gives the Lease back, so that the next one need not wait, and does not take it again for
  /// `rest`. Call when no write is under way.
  [[nodiscard]] Commands release(Time now, Duration rest = {});

 private:
  [[nodiscard]] Commands read(const WriteOutcome& outcome, Time now);
  [[nodiscard]] Commands written(const WriteOutcome& outcome, Time now);
  [[nodiscard]] Commands acquire_or_wait(Time now);
  [[nodiscard]] Lease deleted() const;
  void end_term(Time at);
  [[nodiscard]] Commands still_ours(Time now);
  [[nodiscard]] Commands renew(Time now);
  [[nodiscard]] Commands give_back(Time now);
  [[nodiscard]] PutLease held_by_us(std::int32_t transitions, Time acquired, Time now) const;

  Options options_;
  Lease seen_;                   ///< as last read or written
  std::optional<Time> seen_at_;  ///< when this state of it was first seen
  std::optional<Time> leading_until_;
  std::optional<Time> ended_at_;  ///< the last term
  std::optional<Time> sent_at_;   ///< when the write under way was made up
  std::int32_t epoch_ = 0;
  enum class Busy : std::uint8_t { no, reading, renewing, writing };
  Busy busy_ = Busy::no;
  bool releasing_ = false;  ///< read to be given back
  bool in_doubt_ = false;   ///< what came of the last renewal; the Lease is to be read
  Time next_tick_{};
};

}  // namespace dray::engine
