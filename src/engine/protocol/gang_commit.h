#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/ids.h"
#include "dray/policy/gang.h"

namespace dray::engine {

/// The protocol that lets a gang's minimum be bound together or not at all: bind calls wait until
/// enough members have one; nothing is written before. Then all their claims are written, and when
/// every claim is there, all their bindings. A member whose claims fail ends it for all: what was
/// written is undone, and every call is answered with the error.
///
/// Bindings are single writes, so the last step cannot be undone: a member that the API server
/// refuses to bind there is undone by itself, the others stay.
class GangCommit {
 public:
  /// Begin to write the pods' claims, and stop before their bindings.
  struct WriteClaims {
    std::vector<Uid> pods;
    bool operator==(const WriteClaims&) const = default;
  };
  struct BindPods {
    std::vector<Uid> pods;
    bool operator==(const BindPods&) const = default;
  };
  /// Give back what was written for the pods; each ends as not bound.
  struct Undo {
    std::vector<Uid> pods;
    std::string error;
    bool operator==(const Undo&) const = default;
  };
  /// Nothing was written for the pods: answer their calls.
  struct Refuse {
    std::vector<Uid> pods;
    std::string error;
    bool operator==(const Refuse&) const = default;
  };
  /// Beyond the minimum: each is bound as a pod by itself.
  struct BindSingly {
    std::vector<Uid> pods;
    bool operator==(const BindSingly&) const = default;
  };
  using Command = std::variant<WriteClaims, BindPods, Undo, Refuse, BindSingly>;
  using Commands = std::vector<Command>;

  /// `members` stand in the order of the ids of the gang's tasks; `bound` are bound already. The
  /// first call waits for the others for `patience`, and a little longer for each member.
  GangCommit(policy::SubGroup gang, std::vector<Uid> members, std::set<Uid> bound, Time now,
             Duration patience = first_patience);

  /// A member's bind call came.
  [[nodiscard]] Commands arrived(const Uid& pod);
  /// Whether the pod's claims are to be written still: another member may have failed since they
  /// were asked for.
  [[nodiscard]] bool wants_claims(const Uid& pod) const;
  /// All claims of the pod are written.
  [[nodiscard]] Commands claims_written(const Uid& pod);
  /// The pod's binding is over; `error` says why where it is not bound.
  [[nodiscard]] Commands ended(const Uid& pod, bool bound, const std::string& error);
  /// The pod is gone, and nothing is under way for it.
  [[nodiscard]] Commands left(const Uid& pod);
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;

  /// Over: every member that came is bound, undone, or handed on.
  [[nodiscard]] bool finished() const { return phase_ == Phase::over; }
  /// What went wrong first.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Too few came in time.
  [[nodiscard]] bool timed_out() const { return timed_out_; }

  static constexpr Duration first_patience = std::chrono::seconds(5);
  /// After that was too short: kube-scheduler's longest back-off is 10 s, and members that come
  /// back each by its own back-off would otherwise miss one another for ever.
  static constexpr Duration next_patience = std::chrono::seconds(12);
  static constexpr Duration patience_per_member = std::chrono::milliseconds(50);

 private:
  enum class Phase : std::uint8_t { gathering, claiming, binding, undoing, over };
  enum class Step : std::uint8_t { waiting, claiming, claimed, binding, undoing, ended };

  [[nodiscard]] bool enough() const;
  [[nodiscard]] std::vector<Uid> in(Step step) const;
  void fail_claims(const std::string& error, Commands& out);
  void finish_when_ended(Commands& out);

  policy::SubGroup gang_;
  std::vector<Uid> members_;
  std::set<Uid> bound_;  ///< before the first bind call
  Time deadline_;
  Phase phase_ = Phase::gathering;
  std::map<Uid, Step> steps_;
  std::set<Uid> late_;  ///< came after the minimum was complete
  std::string error_;
  bool timed_out_ = false;
};

}  // namespace dray::engine
