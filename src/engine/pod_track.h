#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "dray/base/time.h"
#include "dray/model/placement.h"
#include "dray/model/reason.h"

namespace dray::engine {

/// How far a pod has come.
enum class Stage : std::uint8_t {
  waiting,     ///< no placement; if it is gated, it stays so
  nominating,  ///< reserved; status.nominatedNodeName is being set
  lifting,     ///< reserved; the gate is being taken off
  offered,     ///< reserved; kube-scheduler may ask for it
  binding,     ///< kube-scheduler asked to bind it
  bound,       ///< the API server has it on its node; kept until the watch shows that
};

/// A placement held for a pod: its devices and room are nobody else's until it is bound, released
/// or runs out. Nobody tells an extender that a pod failed, hence the time.
struct Reservation {
  Placement placement;
  Time expires;
};

/// A pod of dray's scheduler that has no node yet, from its first sight until the watch shows it
/// bound or gone.
struct PodTrack {
  PodKey key;
  Uid uid;
  Stage stage = Stage::waiting;
  bool passes = false;  ///< it has nothing for dray to decide: filter lets it pass
  std::optional<Reservation> reservation;
  /// Nodes that kube-scheduler did not take for this pod, with the version that they had: a changed
  /// node is a new chance.
  std::map<NodeName, std::uint64_t> refused;

  Reason reason = Reason::planning;  ///< why it waits
  std::string detail;
  Reason reported = Reason::none;    ///< the Reason in its DrayAdmitted condition, if dray set one
  bool told_no = false;              ///< filter refused it since it was last woken
  bool asked = false;                ///< filter was called since the reservation was offered
  std::optional<Time> retry_at;      ///< a failed write of ours is repeated then
  std::uint32_t attempts = 0;
};

}  // namespace dray::engine
