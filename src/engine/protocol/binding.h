#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/model/claim.h"
#include "dray/model/placement.h"

namespace dray::engine {

/// Annotation of a claim that dray writes before its first allocation: the leadership epoch. The
/// admission policy in manifests/ refuses a first allocation under another epoch than the Lease's.
inline constexpr const char* epoch_annotation = "dray.dev/epoch";

/// The protocol that carries out one pod's placement: for each claim the finalizer, then allocation
/// and reservedFor in one PATCH; when all have them, the pod's binding. The claim for the pod's
/// extended resources (KEP-5004) is made first, and named in the pod's status before the binding. A
/// failure undoes what was done: every claim is released and deallocated again before `finished()`,
/// and the one that was made for extended resources deleted.
///
/// Devices with binding conditions (KEP-5007) must be made ready by their drivers, which takes
/// longer than a bind call may: the call ends with `waiting`, the claims keep their devices, and
/// the next one goes on from there. When `binding_timeout` has passed since the allocation, or a
/// failure condition is true, everything is undone.
///
/// What happened is never guessed: after a conflict or a lost answer the object is read, and the
/// protocol goes on from what it shows. While it is unknown whether the pod is bound, nothing is
/// undone. (Order and roll-back: facts on the extender, 4.3; the resourceclaim controller never
/// clears an allocation without the finalizer, nor one that was never reserved.)
class Binding {
 public:
  /// Tells the outcomes of this binding's writes apart: a claim's index, or `pod_token`.
  using Token = std::size_t;
  static constexpr Token pod_token = SIZE_MAX;

  struct Command {
    Token token;
    Write write;
  };
  using Commands = std::vector<Command>;

  enum class Result : std::uint8_t {
    bound,
    failed,   ///< undone; the placement may be tried again
    refused,  ///< undone; the placement is no good any more (a claim or the pod changed)
    waiting,  ///< nothing is undone: devices are not ready yet; bind again
  };

  /// What happens once all claims are there: the pod is bound, or (a gang's member) proceed() is
  /// awaited.
  enum class Pace : std::uint8_t { at_once, when_told };

  Binding(Placement placement, std::int32_t epoch, Time now, Pace pace = Pace::at_once);

  /// `claims` are the claims of the placement as last seen (null: not made yet), `users` who uses
  /// each (empty: the pod), both in its order. What a group uses is not given back when one of its
  /// pods fails.
  [[nodiscard]] Commands start(const std::vector<std::shared_ptr<const ResourceClaim>>& claims,
                               Time now, std::vector<ClaimConsumer> users = {});
  /// All claims are there, and proceed() is awaited.
  [[nodiscard]] bool waits() const;
  [[nodiscard]] Commands proceed();
  /// Undoes what was done; nothing once the pod may be bound.
  [[nodiscard]] Commands abort(std::string error);
  [[nodiscard]] Commands step(Token token, const WriteOutcome& outcome, Time now);
  /// Retries that have waited long enough, and the deadline.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;

  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] bool finished() const { return result_.has_value(); }
  [[nodiscard]] std::optional<Result> result() const { return result_; }
  /// Each claim's resourceVersion after our last write to it, or as last read.
  [[nodiscard]] std::vector<ResourceVersion> claim_versions() const;
  /// What went wrong first; empty while nothing did.
  [[nodiscard]] const std::string& error() const { return error_; }

  /// The whole bind must end in this time, or it is undone: below kube-scheduler's httpTimeout for
  /// the bind entry (30 s in config/scheduler.yaml).
  static constexpr Duration deadline = std::chrono::seconds(20);
  /// How long a bind call waits for binding conditions, and how long devices may take in all (the
  /// default of kube-scheduler's DynamicResourcesArgs.bindingTimeout).
  static constexpr Duration condition_patience = std::chrono::seconds(10);
  static constexpr Duration binding_timeout = std::chrono::seconds(600);

 private:
  enum class Step : std::uint8_t {
    idle,
    creating,
    protecting,
    allocating,
    reserving,
    reading,
    held,      ///< allocated and reserved for the pod
    awaiting,  ///< held, but its devices are not ready
    releasing,
    deleting,
    released,
  };
  struct ClaimStep {
    Step step = Step::idle;
    bool touched = false;  ///< the claim may bear our allocation or reservation
    bool made = false;     ///< by this binding, or by an earlier one for the pod
    ResourceVersion version;
    ClaimConsumer user;
    std::uint32_t attempts = 0;
    std::optional<Time> retry_at;
  };
  enum class Phase : std::uint8_t { claims, naming_claim, binding_pod, reading_pod, undoing };

  void create_claim(std::size_t index, Commands& out);
  void advance_claim(std::size_t index, const ResourceClaim& claim, Time now, Commands& out);
  void hold(std::size_t index, const ResourceClaim& claim, Time now, Commands& out);
  void claim_deleted(std::size_t index, const WriteOutcome& outcome, Time now);
  void bind_pod(Commands& out);
  void claim_written(std::size_t index, const WriteOutcome& outcome, Time now, Commands& out);
  void claim_released(std::size_t index, const WriteOutcome& outcome, Time now, Commands& out);
  void pod_written(const WriteOutcome& outcome, Time now, Commands& out);
  void pod_read(const WriteOutcome& outcome, Time now, Commands& out);
  void retry_claim_later(std::size_t index, Time now);
  void retry_pod_later(Time now);
  void read_claim(std::size_t index, Commands& out);
  void bind_pod_when_ready(Commands& out);
  void fail_with(Result result, std::string error, Commands& out);
  void undo(Commands& out);
  void release_claim(std::size_t index, Commands& out);
  [[nodiscard]] bool claims_held() const;
  void finish_bound();
  void finish_when_undone();

  Placement placement_;
  std::string epoch_;
  Time started_;
  Pace pace_;
  Phase phase_ = Phase::claims;
  std::vector<ClaimStep> claims_;
  std::uint32_t pod_attempts_ = 0;
  std::optional<Time> pod_retry_at_;
  bool pod_may_be_bound_ = false;
  bool failing_ =
      false;  ///< a failure is decided, but it must first be known whether the pod is bound
  Result failure_ = Result::failed;
  std::optional<Result> result_;
  std::string error_;
};

/// `resource` of a ClaimConsumer that is a PodGroup.
inline constexpr const char* group_consumer_resource = "podgroups";

/// The pod as a user of a claim.
[[nodiscard]] ClaimConsumer consumer_of(const PodKey& pod, const Uid& uid);

}  // namespace dray::engine
