#include <algorithm>
#include <utility>

#include "dray/cluster/pool_reach.h"
#include "dray/model/pod_marks.h"
#include "dray/planner/pod_claims.h"
#include "engine/router.h"

// Mode advise: kube-scheduler's plugin DynamicResources allocates when it binds. What it would
// choose is foreseen from what it knows: allocated claims, and pods that it has been told nodes
// for.

namespace dray::engine {
namespace {

extender::FilterResponse answer_by(const std::vector<NodeName>& nodes,
                                   const std::vector<Reason>& reasons) {
  extender::FilterResponse response;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (reasons[i] == Reason::none) {
      response.node_names.push_back(nodes[i]);
    } else {
      response.failed_unresolvable[std::string(text(reasons[i]))].push_back(nodes[i]);
    }
  }
  return response;
}

bool same_devices_in(const Placement& a, const Placement& b) {
  return a.node == b.node && std::ranges::equal(a.claims, b.claims, {}, &ClaimPlacement::allocation,
                                                &ClaimPlacement::allocation);
}

/// Nobody but the pod has it: kube-scheduler's plugin takes its devices back where they are of no
/// use to the pod.
bool pins(const ResourceClaim& claim, const Uid& pod) {
  return claim.allocation &&
         std::ranges::all_of(claim.reserved_for,
                             [&](const ClaimConsumer& user) { return user.uid == pod; });
}

}  // namespace

/// Judged at each call, on the cluster as it is without what the pod was told before: a call says
/// that this came to nothing. Members of a gang keep to the nodes that were chosen for all of them.
extender::FilterResponse Engine::Router::advise(const Uid& uid,
                                                const extender::FilterRequest& request,
                                                const std::vector<NodeName>& nodes, Time now) {
  if (evictions_.evicting(uid)) {
    pods_.filter_refused(uid);
    return refuse_all(Reason::room_kept);
  }
  admission_.jobs().refresh(now);
  const auto job = admission_.jobs().job_of(uid);
  if (!job || job->members.size() == 1) return advise_among(uid, request.pod, nodes, nodes, now);
  const auto reserved = pods_.reserved_node(uid);
  if (reserved && std::ranges::find(nodes, *reserved) != nodes.end()) {
    return advise_among(uid, request.pod, nodes, {*reserved}, now);
  }
  const bool nominated_alone = nodes.size() == 1 && request.pod.nominated_node == nodes.front();
  if (reserved && nominated_alone) return refuse_all(Reason::reserved_elsewhere);
  if (reserved) {
    carry(pods_.refuse_node(uid, now), now);
  } else {
    plan_inline(uid, nodes, now);
  }
  pods_.filter_refused(uid);
  return refuse_all(pods_.find(uid)->wait.reason);
}

/// Of `nodes`, only those of `among` may do.
extender::FilterResponse Engine::Router::advise_among(const Uid& uid, const Pod& asked,
                                                      const std::vector<NodeName>& nodes,
                                                      const std::vector<NodeName>& among,
                                                      Time now) {
  carry(pods_.withdraw(uid), now);
  const auto advice = advice_for(uid, among, now);
  AdviceBook::Ranks ranks;
  std::vector<Reason> reasons(nodes.size(), advice ? Reason::reserved_elsewhere : Reason::planning);
  for (std::size_t i = 0; advice && i < nodes.size(); ++i) {
    const auto at = std::ranges::find(among, nodes[i]);
    if (at == among.end()) continue;
    const auto& said = advice->nodes[static_cast<std::size_t>(at - among.begin())];
    reasons[i] = said.reason;
    if (said.reason == Reason::none) ranks.emplace(nodes[i], said.rank);
  }
  const bool best = advice && take_best(uid, *advice, ranks, now);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (reasons[i] == Reason::none && !ranks.contains(nodes[i])) reasons[i] = Reason::constraint;
  }
  if (best) {
    judging_.told.told(*pods_.find(uid)->reservation, std::move(ranks));
    pods_.advised(asked, now);
    return answer_by(nodes, reasons);
  }
  carry(pods_.release(uid), now);
  const auto why = std::ranges::find_if(
      reasons, [](Reason reason) { return reason != Reason::reserved_elsewhere; });
  if (why != reasons.end()) pods_.set_reason(uid, *why);
  pods_.filter_refused(uid);
  release_gang_of(uid, now);
  plans_.want();
  return answer_by(nodes, reasons);
}

/// Holds the best place for the pod, as kube-scheduler's plugin would allocate it. Places that turn
/// out not to do leave `ranks`.
bool Engine::Router::take_best(const Uid& uid, const planner::Advice& advice,
                               AdviceBook::Ranks& ranks, Time now) {
  const auto& planned = advice.placement;
  while (!ranks.empty()) {
    const auto best =
        std::ranges::max_element(ranks, {}, [](const auto& entry) { return entry.second; });
    const auto unaware = tentative_on(best->first);
    const bool as_planned = planned && planned->node == best->first;
    const auto placement =
        as_planned && unaware.empty() ? planned : foresee(uid, best->first, unaware, now);
    if (!placement) {
      ranks.erase(best);
      continue;
    }
    carry(pods_.reserve(*placement, {}, advice.warnings), now);
    if (!as_planned || !same_devices_in(*planned, *placement)) {
      for (const auto& other : unaware) place_anew(other, now);
    }
    return true;
  }
  return false;
}

/// Nothing while the pod cannot be placed at all: a claim is missing, another holds it back.
std::optional<planner::Advice> Engine::Router::advice_for(const Uid& uid,
                                                          const std::vector<NodeName>& nodes,
                                                          Time now) {
  admission_.jobs().refresh(now);
  const auto job = admission_.jobs().job_of(uid);
  if (!job) return std::nullopt;
  const auto member = std::ranges::find_if(
      job->members, [&](const planner::Member& each) { return each.pod->meta.uid == uid; });
  if (member == job->members.end() || member->state != planner::MemberState::waiting) {
    return std::nullopt;
  }
  return judging_.planner.advise(inputs().of_one(job, nodes, nodes.size(), now), job->uid, uid);
}

/// Reservations that may hold devices of the node and that kube-scheduler knows nothing of.
std::vector<Placement> Engine::Router::tentative_on(const NodeName& node) {
  auto all = pods_.tentative();
  if (all.empty()) return all;
  const auto snapshot = cluster_.snapshot();
  std::erase_if(all, [&](const Placement& each) {
    return each.node != node && !cluster::reaches_other_nodes(*snapshot, each);
  });
  return all;
}

/// What the pod would get on the node, were the plans for `unaware` not there.
std::optional<Placement> Engine::Router::foresee(const Uid& uid, const NodeName& node,
                                                 const std::vector<Placement>& unaware, Time now) {
  for (const auto& other : unaware) cluster_.forget(other.pod_uid);
  auto advice = advice_for(uid, {node}, now);
  for (const auto& other : unaware) cluster_.assume(other);
  return advice ? std::move(advice->placement) : std::nullopt;
}

/// Its devices may go to another: it gets others on its node, or is planned again.
void Engine::Router::place_anew(const Placement& tentative, Time now) {
  const auto uid = tentative.pod_uid;
  carry(pods_.withdraw(uid), now);
  auto advice = advice_for(uid, {tentative.node}, now);
  if (advice && advice->placement) {
    return carry(pods_.reserve(*advice->placement, {}, advice->warnings), now);
  }
  carry(pods_.release(uid), now);
  release_gang_of(uid, now);
  plans_.want();
}

/// kube-scheduler names the node before it allocates: it need not be the one that was best.
void Engine::Router::follow_choice(const Pod& pod, Time now) {
  const auto* life = pods_.find(pod.meta.uid);
  if (life == nullptr || !life->reservation || !pod.nominated_node) return;
  if (life->state != PodState::offered || !life->offer.asked) return;
  if (*pod.nominated_node == life->reservation->node) return;
  const auto before = *life->reservation;
  carry(pods_.withdraw(pod.meta.uid), now);
  auto advice = advice_for(pod.meta.uid, {*pod.nominated_node}, now);
  const bool found = advice && advice->placement;
  carry(pods_.reserve(found ? *advice->placement : before, {}, {}), now);
  pods_.advised(pod, now);
}

void Engine::Router::show_devices(const ResourceClaim& claim) {
  const auto shown = judging_.told.shown(claim);
  for (auto placement : shown.assume) {
    const auto* life = pods_.find(placement.pod_uid);
    if (life != nullptr && life->reservation) {
      placement.node = life->reservation->node;  // which kube-scheduler may have named since
      pods_.hold(placement);
    } else if (cluster_.pod(placement.pod_uid)) {
      cluster_.assume(placement);
    }
  }
  for (const auto& uid : shown.forget) {
    cluster_.forget(uid);
    admission_.jobs().touch(uid);
  }
  if (!shown.forget.empty()) plans_.want();
}

/// The watch shows a pod of ours bound, which is kube-scheduler's doing.
void Engine::Router::bound_by_others(const Pod& pod, Time now) {
  const auto& life = *pods_.find(pod.meta.uid);
  if (life.reservation && life.reservation->node == *pod.node_name) {
    carry(warnings_of(*life.reservation, life.warnings), now);
  }
  pods_.bound_by_others(pod.meta.uid, now);
}

/// A gated pod whose claims keep it from where it could go: without its gate, kube-scheduler tries
/// it, filter says no, and the plugin takes the devices back. Of one without a gate it does so by
/// itself.
void Engine::Router::unpin(const Pod& pod, Time now) {
  const auto& uid = pod.meta.uid;
  if (!gated_by(pod, options_.gate) || pods_.find(uid)->exposed) return;
  const auto claims = planner::claims_of(*cluster_.snapshot(), pod);
  const bool pinned =
      claims && std::ranges::any_of(*claims, [&](const auto& claim) { return pins(*claim, uid); });
  if (pinned) carry(pods_.expose(uid), now);
}

}  // namespace dray::engine
