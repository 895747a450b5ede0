#pragma once

#include <memory>
#include <optional>

#include "dray/planner/plan.h"
#include "dray/policy/policy.h"
#include "dray/policy/usage.h"

namespace dray::simulate {

/// What the queues of a policy had over time, and whether what they ask for moves their shares.
class QueueBooks {
 public:
  explicit QueueBooks(const policy::Policy& policy);

  /// What the queues had until `now`; null: the policy does not ask for the past.
  [[nodiscard]] std::shared_ptr<const policy::UsageHistory> usage_until(Time now);
  /// What the plan says that they hold, and what their shares were.
  void read(const planner::Plan& plan);

  /// A job holds so much from now on; or, `less`, it holds it no more.
  void hold(const policy::QueueName& queue, const policy::Amounts& amounts, Time now, bool less);
  /// A job is there that asks for so much, waiting or running; or, `less`, it is there no more.
  void count(const policy::QueueName& queue, const policy::Amounts& asked, bool less = false);
  /// Whether the shares are others than in the last plan, and when this was last asked. Where
  /// nothing is taken back for them they do not matter.
  [[nodiscard]] bool shares_moved(Time now);

 private:
  void advance(Time now);

  const policy::Policy& policy_;
  std::optional<policy::UsageHistory> history_;
  policy::QueueTree queues_;  ///< held and asked for now
  policy::Amounts total_;
};

}  // namespace dray::simulate
