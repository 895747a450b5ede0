#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dray/engine/engine.h"
#include "engine/protocol/binding.h"
#include "engine/protocol/eviction_set.h"

namespace dray::engine {

// What the owners of the engine's parts ask of the router and of one another. The router carries
// commands out in their order, each with all that follows from it before the next.

/// Tells what the outcome of a write is for.
struct ForNothing {};
struct ForBinding {
  Uid pod;
  Binding::Token token;
};
/// A nomination or a lifted gate.
struct ForLift {
  Uid pod;
};
/// What is to make kube-scheduler try the pod again.
struct ForWake {
  Uid pod;
};
struct ForRelease {
  ClaimKey claim;  ///< without a name: the read of the pod, before anything of its is released
  Uid pod;
};
struct ForEviction {
  std::uint64_t set;
  EvictionSet::Token token;
};
struct ForUsage {};
/// A read or a write of whose queues are whose.
struct ForQueueUsers {};
struct ForShare {
  Uid pod;
};
/// The read of a claim's user, before the claim is taken from it.
struct ForAudit {
  ClaimKey claim;
  std::uint64_t run;
  Uid user;
};
/// A request for nodes, written or withdrawn.
struct ForNodes {
  Uid job;
};
using Purpose = std::variant<ForNothing, ForBinding, ForLift, ForWake, ForRelease, ForEviction,
                             ForUsage, ForQueueUsers, ForShare, ForAudit, ForNodes>;

// ---- Of all owners

struct Send {
  Write write;
  Purpose purpose;
};
/// The answer to a bind call; an empty error says that the pod is bound.
struct Answer {
  RequestId request;
  std::string error;
};
/// The pod's job is to be made anew from what is known of its pods.
struct JobChanged {
  Uid pod;
};
/// Nothing is assumed for the pod any more.
struct ForgetPod {
  Uid pod;
};
struct PlanNow {};
struct PlanAt {
  Time at;
};
/// The pod waits, and its owner is told why; `again`: even if it was told the same before.
struct TellWaiting {
  Uid pod;
  Reason reason;
  std::string detail;
  bool again = false;
};

// ---- Of BindRuns

/// All claims of a gang's member are written; its binding waits to be told to go on.
struct ClaimsHeld {
  Uid pod;
};
struct BindEnded {
  Binding::Result result;
  Placement placement;
  std::vector<ResourceVersion> claim_versions;
  std::string error;
  bool keeps_claims = false;  ///< not bound, and what is written in a claim stays
  bool denied = false;        ///< the API server said no, and will say it again
};

// ---- Of GangRuns

struct StartBind {
  Uid pod;
  std::vector<RequestId> requests;
  Binding::Pace pace;
};
struct ProceedBind {
  Uid pod;
};
struct AbortBind {
  Uid pod;
  std::string error;
};
/// Nothing was written for the pod; its calls are answered.
struct BindRefused {
  Uid pod;
  std::string error;
};
/// All that a step of the gang's commit asked for is carried out: it may be over.
struct GangStepped {
  Uid job;
};
struct GangEnded {
  Uid job;
};

// ---- Of EvictionRuns

/// The reservation of a victim that had no node is given up without a word to the API server.
struct GiveUpVictim {
  Uid pod;
};
struct EvictionRefused {
  Uid pod;
  Time until;  ///< not asked for again before
};
struct JobEvicted {
  planner::Eviction eviction;
  Time since;  ///< when that was decided
};
/// Room that was held for the job is anybody's again.
struct HoldEnded {
  Uid job;
};

// ---- Of PodLifecycle

/// The pod is not followed any more: it is gone, or the watch shows it bound.
struct PodDropped {
  Uid pod;
  bool bound = false;
};
/// A reservation ended without its pod being bound: its gang cannot keep the others'.
struct ReservationEnded {
  Uid pod;
  bool refused = false;  ///< by kube-scheduler: it did not take the pod to the node
};

// ---- Of Auditor

/// These users are to lose the claim: the API server has been asked of their pods.
struct GiveBack {
  ClaimKey claim;
  Uid uid;
  std::vector<ClaimConsumer> users;
};

using Command = std::variant<Send, Answer, JobChanged, ForgetPod, PlanNow, PlanAt, TellWaiting,
                             ClaimsHeld, BindEnded, StartBind, ProceedBind, AbortBind, BindRefused,
                             GangStepped, GangEnded, GiveUpVictim, EvictionRefused, JobEvicted,
                             HoldEnded, PodDropped, ReservationEnded, GiveBack>;
using Commands = std::vector<Command>;

}  // namespace dray::engine
