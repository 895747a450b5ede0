#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/ids.h"

namespace dray::engine {

/// Which jobs that have their place are offered to kube-scheduler, and when: as fast as binds are
/// finished, so that what is offered is bound within seconds, and nothing waits behind a thousand
/// others there. Jobs go in the order in which they came, each as a whole: a gang goes if it can
/// end within its time at the rate that was measured, or if nothing else is out.
class LiftWindow {
 public:
  /// So much of what is bound a second may be out at a time.
  static constexpr Duration ahead = std::chrono::seconds(2);
  /// So many may be out however slow binds are: kube-scheduler must not run dry.
  static constexpr std::size_t least = 128;
  /// The rate is of the binds of so long.
  static constexpr Duration measured = std::chrono::seconds(5);
  /// A pod that is not bound by then is kube-scheduler's problem: others do not wait for it.
  static constexpr Duration patience = std::chrono::seconds(10);

  /// A job's pods are to be offered together.
  void add(std::vector<Uid> pods);
  /// The pods of the next job whose turn it is; they count as out. Call again until there is none.
  [[nodiscard]] std::vector<Uid> take_due(Time now);
  /// The pod's bind has ended; what is bound tells how fast binds are.
  void ended(const Uid& pod, bool bound, Time now);
  /// The pod is not on its way any more.
  void left(const Uid& pod) { out_.erase(pod); }
  /// When take_due() may have something by time alone.
  [[nodiscard]] std::optional<Time> next_tick() const;
  /// Leadership changed.
  void reset();

  [[nodiscard]] std::size_t out() const { return out_.size(); }
  /// Jobs that wait.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  void forget_old(Time now);
  [[nodiscard]] double rate() const;  ///< binds a second
  [[nodiscard]] bool has_room_for(std::size_t pods) const;

  std::deque<std::vector<Uid>> waiting_;
  std::map<Uid, Time> out_;                    ///< since when
  std::deque<std::pair<Time, Uid>> in_order_;  ///< as they went out; may have ended
  std::deque<Time> bound_;                     ///< of the last while
};

}  // namespace dray::engine
