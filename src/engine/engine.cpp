#include "dray/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include <utility>

#include "engine/state.h"

namespace dray::engine {

Engine::State::State(Options given)
    : options(std::move(given)),
      planner(allocator_options(options, 0)),
      policy(policies.policy()),
      book([this](const Pod& pod) { return member_view(pod); }),
      usage(options.usage_record) {
  book.set_policy(policy, policies.open());
  usage.set_policy(policy);
  counts.resources = policy->counting.resources();
}

alloc::AllocatorOptions allocator_options(const Options& options, std::uint64_t stream) {
  auto made = options.allocator;
  // UUIDs of version 8 (RFC 9562): the rest is the seed, the stream and a count.
  made.next_share_id = [seed = options.share_id_seed, stream, count = std::uint64_t{0}]() mutable {
    ++count;
    return fmt::format("{:08x}-{:04x}-8{:03x}-8{:03x}-{:012x}", seed >> 32, (seed >> 16) & 0xffff,
                       (seed >> 4) & 0xfff, stream & 0xfff, count & 0xffffffffffff);
  };
  return made;
}

Engine::Engine(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Engine::~Engine() = default;

Effects Engine::apply(const Event& event, Time now) {
  auto& state = *state_;
  std::visit(
      [&](const auto& each) {
        using E = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<E, Synced>) {
          state.synced = true;
          state.plan_wanted = true;
        } else if constexpr (std::is_same_v<E, WriteDone>) {
          state.written(each, now);
        } else if constexpr (std::is_same_v<E, LeadershipChanged>) {
          state.lead(each, now);
        } else if constexpr (std::is_same_v<E, PolicyChanged>) {
          state.set_policy(each, now);
        } else if constexpr (std::is_same_v<E, Planned>) {
          if (each.generation != state.plan_generation || !state.planned_on) return;
          const auto input = std::exchange(state.planned_on, nullptr);
          state.take(each.plan, *input->snapshot, now);
        } else {
          state.observe(each, now);
        }
      },
      event);
  state.plan_when_due(now);
  return std::exchange(state.effects, {});
}

Effects Engine::tick(Time now) {
  auto& state = *state_;
  state.timers_ring(now);
  state.plan_when_due(now);
  return std::exchange(state.effects, {});
}

std::optional<Time> Engine::next_tick() const {
  std::optional<Time> next;
  const auto earlier = [&](std::optional<Time> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  const auto first_of = [&](const auto& timers) {
    if (!timers.empty()) earlier(timers.begin()->first);
  };
  first_of(state_->timers);
  first_of(state_->binding_timers);
  first_of(state_->gang_timers);
  first_of(state_->eviction_timers);
  earlier(state_->usage.next_tick());
  if (state_->leading && state_->synced && !state_->planned_on) earlier(state_->replan_at);
  return next;
}

Engine::FilterAnswer Engine::filter(const extender::FilterRequest& request, Time now) {
  auto response = state_->filter(request, now);
  state_->plan_when_due(now);
  return {std::move(response), std::exchange(state_->effects, {})};
}

Effects Engine::bind(RequestId id, const extender::BindRequest& request, Time now) {
  state_->bind(id, request, now);
  state_->plan_when_due(now);
  return std::exchange(state_->effects, {});
}

void Engine::State::timers_ring(Time now) {
  const auto due = [now](const auto& set) { return !set.empty() && set.begin()->first <= now; };
  while (due(timers)) {
    const auto uid = timers.begin()->second;
    auto& track = tracks.at(uid);
    arm(track, std::nullopt);
    timer_rang(track, now);
  }
  while (due(binding_timers)) {
    const auto uid = binding_timers.begin()->second;
    arm_binding(uid, std::nullopt);
    const auto commands = bindings.at(uid).binding.tick(now);
    carry(uid, commands, now);
  }
  while (due(gang_timers)) {
    const auto job = gang_timers.begin()->second;
    arm_gang(job, std::nullopt);
    const auto commands = gangs.at(job).commit.tick(now);
    carry_gang(job, commands, now);
  }
  while (due(eviction_timers)) {
    const auto id = eviction_timers.begin()->second;
    arm_evictions(id, std::nullopt);
    const auto commands = eviction_runs.at(id).set.tick(now);
    carry_evictions(id, commands, now);
  }
  keep_usage(now);
  if (replan_at && *replan_at <= now && !planned_on) {
    replan_at.reset();
    plan_wanted = true;
  }
}

void Engine::State::keep_usage(Time now) {
  for (auto& write : usage.tick(now)) send(std::move(write), ForUsage{});
}

void Engine::State::send(Write write, Purpose purpose) {
  const WriteId id(next_write++);
  if (!std::holds_alternative<ForNothing>(purpose)) writes.emplace(id, std::move(purpose));
  effects.emplace_back(SendWrite{id, std::move(write)});
}

void Engine::State::written(const WriteDone& done, Time now) {
  const auto entry = writes.extract(done.id);
  if (entry.empty()) return;
  if (const auto* purpose = std::get_if<ForBinding>(&entry.mapped())) {
    const auto run = bindings.find(purpose->pod);
    if (run == bindings.end()) return;
    const auto commands = run->second.binding.step(purpose->token, done.outcome, now);
    carry(purpose->pod, commands, now);
  } else if (const auto* lifting = std::get_if<ForLift>(&entry.mapped())) {
    lift_written(lifting->pod, done.outcome, now);
  } else if (const auto* release = std::get_if<ForRelease>(&entry.mapped())) {
    releasing.erase(release->claim);
    plan_wanted = true;
  } else if (const auto* eviction = std::get_if<ForEviction>(&entry.mapped())) {
    const auto run = eviction_runs.find(eviction->set);
    if (run == eviction_runs.end()) return;
    const auto commands = run->second.set.step(eviction->token, done.outcome, now);
    carry_evictions(eviction->set, commands, now);
  } else if (const auto* share = std::get_if<ForShare>(&entry.mapped())) {
    share_written(share->pod, done.outcome, now);
  } else if (std::holds_alternative<ForUsage>(entry.mapped())) {
    for (auto& write : usage.step(done.outcome, now)) send(std::move(write), ForUsage{});
  }
}

void Engine::State::timer_rang(PodTrack& track, Time now) {
  switch (track.stage) {
    case Stage::nominating:
    case Stage::lifting:
      return offer(track, now);
    case Stage::offered:
      return reservation_ran_out(track, now);
    case Stage::waiting:
      if (!track.seen) return drop_pod(Uid(track.uid), now);
      if (!track.refused.empty()) plan_wanted = true;
      return report_waiting(track, now);
    case Stage::bound:
      if (!track.seen) drop_pod(Uid(track.uid), now);
      return;
    case Stage::binding:
      return;
  }
}

Engine::Status Engine::status() const {
  auto status = state_->counts;
  status.synced = state_->synced;
  status.leading = state_->leading;
  status.binds_in_flight = state_->bindings.size();
  status.gangs_binding = state_->gangs.size();
  for (const auto& [uid, track] : state_->tracks) {
    if (track.stage == Stage::waiting) ++status.pods_waiting;
    if (track.reservation) ++status.reservations;
  }
  const auto totals = state_->cluster.totals();
  status.nodes = totals.nodes;
  status.devices = totals.devices;
  status.devices_allocated = totals.devices_allocated;
  return status;
}

std::optional<Engine::PodView> Engine::pod(const PodKey& key) const {
  const auto uid = state_->track_by_key.find(key);
  if (uid == state_->track_by_key.end()) {
    const auto& decided = state_->decided;
    const auto past = std::find_if(decided.rbegin(), decided.rend(),
                                   [&](const auto& decision) { return decision.pod == key; });
    if (past == decided.rend()) return std::nullopt;
    return PodView{past->placement, Reason::none, past->detail, past->queue, past->job};
  }
  const auto& track = state_->tracks.at(uid->second);
  PodView view{
      track.reservation, track.reservation ? Reason::none : track.reason, track.detail, {}, {}};
  if (const auto job = state_->book.job_of(track.uid)) {
    view.queue = job->queue.get();
    view.job = job->name;
  }
  return view;
}

}  // namespace dray::engine
