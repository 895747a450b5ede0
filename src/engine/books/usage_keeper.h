#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/planner/plan.h"
#include "dray/policy/policy.h"
#include "dray/policy/usage.h"

namespace dray::engine {

/// What queues held over time, kept in a ConfigMap so that it outlives dray: read when leadership
/// begins, counted on from what each plan says, written again every minute. The time between the
/// record and this leadership counts for nobody: who held what meanwhile is not known. Off while
/// the policy has no half-life.
class UsageKeeper {
 public:
  using Commands = std::vector<Write>;  ///< ReadConfigMap and PutConfigMap only

  explicit UsageKeeper(ConfigMapKey record) : record_(std::move(record)) {}

  void set_policy(std::shared_ptr<const policy::Policy> policy);
  void lead(bool leading, Time now);

  /// From now on queues hold what the plan saw.
  void account(const planner::Plan& plan, Time now);
  /// Null while it is off.
  [[nodiscard]] const std::shared_ptr<const policy::UsageHistory>& history() const {
    return history_;
  }

  [[nodiscard]] Commands tick(Time now);
  /// The outcome of the command that is under way.
  [[nodiscard]] Commands step(const WriteOutcome& outcome, Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;

  static constexpr Duration write_every = std::chrono::minutes(1);
  static constexpr Duration retry_after = std::chrono::seconds(5);

 private:
  enum class Busy : std::uint8_t { no, reading, writing };

  [[nodiscard]] bool on() const;
  void count(Time now);
  void take_record(const WriteOutcome& outcome, Time now);

  ConfigMapKey record_;
  std::shared_ptr<const policy::Policy> policy_;
  policy::QueueTree held_;  ///< since `history_->at`
  policy::Amounts total_;
  std::shared_ptr<const policy::UsageHistory> history_;
  ResourceVersion version_;  ///< of the ConfigMap; empty: there is none
  bool leading_ = false;
  bool read_ = false;    ///< in this leadership
  bool joined_ = false;  ///< what was recorded before this leadership is in the history
  Busy busy_ = Busy::no;
  std::optional<Time> next_;
};

/// The history as a ConfigMap's data, by names, so that it can be read under another policy; and
/// back. What cannot be read is as if it had never been.
[[nodiscard]] Labels encode_usage(const policy::UsageHistory& history,
                                  const policy::ResourceTable& resources);
[[nodiscard]] policy::UsageHistory decode_usage(const Labels& data,
                                                const policy::ResourceTable& resources);

}  // namespace dray::engine
