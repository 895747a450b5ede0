#include "sim/replica.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dray::sim {
namespace {

constexpr Duration most_draining = std::chrono::seconds(15);

}  // namespace

// ---- Leadership

ReplicaLeadership::ReplicaLeadership(engine::LeaseKeeper::Options options, Process& process,
                                     Network& network, std::size_t replica, Told told)
    : process_(process),
      network_(network),
      replica_(replica),
      told_(std::move(told)),
      keeper_(std::move(options)),
      timer_(process, Process::Thread::lease) {}

void ReplicaLeadership::run() {
  if (busy_ || released_) return;
  if (stopping_) {
    released_ = true;
    tell();
    return carry(keeper_.release(process_.now()));
  }
  auto commands = keeper_.tick(process_.now());
  if (!commands.empty()) return carry(std::move(commands));
  auto wake = keeper_.next_tick();
  if (leading_) wake = std::min(wake, keeper_.leading_until());
  timer_.set(std::max(wake, process_.now() + std::chrono::milliseconds(10)), [this] {
    tell();
    run();
  });
}

/// One command at a time is all that the keeper asks for.
void ReplicaLeadership::carry(engine::LeaseKeeper::Commands commands) {
  if (commands.empty()) return run();
  busy_ = true;
  network_.send(process_, Process::Thread::lease,
                {.write = std::move(commands.front()), .field_manager = {}, .replica = replica_},
                deadline, [this](const ApiReply& reply) {
                  busy_ = false;
                  auto next = keeper_.step(reply.outcome, process_.now());
                  tell();
                  carry(std::move(next));
                });
}

void ReplicaLeadership::tell() {
  const bool leading = !stopping_ && keeper_.may_write(process_.now());
  open_until_ = leading ? keeper_.leading_until() : Time::min();
  if (std::exchange(leading_, leading) != leading) told_({leading, keeper_.epoch()});
}

void ReplicaLeadership::release() {
  stopping_ = true;
  open_until_ = Time::min();
  timer_.cancel();
  run();
}

// ---- The service

Replica::Replica(ReplicaOptions options, Parts parts)
    : parts_(std::move(parts)),
      identity_(options.lease.identity),
      process_(parts_.time, options.clock_rate, options.clock_offset),
      leadership_(std::move(options.lease), process_, parts_.network, parts_.index,
                  [this](engine::LeadershipChanged change) { leadership_changed(change); }),
      writer_(options.writer, {process_, parts_.network, parts_.weather,
                               [this] { return leadership_.fence_open(); }, parts_.index}),
      planner_(engine::allocator_options(options.engine, 1)),
      engine_(std::move(options.engine)),
      timer_(process_, Process::Thread::engine) {}

void Replica::note(std::string_view what, const std::string& details) {
  parts_.trace.note(parts_.time.now(), what, fmt::format("{} {}", identity_, details));
}

void Replica::leadership_changed(engine::LeadershipChanged change) {
  note(change.leading ? "leads" : "follows", fmt::format("epoch {}", change.epoch));
  leading_epoch_ = change.leading ? change.epoch : 0;
  if (!change.leading) {
    process_.run(Process::Thread::engine, [this, change] { apply(change); });
    stop_serving();
    return writer_.abandon();
  }
  const auto lag = engine::fence_lag(change.epoch);
  if (lag == Duration{}) return take_over(change);
  process_.after(lag, Process::Thread::lease, [this, change] { take_over(change); });
}

/// The last leader's claims must all be known before the first allocation.
void Replica::take_over(engine::LeadershipChanged change) {
  if (leading_epoch_ != change.epoch) return;
  parts_.refresh_claims([this, change] {
    process_.run(Process::Thread::engine, [this, change] {
      if (leading_epoch_ != change.epoch) return;
      apply(change);
      listening_ = true;
    });
  });
}

/// Whoever still waits for an answer must not get one from a replica that may not write.
void Replica::stop_serving() {
  listening_ = false;
  for (const auto& [request, open] : std::exchange(open_binds_, {})) {
    if (open.answer) open.answer(fail(ErrorCode::unavailable, "EOF"));
  }
}

void Replica::drain() {
  process_.run(Process::Thread::engine, [this] {
    listening_ = false;
    finishing_ = true;
    if (writes_under_way_ == 0) return give_lease_back();
    process_.wake_at(process_.now() + most_draining, Process::Thread::engine,
                     [this] { give_lease_back(); });
  });
}

void Replica::give_lease_back() {
  process_.run(Process::Thread::lease, [this] { leadership_.release(); });
}

void Replica::kill() {
  if (process_.ended()) return;
  note("killed", "");
  process_.end();
  stop_serving();
}

void Replica::tell(engine::Event event) {
  process_.run(Process::Thread::engine, [this, event = std::move(event)] { apply(event); });
}

void Replica::apply(const engine::Event& event) {
  const auto now = process_.now();
  carry(&event, now, engine_.apply(event, now));
}

void Replica::filtered(const extender::FilterRequest& request, engine::Engine::FilterAnswer& answer,
                       Time local) {
  carry(EngineStep::Filter{request, answer.response}, local, std::move(answer.effects));
}

void Replica::carry(const EngineStep::Input& input, Time at, engine::Effects effects) {
  if (parts_.on_step) parts_.on_step({at, input, effects});
  for (auto& effect : effects) {
    if (auto* write = std::get_if<engine::SendWrite>(&effect)) send(std::move(*write));
    if (const auto* answer = std::get_if<engine::AnswerBind>(&effect)) answer_bind(*answer);
    if (const auto* want = std::get_if<engine::WantPlan>(&effect)) make_plan(*want);
  }
  wake();
}

void Replica::wake() {
  const auto next = engine_.next_tick();
  if (next == timer_at_) return;
  timer_at_ = next;
  if (!next) return timer_.cancel();
  timer_.set(std::max(*next, process_.now()), [this] {
    timer_at_.reset();
    const auto now = process_.now();
    carry(EngineStep::Tick{}, now, engine_.tick(now));
  });
}

/// service::EngineStrand::write.
void Replica::send(engine::SendWrite send) {
  auto manager = engine::field_manager(send.epoch, identity_);
  parts_.network.observer().decided({send.write, manager, parts_.index});
  if (finishing_) {
    const engine::WriteOutcome ending = fail(ErrorCode::unavailable, "dray is ending");
    return parts_.time.at(parts_.time.now(),
                          [this, id = send.id, ending] { tell(engine::WriteDone{id, ending}); });
  }
  ++writes_under_way_;
  const auto done = [this, id = send.id](const engine::WriteOutcome& outcome) {
    parts_.time.at(parts_.time.now(), [this, id, outcome] {
      if (--writes_under_way_ == 0 && finishing_) give_lease_back();
      tell(engine::WriteDone{id, outcome});
    });
  };
  process_.after(Duration{}, Process::Thread::writer,
                 [this, send = std::move(send), manager = std::move(manager), done] {
                   if (!leadership_.fence_open()) {
                     return done(fail(ErrorCode::unavailable, "leadership is lost"));
                   }
                   writer_.write(send.write, manager, send.since, done);
                 });
}

void Replica::make_plan(const engine::WantPlan& want) {
  auto made = planner_.plan(*want.input);
  note("plan", fmt::format("{} jobs {} evictions {}", want.generation, made.jobs.size(),
                           made.evictions.size()));
  process_.after(
      parts_.weather.plan_delay(), Process::Thread::engine,
      [this, event = engine::Planned{want.generation, std::make_shared<const planner::Plan>(
                                                          std::move(made))}] { apply(event); });
}

void Replica::bind(const extender::BindRequest& request, BindAnswer answer) {
  const engine::RequestId id(++requests_made_);
  open_binds_[id] = {request, std::move(answer)};
  process_.run(Process::Thread::engine, [this, id, request] {
    note("bind",
         fmt::format("{} to {} request {}", request.pod.to_string(), request.node.get(), id.get()));
    const auto now = process_.now();
    carry(EngineStep::Bind{id, request}, now, engine_.bind(id, request, now));
  });
}

void Replica::answer_bind(const engine::AnswerBind& answer) {
  note("answer", fmt::format("request {} {}", answer.request.get(), answer.error));
  const auto open = open_binds_.extract(answer.request);
  if (open.empty()) return;
  parts_.on_bind_answer(open.mapped().request, answer.error);
  if (open.mapped().answer) open.mapped().answer(extender::BindResponse{answer.error});
}

}  // namespace dray::sim
