#pragma once

#include <map>
#include <optional>
#include <string>

#include "dray/base/time.h"
#include "dray/cluster/state.h"
#include "dray/policy/config.h"
#include "engine/books/share_offers.h"
#include "engine/protocol/command.h"

namespace dray::engine {

/// The claims of pods that ask for a part of a device by KAI's annotations: made once for each pod,
/// until the resourceclaim controller has found it.
class ShareRuns {
 public:
  explicit ShareRuns(const cluster::ClusterState& cluster) : cluster_(cluster) {}

  /// A pod is there, or another than before: waits for its claim, or (again) does not.
  void put(const Pod& pod);
  void erase(const Uid& pod) { waiting_.erase(pod); }
  /// Devices come and go; the policy says what a part is.
  void set_rule(const std::optional<policy::Fractions>& rule, const cluster::Snapshot& snapshot);
  void put(const ResourceSlice& slice) { offers_.put(slice); }
  void erase(const std::string& slice) { offers_.erase(slice); }
  /// A claim that somebody deleted before the controller found it is made anew.
  void claim_gone(const ClaimKey& claim);

  /// Asks for every claim that is due; before a plan, so that pods do not wait for nothing.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] Commands step(const Uid& pod, const WriteOutcome& outcome, Time now);
  /// Leadership changed: who waits is asked for anew.
  void reset();

  /// Why the pod has no claim, or null: it may have one.
  [[nodiscard]] const std::string* refusal(const Uid& pod) const;

 private:
  struct Share {
    bool asked = false;  ///< its claim is made, or being made
    ClaimKey claim;      ///< if asked
    Time retry_at;
    std::string refusal;
  };

  const cluster::ClusterState& cluster_;
  ShareOffers offers_;
  std::optional<policy::Fractions> rule_;
  std::map<Uid, Share> waiting_;
};

}  // namespace dray::engine
