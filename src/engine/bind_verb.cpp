#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "engine/protocol/gang_minimum.h"
#include "engine/router.h"

// The bind verb: idempotent by pod uid, answered only when the API server has said so; and what
// becomes of a gang's reservations when one of them ends.

namespace dray::engine {

void Engine::Router::bind(RequestId id, const extender::BindRequest& request, Time now) {
  if (!standing_.leading) return out_.answer(id, std::string(text(Reason::not_leader)));
  if (!allocates()) {
    return out_.answer(id,
                       "dray runs in mode advise, where kube-scheduler binds: take bindVerb off");
  }
  const auto name = "pod " + request.pod.to_string();
  if (const auto* followed = pods_.find(request.pod, request.uid)) {
    return bind_followed(*followed, id, request.node, now);
  }
  const auto pod = cluster_.pod(request.pod);
  if (!pod) return out_.answer(id, name + " is not known to dray");
  if (pod->meta.uid != request.uid) return out_.answer(id, name + " has another uid now");
  if (pod->node_name == request.node) return out_.answer(id, "");
  if (pod->node_name) return out_.answer(id, name + " is bound to another node");
  if (pod->meta.deleted) return out_.answer(id, name + " is being deleted");
  if (!admission_.bypasses(*pod)) {
    return out_.answer(id, name + " has claims, but its scheduler is \"" + pod->scheduler_name +
                               "\" and not \"" + options_.scheduler_name + "\"");
  }
  carry(pods_.appeared(*pod), now);
  pods_.set_bypasses(pod->meta.uid, true);
  bind_followed(*pods_.find(pod->meta.uid), id, request.node, now);
}

void Engine::Router::bind_followed(const PodLife& pod, RequestId id, const NodeName& node,
                                   Time now) {
  const auto name = "pod " + pod.key.to_string();
  if (const auto* bound_to = binds_.node_of(pod.uid)) {
    if (*bound_to == node) return binds_.join(pod.uid, id);
    return out_.answer(id, name + " is being bound to another node");
  }
  if (pod.state == PodState::bound) {
    const bool here = pod.reservation && pod.reservation->node == node;
    return out_.answer(id, here ? "" : name + " is bound to another node");
  }
  if (pod.bypasses) {
    return start_bind(pod, {id}, {.pod = pod.key, .pod_uid = pod.uid, .node = node, .claims = {}},
                      Binding::Pace::at_once, now);
  }
  if (pod.reservation && pod.reservation->node != node) {
    return out_.answer(id, name + ": " + std::string(text(Reason::reserved_elsewhere)));
  }
  // Room is asked for that only its reservation holds: it is given up, or bound at the next call.
  if (evictions_.evicting(pod.uid)) {
    return out_.answer(id, name + ": " + std::string(text(Reason::room_kept)));
  }
  if (!pod.reservation) plan_inline(pod.uid, {node}, now);
  if (!pod.reservation) {
    return out_.answer(id,
                       name + ", node " + node.get() + ": " + std::string(text(pod.wait.reason)));
  }
  if (upkeep_.releases.under_way(pod.uid)) {
    return out_.answer(id, name + ": its claims are being given back");
  }
  const auto gang = uncommitted_gang(pod.uid, now);
  // Its group's object went, or its queue, since it got its place: nobody can say who goes with it.
  if (const auto* why = admission_.jobs().unformed().find(pod.uid)) {
    const std::string error = name + ": " + std::string(text(why->reason));
    carry(pods_.give_up(pod.uid), now);
    return out_.answer(id, error);
  }
  if (!gang) return start_bind(pod, {id}, *pod.reservation, Binding::Pace::at_once, now);
  if (!gangs_.has_member(pod.uid)) pods_.bind_begun(pod.uid);
  carry(gangs_.join(*gang, bound_members(*gang), pod.uid, id, now), now);
}

void Engine::Router::on(StartBind& command, Time now) {
  const auto* pod = pods_.find(command.pod);
  const bool of_gang = command.pace == Binding::Pace::when_told;
  if (of_gang && !gangs_.wants_claims(command.pod)) {
    // A member that was started before it failed at once, and ended it for all.
    const std::string error = "dray: another pod of the gang could not be bound";
    for (const auto request : command.requests) out_.answer(request, error);
    pods_.bind_refused(command.pod, error, now);
    return carry(gangs_.ended(command.pod, false, error), now);
  }
  if (pod != nullptr && pod->reservation) {
    return start_bind(*pod, std::move(command.requests), *pod->reservation, command.pace, now);
  }
  const std::string error = "dray: the pod has no reservation any more";
  for (const auto request : command.requests) out_.answer(request, error);
  carry(gangs_.ended(command.pod, false, error), now);
}

bool Engine::Router::being_written(const Uid& pod) const {
  return binds_.contains(pod) || gangs_.has_member(pod) || upkeep_.releases.under_way(pod);
}

void Engine::Router::start_bind(const PodLife& pod, std::vector<RequestId> requests,
                                Placement placement, Binding::Pace pace, Time now) {
  const auto uid = pod.uid;
  const auto object = pods_.object(pod);
  const auto refuse = [&](const std::string& error) {
    carry(pods_.release(uid), now);
    for (const auto request : requests) out_.answer(request, error);
    carry(gangs_.ended(uid, false, error), now);
  };
  if (object && uses_other_claims(*object, placement)) {
    return refuse("pod " + placement.pod.to_string() + " uses other claims by now");
  }
  planner::PodClaims claims;
  for (const auto& want : placement.claims) {
    auto claim = cluster_.claim(want.claim);
    if (!claim && !want.extended) {
      return refuse("claim " + want.claim.to_string() + " does not exist any more");
    }
    claims.push_back(std::move(claim));
  }
  if (!pod.reservation) cluster_.assume(placement);  // its room counts until the watch shows it
  pods_.bind_begun(uid);
  const auto job = admission_.jobs().job_of(uid);
  auto users = object ? claim_users(*object, claims) : std::vector<ClaimConsumer>{};
  carry(binds_.start({.placement = std::move(placement),
                      .requests = std::move(requests),
                      .claims = std::move(claims),
                      .users = std::move(users),
                      .pod_version = pods_.version(pod),
                      .pace = pace,
                      .warnings = pod.warnings,
                      .detail = pod.wait.detail,
                      .queue = job ? job->queue.get() : "",
                      .job = job ? job->name : ""},
                     now),
        now);
}

/// A claim that Kubernetes made for a PodGroup is used by the group, not by its pods (KEP-5729).
std::vector<ClaimConsumer> Engine::Router::claim_users(const Pod& pod,
                                                       const planner::PodClaims& claims) const {
  const auto* group =
      pod.pod_group ? admission_.jobs().groups().pod_group(pod.meta.namespace_name, *pod.pod_group)
                    : nullptr;
  std::vector<ClaimConsumer> users;
  for (const auto& claim : claims) {
    const bool of_group = group != nullptr && claim &&
                          std::ranges::any_of(claim->meta.owners, [&](const auto& owner) {
                            return owner.uid == group->meta.uid;
                          });
    users.push_back(of_group ? ClaimConsumer{.api_group = "scheduling.k8s.io",
                                             .resource = group_consumer_resource,
                                             .name = group->meta.name,
                                             .uid = group->meta.uid}
                             : consumer_of(pod.key(), pod.meta.uid));
  }
  return users;
}

std::set<Uid> Engine::Router::bound_members(const planner::Job& job) const {
  std::set<Uid> bound;
  for (const auto& uid : member_uids(job)) {
    if (pods_.is_bound(uid)) bound.insert(uid);
  }
  return bound;
}

std::shared_ptr<const planner::Job> Engine::Router::uncommitted_gang(const Uid& pod, Time now) {
  admission_.jobs().refresh(now);
  auto job = admission_.jobs().job_of(pod);
  if (!job || gangs_.contains(job->uid)) return job;
  const auto bound = bound_members(*job);
  auto there = bound;
  there.insert(pod);
  return may_run_with(job->gang, member_uids(*job), bound, there) ? nullptr : job;
}

/// A gang whose placed members are too few to start, now that one is gone, gives their places up:
/// nobody else could have them, and they are of no use.
void Engine::Router::release_short_gang(const Uid& job, Time now) {
  admission_.jobs().refresh(now);
  const auto found = admission_.jobs().find(job);
  if (!found || gangs_.contains(job)) return;
  const auto members = member_uids(*found);
  const auto bound = bound_members(*found);
  auto there = bound;
  std::vector<Uid> reserved;
  for (const auto& uid : members) {
    const auto* pod = pods_.find(uid);
    if (pod == nullptr || !pod->reservation) continue;
    there.insert(uid);
    if (!pod->fixed()) reserved.push_back(uid);
  }
  if (reserved.empty() || may_run_with(found->gang, members, bound, there)) return;
  for (const auto& uid : reserved) carry(pods_.give_up(uid), now);
}

/// A gang is planned as one: while it has not begun to run, nobody keeps a place without the
/// others.
void Engine::Router::release_gang_of(const Uid& pod, Time now) {
  const auto job = uncommitted_gang(pod, now);
  if (!job || gangs_.contains(job->uid)) return;
  for (const auto& uid : member_uids(*job)) {
    const auto* other = pods_.find(uid);
    if (other != nullptr && other->reservation && !other->fixed()) carry(pods_.give_up(uid), now);
  }
}

}  // namespace dray::engine
