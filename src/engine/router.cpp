#include "engine/router.h"

#include <utility>

namespace dray::engine {
namespace {

bool in_cluster_state(Kind kind) {
  return kind_info(kind).kept_by == KeptBy::cluster;
}

bool due(std::optional<Time> at, Time now) {
  return at && *at <= now;
}

}  // namespace

Engine::Router::Router(Options given)
    : options_(std::move(given)),
      planner_(allocator_options(options_, 0)),
      admission_({.scheduler_name = options_.scheduler_name, .gate = options_.gate}, cluster_,
                 {.reserved_node = [this](const Uid& uid) { return pods_.reserved_node(uid); },
                  .evicting = [this](const Uid& uid) { return evictions_.evicting(uid); }}),
      usage_(options_.usage_record),
      room_(cluster_),
      pods_({.gate = options_.gate,
             .reservation_life = options_.reservation_life,
             .nominate_from_nodes = options_.nominate_from_nodes},
            cluster_, admission_.jobs()),
      evictions_(cluster_),
      shares_(cluster_),
      releases_(cluster_) {
  usage_.set_policy(admission_.policy());
}

Effects Engine::Router::finish_step(Time now) {
  plan_when_due(now);
  return out_.take();
}

// ---- Events

void Engine::Router::apply(const Event& event, Time now) {
  std::visit([&](const auto& each) { on(each, now); }, event);
}

void Engine::Router::on(const Synced& /*synced*/, Time /*now*/) {
  standing_.synced = true;
  plans_.want();
}

void Engine::Router::on(const cluster::ObjectChanged& change, Time now) {
  const auto before = cluster_.generation();
  cluster_.apply(change);
  if (const auto* slice = std::get_if<ResourceSlice>(&change.object)) shares_.put(*slice);
  const auto changed = admission_.observe(change.object);
  admission_changed(changed, now);
  if (changed != Admission::Change::none || !in_cluster_state(kind_of(change.object))) return;
  if (const auto* pod = std::get_if<Pod>(&change.object)) {
    observe_pod(*pod, now);
  } else if (cluster_.generation() != before) {
    plans_.want();
    // Resources that a class stands behind make a pod one with devices.
    if (kind_of(change.object) == Kind::device_class) readmit(now);
  }
  if (kind_of(change.object) == Kind::resource_claim) pods_.claims_moved();
}

void Engine::Router::on(const cluster::ObjectGone& change, Time now) {
  cluster_.apply(change);
  if (change.kind == Kind::resource_slice) shares_.erase(change.name);
  admission_changed(admission_.forget(change), now);
  if (!in_cluster_state(change.kind)) return;
  plans_.want();
  if (change.kind == Kind::resource_claim) {
    shares_.claim_gone({change.namespace_name, change.name});
    pods_.claims_moved();
  }
  if (change.kind != Kind::pod) return;
  const auto job = admission_.jobs().job_of(change.uid);
  if (job) room_.pod_gone(*job, change.uid, now);
  admission_.erase(change.uid);
  evictions_.forget(change.uid);
  if (const auto* pod = pods_.find(PodKey{change.namespace_name, change.name})) {
    carry(pods_.drop(pod->uid), now);
  }
  if (job) release_short_gang(job->uid, now);
}

void Engine::Router::observe_pod(const Pod& pod, Time now) {
  admission_.put(pod, now);
  if (pod.finished()) plans_.want();  // its room and devices are free
  const auto& uid = pod.meta.uid;
  const bool followed = pods_.find(pod.key(), uid) != nullptr;
  if (!admission_.ours(pod) || pod.finished() || pod.node_name) {
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
}

void Engine::Router::show_followed(const Pod& pod, Time now) {
  const auto& uid = pod.meta.uid;
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
  admission_changed(admission_.set_config(change.config), now);
}

void Engine::Router::admission_changed(Admission::Change change, Time now) {
  switch (change) {
    case Admission::Change::none:
      return;
    case Admission::Change::plans:
      return plans_.want();
    case Admission::Change::policy:
      usage_.set_policy(admission_.policy());
      shares_.set_rule(admission_.policy()->config.fractions, *cluster_.snapshot());
      return readmit(now);
    case Admission::Change::pods:
      return readmit(now);
  }
}

/// What makes a pod a job changed: rare enough to look at every pod.
void Engine::Router::readmit(Time now) {
  admission_.readmit(now);
  for (const auto& [uid, life] : pods_.all()) {
    if (const auto pod = pods_.object(life)) pods_.set_bypasses(uid, admission_.bypasses(*pod));
  }
  plans_.want();
}

void Engine::Router::on(const LeadershipChanged& change, Time now) {
  standing_.leading = change.leading;
  standing_.epoch = change.epoch;
  carry(binds_.reset(), now);
  carry(gangs_.reset(), now);
  carry(evictions_.reset(), now);
  room_.reset();
  out_.reset();
  releases_.reset();
  usage_.lead(standing_.leading, now);
  plans_.reset();
  shares_.reset();
  carry(pods_.reset(), now);
  if (!standing_.leading) return;
  for (const auto& [uid, life] : pods_.all()) {
    if (const auto pod = pods_.object(life)) show_followed(*pod, now);
  }
}

// ---- Timers

void Engine::Router::tick(Time now) {
  while (due(pods_.next_tick(), now)) carry(pods_.tick(now), now);
  while (due(binds_.next_tick(), now)) carry(binds_.tick(now), now);
  while (due(gangs_.next_tick(), now)) carry(gangs_.tick(now), now);
  while (due(evictions_.next_tick(), now)) carry(evictions_.tick(now), now);
  for (auto& write : usage_.tick(now)) out_.send(std::move(write), ForUsage{});
  plans_.tick(now);
}

std::optional<Time> Engine::Router::next_tick() const {
  std::optional<Time> next;
  for (const auto at :
       {pods_.next_tick(), binds_.next_tick(), gangs_.next_tick(), evictions_.next_tick(),
        usage_.next_tick(),
        standing_.leading && standing_.synced ? plans_.next_tick() : std::nullopt}) {
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

// ---- Outcomes of writes

void Engine::Router::on(const WriteDone& done, Time now) {
  const auto purpose = out_.done(done.id);
  if (purpose) std::visit([&](const auto& each) { on(each, done.outcome, now); }, *purpose);
}

void Engine::Router::on(const ForNothing& /*purpose*/, const WriteOutcome& /*outcome*/,
                        Time /*now*/) {}

void Engine::Router::on(const ForBinding& purpose, const WriteOutcome& outcome, Time now) {
  carry(binds_.step(purpose.pod, purpose.token, outcome, now), now);
}

void Engine::Router::on(const ForLift& purpose, const WriteOutcome& outcome, Time now) {
  carry(pods_.lift_written(purpose.pod, outcome, now), now);
}

void Engine::Router::on(const ForRelease& purpose, const WriteOutcome& /*outcome*/, Time now) {
  carry(releases_.step(purpose.claim), now);
}

void Engine::Router::on(const ForEviction& purpose, const WriteOutcome& outcome, Time now) {
  carry(evictions_.step(purpose.set, purpose.token, outcome, now), now);
}

void Engine::Router::on(const ForUsage& /*purpose*/, const WriteOutcome& outcome, Time now) {
  for (auto& write : usage_.step(outcome, now)) out_.send(std::move(write), ForUsage{});
}

void Engine::Router::on(const ForShare& purpose, const WriteOutcome& outcome, Time now) {
  carry(shares_.step(purpose.pod, outcome, now), now);
}

// ---- Commands

void Engine::Router::carry(Commands commands, Time now) {
  for (auto& command : commands) {
    std::visit([&](auto& each) { on(each, now); }, command);
  }
}

void Engine::Router::on(Send& command, Time /*now*/) {
  out_.send(std::move(command.write), std::move(command.purpose));
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
  admission_.jobs().touch(uid);
  carry(gangs_.ended(uid, command.result == Binding::Result::bound, command.error), now);
}

void Engine::Router::on(StartBind& command, Time now) {
  const auto* pod = pods_.find(command.pod);
  if (pod != nullptr && pod->reservation) {
    return start_bind(*pod, std::move(command.requests), *pod->reservation, command.pace, now);
  }
  const std::string error = "dray: the pod has no reservation any more";
  for (const auto request : command.requests) out_.answer(request, error);
  carry(gangs_.ended(command.pod, false, error), now);
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

void Engine::Router::on(const GiveUpVictim& command, Time now) {
  const auto* pod = pods_.find(command.pod);
  if (pod == nullptr || !pod->reservation) return;
  if (binds_.contains(command.pod) || gangs_.has_member(command.pod)) return;
  evictions_.forget(command.pod);
  carry(pods_.give_up(command.pod), now);
}

void Engine::Router::on(const EvictionRefused& command, Time /*now*/) {
  admission_.budgets().refused(command.pod, command.until);
}

void Engine::Router::on(const JobEvicted& command, Time now) {
  const auto& eviction = command.eviction;
  auto& jobs = admission_.jobs();
  const auto job = jobs.find(eviction.job);
  if (!job) return;
  if (!eviction.moved.empty()) room_.moved(job->lineage, eviction.moved, now);
  const bool goes_on = eviction.moved.size() == eviction.pods.size();
  const auto taker = eviction.beneficiary && !goes_on ? jobs.find(*eviction.beneficiary) : nullptr;
  jobs.evicted(*job, taker.get(), now);
}

void Engine::Router::on(const HoldEnded& command, Time /*now*/) {
  room_.end_hold(command.job);
}

void Engine::Router::on(const PodDropped& command, Time now) {
  const auto& uid = command.pod;
  shares_.erase(uid);
  if (!command.bound && !binds_.contains(uid)) {
    cluster_.forget(uid);
    carry(gangs_.left(uid), now);
  }
  admission_.jobs().touch(uid);
  plans_.want();
}

void Engine::Router::on(const ReservationEnded& command, Time now) {
  release_gang_of(command.pod, now);
}

}  // namespace dray::engine
