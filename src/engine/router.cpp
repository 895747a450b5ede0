#include "engine/router.h"

#include <limits>
#include <utility>

#include "dray/base/check.h"

namespace dray::engine {
namespace {

bool in_cluster_state(Kind kind) {
  return kind_info(kind).kept_by == KeptBy::cluster;
}

/// Of one owner's timers in one step.
constexpr int most_due = 32;

bool due(std::optional<Time> at, Time now) {
  return at && *at <= now;
}

}  // namespace

Engine::Router::Router(Options given)
    : options_(std::move(given)),
      judging_{.planner = planner::Planner(allocator_options(options_, 0))},
      admission_({.scheduler_name = options_.scheduler_name, .gate = options_.gate}, cluster_,
                 {.reserved_node = [this](const Uid& uid) { return pods_.reserved_node(uid); },
                  .evicting = [this](const Uid& uid) { return evictions_.evicting(uid); },
                  .denied = [this](const Uid& uid) { return pods_.denied(uid); }}),
      usage_(options_.usage_record),
      room_(cluster_),
      pods_({.mode = options_.mode,
             .gate = options_.gate,
             .reservation_life = options_.reservation_life,
             // Who advises lets kube-scheduler choose the node, and does not choose before it.
             .nominate_from_nodes = allocates() ? options_.nominate_from_nodes
                                                : std::numeric_limits<std::size_t>::max(),
             .tell_after = options_.tell_after},
            cluster_, admission_.jobs()),
      evictions_(cluster_, [this](const auto& eviction) { return is_needed(eviction); }),
      shares_(cluster_),
      upkeep_{.releases = {cluster_, [this](const Uid& uid) { return pods_.waits(uid); }},
              .audits = {cluster_,
                         {.ours = [this](const Pod& pod) { return admission_.ours(pod); },
                          .busy = [this](const Uid& uid) { return being_written(uid); }}},
              .queue_users = QueueUsersKeeper(options_.queue_users_record),
              .node_requests =
                  NodeRequests([this](const Uid& job) { return admission_.jobs().find(job); })},
      plans_(options_.plan_pause) {
  usage_.set_policy(admission_.policy());
}

Effects Engine::Router::finish_step(Time now) {
  carry(pods_.offer_due(now), now);
  plan_when_due(now);
  return out_.take();
}

// ---- Events

void Engine::Router::apply(const Event& event, Time now) {
  std::visit([&](const auto& each) { on(each, now); }, event);
}

void Engine::Router::on(const Synced& /*synced*/, Time now) {
  standing_.synced = true;
  upkeep_.audits.lead(standing_.leading && allocates(), now);
  plans_.want();
}

/// It holds what it holds; all else goes on without it.
void Engine::Router::on(const cluster::ObjectUnreadable& found, Time now) {
  for (auto& event : admission_.unreadable().put(found, now))
    out_.send(std::move(event), ForNothing{}, now);
  if (!std::holds_alternative<ResourceClaim>(found.object)) return;
  cluster_.apply(cluster::ObjectChanged{found.object});
  upkeep_.audits.put(std::get<ResourceClaim>(found.object), now);
  plans_.want();
  pods_.claims_moved();
}

void Engine::Router::on(const cluster::ObjectChanged& change, Time now) {
  // Pods are known by uid: who had the name is gone, though nobody has said so.
  if (const auto gone = cluster_.replaced_by(change.object)) on(*gone, now);
  admission_.unreadable().erase(kind_of(change.object), meta_of(change.object));
  const auto before = cluster_.generation();
  cluster_.apply(change);
  if (const auto* slice = std::get_if<ResourceSlice>(&change.object)) shares_.put(*slice);
  observe_request(change.object, now);
  const auto changed = observe_admission(change.object, now);
  if (changed != Admission::Change::none || !in_cluster_state(kind_of(change.object))) return;
  if (const auto* pod = std::get_if<Pod>(&change.object)) {
    observe_pod(*pod, now);
  } else if (cluster_.generation() != before) {
    plans_.want();
    // Resources that a class stands behind make a pod one with devices.
    if (kind_of(change.object) == Kind::device_class) readmit(now);
  }
  if (const auto* claim = std::get_if<ResourceClaim>(&change.object)) {
    upkeep_.audits.put(*claim, now);
    pods_.claims_moved();
    show_devices(*claim);
  }
}

void Engine::Router::on(const cluster::ObjectGone& change, Time now) {
  admission_.unreadable().erase(change);
  cluster_.apply(change);
  if (change.kind == Kind::resource_slice) shares_.erase(change.name);
  if (change.kind == Kind::provisioning_request) {
    carry(upkeep_.node_requests.erase({change.namespace_name, change.name}), now);
  }
  const auto group = admission_.group_of(change.kind, change.namespace_name, change.name);
  admission_changed(admission_.forget(change), group, now);
  if (!in_cluster_state(change.kind)) return;
  plans_.want();
  if (change.kind == Kind::resource_claim) {
    const ClaimKey key{change.namespace_name, change.name};
    shares_.claim_gone(key);
    upkeep_.audits.erase(key);
    pods_.claims_moved();
  }
  if (change.kind != Kind::pod) return;
  const auto job = admission_.jobs().job_of(change.uid);
  if (job) room_.pod_gone(*job, change.uid, now);
  admission_.erase(change.uid);
  evictions_.forget(change.uid);
  upkeep_.audits.pod_gone(change.uid, now);
  if (const auto* pod = pods_.find(PodKey{change.namespace_name, change.name})) {
    carry(pods_.drop(pod->uid), now);
  }
  if (!allocates()) {
    judging_.told.erase(change.uid);
    cluster_.forget(change.uid);
  }
  if (job) release_short_gang(job->uid, now);
}

void Engine::Router::observe_pod(const Pod& pod, Time now) {
  const auto& uid = pod.meta.uid;
  if (pod.finished()) {
    if (const auto job = admission_.jobs().job_of(uid)) room_.pod_finished(*job, pod, now);
    plans_.want();  // its room is free, and its devices will be
  }
  admission_.put(pod, now);
  const bool followed = pods_.find(pod.key(), uid) != nullptr;
  if (!admission_.ours(pod) || pod.finished() || pod.node_name) {
    if (followed && pod.node_name && !allocates()) bound_by_others(pod, now);
    if (followed) carry(pods_.drop(uid), now);
    return;
  }
  if (!followed) {
    carry(pods_.appeared(pod), now);
    pods_.set_bypasses(uid, admission_.bypasses(pod));
  }
  if (pods_.waits(uid)) plans_.want();
  shares_.put(pod);
  show_followed(pod, now);
  if (!allocates()) follow_choice(pod, now);
}

void Engine::Router::show_followed(const Pod& pod, Time now) {
  const auto& uid = pod.meta.uid;
  binds_.see(pod);
  if (pod.meta.deleted && !binds_.contains(uid)) {
    carry(gangs_.left(uid), now);
    carry(pods_.deleted(uid), now);
    if (const auto job = admission_.jobs().job_of(uid)) release_short_gang(job->uid, now);
    return;
  }
  if (pods_.waits(uid)) pods_.set_bypasses(uid, admission_.bypasses(pod));
  carry(pods_.step(pod, standing_.leading, now), now);
}

void Engine::Router::on(const PolicyChanged& change, Time now) {
  admission_changed(admission_.set_config(change.config), {}, now);
}

/// A Workload may have come to name another controller: then the pods of both are looked at.
Admission::Change Engine::Router::observe_admission(const KubeObject& object, Time now) {
  const auto& meta = meta_of(object);
  const auto group = [&] {
    return admission_.group_of(kind_of(object), meta.namespace_name, meta.name);
  };
  const auto before = group();
  const auto changed = admission_.observe(object);
  const auto after = group();
  if (before != after) admission_changed(changed, before, now);
  admission_changed(changed, after, now);
  return changed;
}

void Engine::Router::admission_changed(Admission::Change change, const GroupMembers::Group& object,
                                       Time now) {
  switch (change) {
    case Admission::Change::none:
      return;
    case Admission::Change::plans:
      return plans_.want();
    case Admission::Change::group:
      return readmit(object, now);
    case Admission::Change::policy:
      usage_.set_policy(admission_.policy());
      upkeep_.queue_users.set_policy(admission_.policy()->config, now);
      if (allocates()) {
        shares_.set_rule(admission_.policy()->config.fractions, *cluster_.snapshot());
      }
      return readmit(now);
    case Admission::Change::pods:
      return readmit(now);
  }
}

/// What makes a pod a job changed: rare enough to look at every pod.
void Engine::Router::readmit(Time now) {
  admission_.readmit(now);
  for (const auto& [uid, life] : pods_.all()) {
    if (const auto pod = pods_.object(life)) show_again(*pod, now);
  }
  plans_.want();
}

void Engine::Router::readmit(const GroupMembers::Group& group, Time now) {
  for (const auto& key : admission_.members().of(group)) {
    const auto pod = cluster_.pod(key);
    if (!pod) continue;
    admission_.readmit(*pod, now);
    if (pods_.find(pod->meta.uid) != nullptr) show_again(*pod, now);
  }
  plans_.want();
}

/// What makes a followed pod a job may have changed.
void Engine::Router::show_again(const Pod& pod, Time now) {
  const auto& life = *pods_.find(pod.meta.uid);
  const bool bypassed = life.bypasses;
  pods_.set_bypasses(life.uid, admission_.bypasses(pod));
  // No plan will ever take its gate off: it is offered as it is.
  if (!bypassed && life.bypasses && life.state == PodState::waiting) show_followed(pod, now);
}

void Engine::Router::on(const LeadershipChanged& change, Time now) {
  standing_.leading = change.leading;
  carry(binds_.reset(), now);
  carry(gangs_.reset(), now);
  carry(evictions_.reset(), now);
  room_.reset();
  out_.reset(change.epoch);
  upkeep_.releases.reset();
  upkeep_.audits.lead(standing_.leading && standing_.synced && allocates(), now);
  usage_.lead(standing_.leading, now);
  upkeep_.queue_users.lead(standing_.leading, now);
  upkeep_.node_requests.reset();
  plans_.reset();
  admission_.jobs().unformed().end_telling();
  judging_.told.reset();
  shares_.reset();
  admission_.unreadable().quiet();
  carry(pods_.reset(), now);
  if (!standing_.leading) return;
  for (auto& event : admission_.unreadable().tell_all(now))
    out_.send(std::move(event), ForNothing{}, now);
  for (const auto& [uid, life] : pods_.all()) {
    if (const auto pod = pods_.object(life)) show_followed(*pod, now);
  }
}

// ---- Timers

void Engine::Router::tick(Time now) {
  // Thousands may be due at once: what is left is due with the next call.
  const auto some_of = [&](auto& owner) {
    for (int i = 0; i < most_due && due(owner.next_tick(), now); ++i) {
      carry(owner.tick(now), now);
    }
  };
  auto& [releases, audits, queue_users, requests] = upkeep_;
  some_of(pods_);
  some_of(binds_);
  some_of(gangs_);
  if (due(evictions_.next_tick(), now)) {
    admission_.jobs().refresh(now);
    carry(evictions_.tick(now), now);
  }
  some_of(releases);
  some_of(audits);
  for (auto& write : usage_.tick(now)) out_.send(std::move(write), ForUsage{}, now);
  for (auto& write : queue_users.tick(now)) out_.send(std::move(write), ForQueueUsers{}, now);
  take_slices(now);
  plans_.tick(now);
}

std::optional<Time> Engine::Router::next_tick() const {
  std::optional<Time> next;
  for (const auto at :
       {pods_.next_tick(), binds_.next_tick(), gangs_.next_tick(), evictions_.next_tick(),
        upkeep_.releases.next_tick(), upkeep_.audits.next_tick(), upkeep_.queue_users.next_tick(),
        usage_.next_tick(),
        standing_.leading && standing_.synced ? plans_.next_tick() : std::nullopt,
        admission_.jobs().unformed().next_tick(), judging_.ahead_since}) {
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

// ---- Commands

void Engine::Router::carry(Commands commands, Time now) {
  for (auto& command : commands) {
    std::visit([&](auto& each) { on(each, now); }, command);
  }
}

void Engine::Router::on(Send& command, Time now) {
  DRAY_CHECK(allocates() || !belongs_to_allocation(command.write));
  const auto* binding = std::get_if<ForBinding>(&command.purpose);
  const auto since = binding != nullptr ? binds_.begun(binding->pod).value_or(now) : now;
  out_.send(std::move(command.write), std::move(command.purpose), since);
}

void Engine::Router::on(Answer& command, Time /*now*/) {
  out_.answer(command.request, std::move(command.error));
}

void Engine::Router::on(const JobChanged& command, Time /*now*/) {
  admission_.jobs().touch(command.pod);
}

void Engine::Router::on(const ForgetPod& command, Time /*now*/) {
  cluster_.forget(command.pod);
}

void Engine::Router::on(const PlanNow& /*command*/, Time /*now*/) {
  plans_.want();
}

void Engine::Router::on(const PlanAt& command, Time /*now*/) {
  plans_.want_at(command.at);
}

void Engine::Router::on(const TellWaiting& command, Time now) {
  carry(pods_.waits(command.pod, command.reason, command.detail, command.again, now), now);
}

void Engine::Router::on(const ClaimsHeld& command, Time now) {
  carry(gangs_.claims_written(command.pod), now);
}

void Engine::Router::on(const BindEnded& command, Time now) {
  const auto& uid = command.placement.pod_uid;
  carry(pods_.bind_ended(command, now), now);
  if (command.result == Binding::Result::bound) admission_.jobs().bound(uid);
  admission_.jobs().touch(uid);
  carry(gangs_.ended(uid, command.result == Binding::Result::bound, command.error), now);
}

void Engine::Router::on(const ProceedBind& command, Time now) {
  carry(binds_.proceed(command.pod), now);
}

void Engine::Router::on(const AbortBind& command, Time now) {
  carry(binds_.abort(command.pod, command.error), now);
}

void Engine::Router::on(const BindRefused& command, Time now) {
  pods_.bind_refused(command.pod, command.error, now);
}

void Engine::Router::on(const GangStepped& command, Time now) {
  carry(gangs_.settle(command.job), now);
}

void Engine::Router::on(const GangEnded& command, Time now) {
  release_short_gang(command.job, now);
}

void Engine::Router::on(const PodDropped& command, Time now) {
  const auto& uid = command.pod;
  shares_.erase(uid);
  const auto shown = cluster_.pod(uid);
  const bool bound_by_others = !allocates() && shown && shown->node_name && !shown->finished();
  const bool stays = bound_by_others && judging_.told.stays_when_bound(uid);
  if (!command.bound && !binds_.contains(uid) && !stays) {
    cluster_.forget(uid);
    carry(gangs_.left(uid), now);
  }
  admission_.jobs().touch(uid);
  plans_.want();
  settle_requests(now);
}

void Engine::Router::on(const GiveBack& command, Time now) {
  carry(upkeep_.releases.give_back(command), now);
}

}  // namespace dray::engine
