#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/model/object.h"
#include "dray/sim/api_server.h"
#include "dray/sim/work_queue.h"

namespace dray::sim {

/// kube-controller-manager's resourceclaim controller (pkg/controller/resourceclaim, 1.37, without
/// its PodGroup features) and the part of its garbage collector that deletes the claims of pods
/// that are gone.
///
/// Makes claims from templates, also for gated pods, and writes their names into the pods' status;
/// takes pods that are done off reservedFor, with the last one (and the finalizer there) the
/// allocation, then the finalizer; deletes the claims of done pods; reserves an allocated claim for
/// a bound pod that lacks it. It decides on its own caches, which lag as its events do. It has the
/// faults of the real one: a finished pod of a claim that others use is reserved and dropped again
/// for ever (kubernetes/kubernetes issue 141274); a pod loses its claim while the cache holds the
/// pod that had its name before; a claim stays reserved for a pod that came and went while the
/// watch was away.
class ClaimController {
 public:
  /// A change of a pod, a claim or a template, as its watch tells it.
  void observe(const WatchEvent& event);

  /// Does one due piece of work; false if none is due.
  bool work(ApiServer& server, Time now);

  /// When there is work to do, if any: `now` or later.
  [[nodiscard]] std::optional<Time> due(Time now) const { return queue_.due(now); }

  /// Pods that lost a claim to a cache that held the pod that had their name before.
  [[nodiscard]] const std::set<Uid>& robbed() const { return robbed_; }
  /// Users of claims that it asked the API server for, and has not seen since.
  [[nodiscard]] const std::set<Uid>& never_seen() const { return never_seen_; }

 private:
  void observe_pod(const WatchEvent& event);
  void observe_claim(const WatchEvent& event);
  void observe_template(const ResourceClaimTemplate& object);
  void index_pod(const Pod& pod, bool add);
  void enqueue_pod(const Pod& pod, bool deleted);
  void enqueue_pods_of(const std::map<std::string, std::set<std::string>>& index,
                       const std::string& key);
  [[nodiscard]] bool pod_needs_work(const Pod& pod) const;

  Result<void> sync_pod(const std::string& key, ApiServer& server, Time now);
  Result<void> sync_claim(const std::string& key, ApiServer& server, Time now);
  Result<void> collect_garbage(const std::string& key, ApiServer& server, Time now) const;
  Result<std::optional<std::string>> make_claim(const Pod& pod, const PodResourceClaim& claim,
                                                ApiServer& server, Time now);
  Result<void> name_claims(const Pod& pod, const std::map<std::string, std::string>& made,
                           ApiServer& server, Time now) const;
  Result<void> reserve_for_bound_pod(const Pod& pod, ApiServer& server, Time now) const;
  Result<void> drop_users(const ResourceClaim& claim, std::vector<ClaimConsumer> remaining,
                          ApiServer& server, Time now) const;
  Result<void> finish_deletion(const ResourceClaim& claim, ApiServer& server, Time now) const;
  Result<void> delete_if_owner_is_done(const ResourceClaim& claim, ApiServer& server,
                                       Time now) const;
  [[nodiscard]] bool still_uses(const ClaimConsumer& user, const std::string& space,
                                const ApiServer& server);

  [[nodiscard]] const Pod* pod(const std::string& key) const;
  [[nodiscard]] const ResourceClaim* claim(const std::string& key) const;
  [[nodiscard]] const ResourceClaim* claim_or_made(const std::string& key, Time now);
  void remember_made(const std::shared_ptr<const KubeObject>& object, Time now);

  std::set<Uid> robbed_;
  std::set<Uid> never_seen_;
  std::map<std::string, std::shared_ptr<const KubeObject>> pods_;
  std::map<std::string, std::shared_ptr<const KubeObject>> claims_;
  std::map<std::string, std::shared_ptr<const KubeObject>> templates_;
  /// client-go's mutation cache: claims that were made, believed to exist until one is looked at
  /// while claims_ has it, or an hour has passed. (So a generated claim that somebody deletes may
  /// not be made anew at once.)
  struct Made {
    std::shared_ptr<const KubeObject> object;
    Time expires;
  };
  std::map<std::string, Made> made_;
  std::deque<std::pair<Time, std::string>> made_order_;
  std::map<std::string, std::set<std::string>> pods_by_claim_;
  std::map<std::string, std::set<std::string>> pods_by_template_;
  std::map<Uid, std::set<std::string>> claims_by_owner_;
  /// The last 500, as upstream: for others the server is asked.
  std::set<Uid> deleted_pods_;
  std::deque<Uid> deleted_order_;
  WorkQueue queue_;
};

}  // namespace dray::sim
