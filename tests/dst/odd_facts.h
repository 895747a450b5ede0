#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "dray/engine/engine.h"
#include "dray/model/lease.h"
#include "dray/policy/config.h"
#include "dray/sim/calm_cluster.h"
#include "sim/network.h"
#include "tests/dst/bias.h"

namespace dray::dst {

/// What the rules of odd seeds ask for besides: read off commits, requests and answers. The clocks
/// of odd seeds are right.
struct OddFacts {
  bool on = false;
  Strictness strict;
  std::shared_ptr<const policy::PolicyConfig> policy;  ///< in force
  std::optional<Time> no_node_since;                   ///< all are cordoned
  std::set<Uid> torn;                                  ///< pods that somebody took a claim from
  std::map<Uid, std::string> queue_of;                 ///< pods that are bound: their queue then
  std::set<Uid> lifted;                                ///< pods whose gate was to go once
  std::map<Uid, Time> bound_at;
  std::map<Uid, Time> finished_at;
  std::map<std::string, Time> groups_gone;

  /// The Lease as it was committed last.
  struct Leased {
    Lease lease;
    Time at{};
    std::uint64_t starts = 0;  ///< of replicas, until then
  };
  std::optional<Leased> leased;
  /// A term as its holder knows it.
  struct Term {
    Time ends{};
    bool over = false;
  };
  std::map<std::int32_t, Term> terms;     ///< by epoch
  std::map<std::string, Time> last_sent;  ///< by who, what and of which object

  /// A pod that was to be woken in vain.
  struct Woken {
    Time in_vain{};
    std::string subject;
  };
  std::map<Uid, Woken> woken;
  std::set<std::pair<std::string, Uid>>
      told_bound;                         ///< by fieldManager: its bindings that came through
  std::map<std::string, Time> sent_away;  ///< pods by name, until they are bound again
  std::map<Uid, Time> asked_about;        ///< by kube-scheduler
  std::map<engine::RequestId, Time> open_binds;
};

/// Who sends what, of which object.
std::string who_and_what(const sim::ApiRequest& request);

/// What kube-scheduler is to look at again for; null: it is no wake-up.
const Uid* woken_by(const engine::Write& write);

/// Takes in what was decided, sent and answered, after the rules were asked.
struct Facts;
struct Commit;
void learn_odd(Facts& facts, const Commit& commit);
void learn_decided(Facts& facts, const sim::ApiRequest& request);
void learn_sent(Facts& facts, const sim::ApiRequest& request);
void learn_told(Facts& facts, const sim::ApiRequest& request, const sim::ApiReply& reply);
void learn_step(Facts& facts, const sim::EngineStep& step);

}  // namespace dray::dst
