#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/policy/config.h"

namespace dray::engine {

/// Keeps a ConfigMap that says whose pods may be in which queue, as the policy in force has it, for
/// the admission policy `dray-queue-users` (manifests/queue-users.yaml): what the engine would let
/// wait for ever is refused when it is created. Read and, if it says something else, written when
/// leadership begins and with each other policy; not made where there is nothing to say.
class QueueUsersKeeper {
 public:
  using Commands = std::vector<Write>;  ///< ReadConfigMap and PutConfigMap only

  static constexpr Duration retry_after = std::chrono::seconds(5);

  /// Absent: nothing is kept.
  explicit QueueUsersKeeper(std::optional<ConfigMapKey> record) : record_(std::move(record)) {}

  void set_policy(const policy::PolicyConfig& config, Time now);
  void lead(bool leading, Time now);

  [[nodiscard]] Commands tick(Time now);
  /// The outcome of the command that is under way.
  [[nodiscard]] Commands step(const WriteOutcome& outcome, Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;

 private:
  enum class Busy : std::uint8_t { no, reading, writing };

  [[nodiscard]] Commands compare(const WriteOutcome& read, Time now);

  std::optional<ConfigMapKey> record_;
  Labels wanted_;
  Labels written_;  ///< what is being written
  bool leading_ = false;
  Busy busy_ = Busy::no;
  std::optional<Time> next_;  ///< absent: the ConfigMap says what it should
};

/// The ConfigMap's data: `labels`, the pods' labels that name a queue, the first that is there
/// counts; and for each queue that is not everybody's `queue.NAME`, a line `namespace NAME` or
/// `serviceaccount NAMESPACE/NAME` for each user. Empty where every queue is everybody's.
[[nodiscard]] Labels encode_queue_users(const policy::PolicyConfig& config);

}  // namespace dray::engine
