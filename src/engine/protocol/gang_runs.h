#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/planner/job.h"
#include "engine/protocol/command.h"
#include "engine/protocol/gang_commit.h"
#include "engine/protocol/timers.h"

namespace dray::engine {

/// The gangs whose members are being bound, one commit a job, with the bind calls that wait for the
/// others.
class GangRuns {
 public:
  /// A member's bind call came; `bound` are the members that are bound already.
  [[nodiscard]] Commands join(const planner::Job& job, std::set<Uid> bound, const Uid& pod,
                              RequestId request, Time now);
  /// Whether the member, whose StartBind was asked for, is to be started still.
  [[nodiscard]] bool wants_claims(const Uid& pod) const;
  /// All claims of the member are written.
  [[nodiscard]] Commands claims_written(const Uid& pod);
  /// The member's binding is over; `error` says why where it is not bound.
  [[nodiscard]] Commands ended(const Uid& pod, bool bound, const std::string& error);
  /// The pod is gone, and no binding of it is under way.
  [[nodiscard]] Commands left(const Uid& pod);
  /// After GangStepped: ends the commit if it is over.
  [[nodiscard]] Commands settle(const Uid& job);
  /// The first gang that is due; call again while next_tick() has come.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const { return timers_.next(); }
  /// Leadership changed: every call is answered so, and nothing goes on.
  [[nodiscard]] Commands reset();

  /// A commit of the job is under way.
  [[nodiscard]] bool contains(const Uid& job) const { return runs_.contains(job); }
  /// The pod's bind call waits for the others', or its binding is part of the commit.
  [[nodiscard]] bool has_member(const Uid& pod) const { return job_of_.contains(pod); }
  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  /// How often members were told that their gang is not bound.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

  /// Jobs that are not there any more need not be remembered as scattered.
  void forget_jobs(const std::function<bool(const Uid&)>& exists);

 private:
  struct Run {
    GangCommit commit;
    std::map<Uid, std::vector<RequestId>> waiting;
  };
  [[nodiscard]] Commands carry(const Uid& job, const GangCommit::Commands& commands);
  void carry(Run& run, const GangCommit::Command& command, Commands& out);
  void refuse(Run& run, const GangCommit::Refuse& refused, Commands& out);

  std::map<Uid, Run> runs_;    ///< by job
  std::map<Uid, Uid> job_of_;  ///< members that are being bound, to their job
  std::set<Uid> scattered_;    ///< jobs of which too few members came in time, the last time
  Timers<Uid> timers_;
  std::uint64_t refused_ = 0;
};

}  // namespace dray::engine
