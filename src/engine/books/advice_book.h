#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "dray/model/claim.h"
#include "dray/model/placement.h"

namespace dray::engine {

/// What kube-scheduler was told of pods whose devices others allocate (mode advise), until their
/// claims show what they got.
class AdviceBook {
 public:
  using Ranks = std::map<NodeName, std::int64_t>;

  /// The best place and all places of a pod, in place of what was told of it before.
  void told(const Placement& best, Ranks ranks);
  /// What prioritize answers; null: nothing was told of the pod.
  [[nodiscard]] const Ranks* ranks(const Uid& pod) const;

  /// What a claim that shows its devices asks of what is assumed for pods.
  struct Shown {
    std::vector<Placement> assume;  ///< in place of what was: the rest of it
    std::vector<Uid> forget;        ///< bound, and nothing is left to be assumed
  };
  [[nodiscard]] Shown shown(const ResourceClaim& claim);
  /// The watch shows the pod bound. Pods and claims are watched apart: while a claim has yet to
  /// show its devices, what is assumed for the pod has to stay; false: it need not.
  [[nodiscard]] bool stays_when_bound(const Uid& pod);
  /// The pod is gone.
  void erase(const Uid& pod);
  /// Leadership changed.
  void reset();

  /// Of claims that got their devices after the advice.
  struct Figures {
    std::uint64_t as_foretold = 0;
    std::uint64_t otherwise = 0;
  };
  [[nodiscard]] Figures figures() const { return figures_; }

 private:
  struct Told {
    Placement best;
    Ranks ranks;
    std::set<ClaimKey> awaited;  ///< have yet to show their devices
    bool bound = false;
  };
  void show(Told& told, const ClaimKey& key, const ResourceClaim& claim, Shown& shown);
  void stop_waiting(const Told& told);

  std::map<Uid, Told> told_;
  std::map<ClaimKey, std::set<Uid>> waiting_;  ///< pods, by claim
  Figures figures_;
};

}  // namespace dray::engine
