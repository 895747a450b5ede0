#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/placement.h"
#include "dray/model/reason.h"

namespace dray::engine {

/// How far a pod has come.
enum class Stage : std::uint8_t {
  waiting,     ///< no placement; if it is gated, it stays so
  nominating,  ///< reserved; status.nominatedNodeName is being set
  lifting,     ///< reserved; the gate is being taken off
  offered,     ///< kube-scheduler may ask for it
  binding,     ///< kube-scheduler asked to bind it
  bound,       ///< the API server has it on its node; kept until the watch shows that
};

/// kube-scheduler did not take a node for a pod: not tried again until the node changes or some
/// time has passed (what it refused for may be something that dray does not model).
struct Refusal {
  ResourceVersion node_version;
  Time until;
};

/// A pod of dray's scheduler that has no node yet, from its first sight until the watch shows it
/// bound or gone.
struct PodTrack {
  PodKey key;
  Uid uid;
  Stage stage = Stage::waiting;
  bool passes = false;  ///< dray has nothing to decide for it: filter lets it pass
  bool seen = true;     ///< the watch has shown it (a request may be faster)
  /// A placement held for the pod: its devices and room are nobody else's until it is bound,
  /// released or runs out. Nobody tells an extender that a pod failed, hence the timer.
  std::optional<Placement> reservation;
  std::vector<std::string> warnings;            ///< about the reservation
  std::vector<ResourceVersion> claim_versions;  ///< bound: the claims as written
  std::map<NodeName, Refusal> refused;

  Reason reason = Reason::planning;  ///< why it waits
  std::string detail;
  Reason reported = Reason::none;  ///< the Reason in its DrayAdmitted condition
  bool nominated = false;          ///< nominatedNodeName was set again, and not seen since
  bool told_no = false;            ///< filter refused it since it was last woken
  bool exposed = false;  ///< its gate was taken off without a placement, for an autoscaler to see
  bool asked = false;    ///< filter was called since the reservation was offered
  std::string verdict_at_offer;  ///< kube-scheduler's last word when it was offered
  std::uint32_t attempts = 0;    ///< of the write under way
  /// By stage: the reservation's end, the next attempt of a write, the next step of the binding.
  std::optional<Time> timer;
};

}  // namespace dray::engine
