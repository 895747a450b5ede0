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
#include "dray/model/pod.h"

namespace dray::engine {

/// The protocol that carries out one pod's placement: for each claim the finalizer, then allocation
/// and reservedFor in one PATCH; when all have them, the pod's binding. The claim for the pod's
/// extended resources (KEP-5004) is made first, and named in the pod's status before the binding,
/// as is what its devices take of the node's own resources (KEP-5517). A failure undoes what was
/// done: every claim is released and deallocated again before `finished()`, and the one that was
/// made for extended resources deleted.
///
/// Devices with binding conditions (KEP-5007) must be made ready by their drivers, which takes
/// longer than a bind call may: the call ends with `waiting`, the claims keep their devices, and
/// the next one goes on from there. When `binding_timeout` has passed since the allocation, or a
/// failure condition is true, everything is undone.
///
/// What happened is never guessed: after a conflict or a lost answer the object is read, and the
/// protocol goes on from what it shows. While it is unknown whether the pod is bound, nothing is
/// undone. That a read shows nothing of a write is no proof that it will never land: before devices
/// are free, the resourceVersion that the write named is moved. (Order and roll-back: facts on the
/// extender, 4.3; the resourceclaim controller never clears an allocation without the finalizer,
/// nor one that was never reserved.)
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

  /// `pod_version` is the pod's as last seen; empty: it was not seen.
  Binding(Placement placement, Time now, Pace pace = Pace::at_once,
          ResourceVersion pod_version = {});

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
  /// The watch shows the pod anew, as kube-scheduler's own write to its status does at about this
  /// time: before the pod is bound, that is the version to name. A pod that uses other claims by
  /// now is left to the conflict that it makes.
  void see(const Pod& pod);
  [[nodiscard]] Commands step(Token token, const WriteOutcome& outcome, Time now);
  /// Retries that have waited long enough, and the deadline.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;

  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] bool finished() const { return result_.has_value(); }
  [[nodiscard]] std::optional<Result> result() const { return result_; }
  /// Each claim's resourceVersion after our last write to it, or as last read.
  [[nodiscard]] std::vector<ResourceVersion> claim_versions() const;
  /// A claim could not be given back: the API server refuses the release for good. It may keep what
  /// is written in it.
  [[nodiscard]] bool keeps_claims() const { return failure_.keeps_claims; }
  /// The failure is the API server's no, which it will say again.
  [[nodiscard]] bool denied() const { return failure_.denied; }
  /// What went wrong first; empty while nothing did.
  [[nodiscard]] const std::string& error() const { return error_; }

  /// The whole bind must end in this time, or it is undone: below kube-scheduler's httpTimeout for
  /// the bind entry (30 s in config/scheduler.yaml).
  static constexpr Duration deadline = std::chrono::seconds(20);
  /// kube-apiserver's --request-timeout: after it nothing lands of a request that it has.
  static constexpr Duration request_life = std::chrono::seconds(60);
  /// How long a bind call waits for binding conditions, and how long devices may take in all (the
  /// default of kube-scheduler's DynamicResourcesArgs.bindingTimeout).
  static constexpr Duration condition_patience = std::chrono::seconds(10);
  static constexpr Duration binding_timeout = std::chrono::seconds(600);

 private:
  static constexpr std::uint32_t max_attempts = 8;
  [[nodiscard]] static Duration backoff(std::uint32_t attempts);

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
    checking,  ///< a release or deletion met a conflict: is it still the same claim?
    deleting,
    released,
  };
  struct ClaimStep {
    Step step = Step::idle;
    bool touched = false;     ///< the claim may bear our allocation or reservation
    bool made = false;        ///< by this binding, or by an earlier one for the pod
    ResourceVersion version;  ///< as last seen
    /// A write that named this version got no answer: while the claim is at it, that may still
    /// land.
    std::optional<ResourceVersion> unanswered_at;
    Time unanswered_until;  ///< by then it has landed or never will
    ClaimConsumer user;
    std::uint32_t attempts = 0;
    std::uint32_t refusals = 0;  ///< of its release
    std::optional<Time> retry_at;
  };
  enum class Phase : std::uint8_t {
    claims,
    naming_claim,
    charging_node,  ///< what its devices take of the node's own resources goes into its status
    binding_pod,
    reading_pod,
    fencing_pod,  ///< given up, but a binding may still be under way: the pod's version is moved
    undoing,
  };

  /// Decided, but it must first be known whether the pod is bound, and then be undone.
  struct Failure {
    bool decided = false;
    Result result = Result::failed;
    bool denied = false;        ///< it is the API server's no
    bool keeps_claims = false;  ///< a claim could not be given back
  };

  void create_claim(std::size_t index, Commands& out);
  void advance_claim(std::size_t index, const ResourceClaim& claim, Time now, Commands& out);
  [[nodiscard]] bool shown_as_held(std::size_t index, const ResourceClaim& claim) const;
  void hold(std::size_t index, const ResourceClaim& claim, Time now, Commands& out);
  void claim_checked(std::size_t index, const WriteOutcome& outcome, Time now);
  void claim_deleted(std::size_t index, const WriteOutcome& outcome, Time now, Commands& out);
  void tell_pod(Commands& out);
  void bind_pod(Commands& out);
  void claim_written(std::size_t index, const WriteOutcome& outcome, Time now, Commands& out);
  void claim_released(std::size_t index, const WriteOutcome& outcome, Time now, Commands& out);
  void pod_written(const WriteOutcome& outcome, Time now, Commands& out);
  void pod_told(const WriteOutcome& outcome, Time now, Commands& out);
  void pod_read(const WriteOutcome& outcome, Time now, Commands& out);
  void pod_fenced(const WriteOutcome& outcome, Time now, Commands& out);
  void give_up_binding(Commands& out);
  void retry_claim_later(std::size_t index, Time now);
  void retry_pod_later(Time now);
  void read_claim(std::size_t index, Commands& out);
  void bind_pod_when_ready(Commands& out);
  void fail_with(Result result, std::string error, Commands& out);
  /// As before: a write that came to nothing.
  void fail_after(const std::string& write, const Error& error, Commands& out);
  void undo(Commands& out);
  void release_claim(std::size_t index, Commands& out);
  void delete_claim(std::size_t index, Commands& out);
  [[nodiscard]] bool claims_held() const;
  void finish_bound();
  void finish_when_undone();

  Placement placement_;
  Time started_;
  Pace pace_;
  Phase phase_ = Phase::claims;
  std::vector<ClaimStep> claims_;
  std::uint32_t pod_attempts_ = 0;
  std::optional<Time> pod_retry_at_;
  ResourceVersion pod_version_;
  bool pod_may_be_bound_ = false;
  bool node_charged_ = false;     ///< the pod's status may say what its devices take of the node
  bool bind_unanswered_ = false;  ///< a binding got no answer: it may still land
  Failure failure_;
  std::optional<Result> result_;
  std::string error_;
};

/// `resource` of a ClaimConsumer that is a PodGroup.
inline constexpr const char* group_consumer_resource = "podgroups";

/// Whether the server surely did not do what it was asked.
[[nodiscard]] bool surely_refused(const Error& error);

/// The pod as a user of a claim.
[[nodiscard]] ClaimConsumer consumer_of(const PodKey& pod, const Uid& uid);

}  // namespace dray::engine
