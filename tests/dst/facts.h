#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/model/object.h"
#include "sim/cluster_loop.h"
#include "tests/dst/odd_facts.h"

namespace dray::dst {

/// So long a decision may be under way: a slow watch, the outbox, a late landing.
inline constexpr Duration old_news = std::chrono::seconds(60);

/// A device as its slice showed it last.
struct DeviceFact {
  Device device;
  std::optional<NodeName> node;  ///< none: all nodes reach it
  Time last_seen{};              ///< while it is published: always now
  bool published = true;
  std::optional<Time> tainted_since;
  std::optional<Device> before;  ///< as it was before it changed
  Time changed{};
};

/// What has been committed so far, as far as a rule asks for it. It is read off the API server's
/// commits alone.
struct Facts {
  explicit Facts(const sim::ClusterLoop& watched) : loop(watched) {}

  const sim::ClusterLoop& loop;
  std::map<Uid, ResourceClaim> claims;  ///< as of their last commit
  std::map<Uid, Pod> pods;
  std::map<Uid, std::string> group_of;       ///< members of gangs, gone ones too
  std::map<Uid, std::int32_t> allocated_in;  ///< claims that have devices of dray: its epoch then
  std::map<DeviceId, std::set<Uid>> holders;
  std::map<DeviceId, DeviceFact> devices;
  std::map<DeviceId, Time> rival_took;                 ///< by somebody who keeps to no rule
  std::set<Uid> held_once;                             ///< pods that a claim was reserved for
  std::map<std::string, std::set<Uid>> held_of_group;  ///< those of them that are members
  std::map<Uid, NodeName> bound;                       ///< pods, gone ones too
  std::set<Uid> evicted;
  std::map<Uid, Time> victims;  ///< that dray wants evicted, whether they go or not; asked last
  std::vector<Time> evictions;
  std::vector<Time> ends;                    ///< of pods, by themselves or by somebody else's hand
  std::vector<std::pair<Time, Pod>> waited;  ///< pods that do not wait any more, and since when
  std::int32_t highest_epoch = 0;            ///< that has written
  std::map<std::string, std::int64_t> limits;  ///< of gpus by queue: the widest of the last minute
  /// The newest version of a claim that a leadership was told in an answer, by its fieldManager.
  std::map<std::pair<std::string, Uid>, ResourceClaim> told;
  std::map<std::string, Time> asked;  ///< when dray last sent something of this pod or claim
  std::map<std::pair<std::string, std::string>, std::uint64_t> sent;  ///< by write and subject
  std::map<std::string, Time> refused;  ///< when a write of a pod or claim was so for good, last
  struct Denials {
    int times = 0;  ///< bind calls that failed by a refusal
    Time last{};
  };
  std::map<Uid, Denials> denials;
  OddFacts odd;

  [[nodiscard]] Time now() const { return loop.now(); }
  [[nodiscard]] const sim::ApiServer& server() const { return loop.server(); }
  /// Dray wants the pod evicted: a victim that was refused, or spared, is none after a while.
  [[nodiscard]] bool is_victim(const Uid& pod) const {
    const auto found = victims.find(pod);
    return found != victims.end() && now() - found->second <= old_news;
  }
  /// Lost its claim by a fault of kube-controller-manager, or by somebody's hand.
  [[nodiscard]] bool robbed(const Uid& pod) const {
    return loop.claim_controller().robbed().contains(pod) || odd.torn.contains(pod);
  }
};

/// One commit, with what was there before it.
struct Commit {
  const sim::WatchEvent& event;
  const ResourceClaim* claim = nullptr;  ///< after it; null: of another kind, or a deletion
  const ResourceClaim* claim_before = nullptr;
  const Pod* pod = nullptr;
  const Pod* pod_before = nullptr;
  const sim::ApiRequest* by = nullptr;  ///< dray's request; null: somebody else's

  /// The claim has devices now that it did not have.
  [[nodiscard]] bool allocates() const {
    return claim != nullptr && claim->allocation &&
           (claim_before == nullptr || !claim_before->allocation);
  }
  /// The pod has a node now.
  [[nodiscard]] bool binds() const {
    return pod != nullptr && pod->node_name && (pod_before == nullptr || !pod_before->node_name);
  }
};

/// The claims of a pod as the server holds them; null for one that is not there.
std::vector<const ResourceClaim*> claims_of(const Pod& pod, const sim::ApiServer& server);
bool reserved_for(const ResourceClaim& claim, const Uid& uid);
/// Whether parts of the device go to several claims.
bool is_shared(const AllocatedDevice& device);
/// Whether it is looked at besides whoever has it.
bool is_admin(const AllocatedDevice& device);
/// The API server has refused the pod's placements so often that dray gives the node up for a
/// while: a minute from the third time on, each time for twice as long.
bool is_given_up(const Facts& facts, const Pod& pod);
/// leaseTransitions of a fieldManager `dray-N-IDENTITY`.
std::int32_t epoch_of(const std::string& field_manager);
std::uint64_t number(const ResourceVersion& version);
/// What the names of claims that several pods use begin with.
inline constexpr const char* shared_prefix = "shared";
/// Of somebody who allocates beside dray.
inline constexpr const char* rival_prefix = "rival";

/// Takes the commit in, after the rules were asked.
void learn(Facts& facts, const Commit& commit);

}  // namespace dray::dst
