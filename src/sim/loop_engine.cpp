#include <utility>

#include <fmt/format.h>

#include "dray/planner/plan.h"
#include "sim/cluster_loop.h"

// The engine in the loop: its life, the extender's calls, its effects.

namespace dray::sim {

using Fate = Weather::Fate;

void ClusterLoop::start_engine() {
  crash_engine();
  ++counts_.engines_started;
  engine_ = std::make_unique<engine::Engine>(options_.engine);
  note("start", fmt::format("engine {}", engine_life_));
  for (auto& informer : informers_) {
    if (informer->client != Client::engine) continue;
    informer->known.clear();
    informer->listed = false;
    list(*informer);
  }
}

void ClusterLoop::crash_engine() {
  if (engine_ != nullptr) note("crash", fmt::format("engine {}", engine_life_));
  engine_.reset();
  ++engine_life_;
  engine_armed_.reset();
  // Open calls are cut off.
  for (const auto& [request, open] : std::exchange(open_binds_, {})) {
    if (!open.call) continue;
    at(now_ + weather_.call_delay(), [this, id = *open.call] {
      step_scheduler(BindAnswered{id, fail(ErrorCode::unavailable, "EOF")});
    });
  }
  for (auto& informer : informers_) {
    if (informer->client != Client::engine) continue;
    ++informer->life;
    informer->away = true;
    informer->known.clear();
  }
}

void ClusterLoop::apply(const engine::Event& event) {
  if (engine_ == nullptr) return;
  carry_effects(engine_->apply(event, now_));
}

void ClusterLoop::arm_engine() {
  if (engine_ == nullptr) return;
  arm(engine_armed_, engine_->next_tick(), &ClusterLoop::tick_engine);
}

void ClusterLoop::tick_engine() {
  if (engine_ != nullptr) carry_effects(engine_->tick(now_));
}

void ClusterLoop::carry_effects(engine::Effects effects) {
  for (auto& effect : effects) {
    if (const auto* send = std::get_if<engine::SendWrite>(&effect)) send_write(*send);
    if (const auto* answer = std::get_if<engine::AnswerBind>(&effect)) answer_bind(*answer);
    if (const auto* want = std::get_if<engine::WantPlan>(&effect)) make_plan(*want);
  }
  arm_engine();
}

void ClusterLoop::send_write(const engine::SendWrite& send) {
  ++counts_.writes;
  const auto fate = weather_.write_fate(send.write);
  at(now_ + weather_.write_delay(), [this, send, fate, life = engine_life_] {
    note("write", fmt::format("{} kind {} fate {}", send.id.get(), send.write.index(),
                              static_cast<int>(fate)));
    auto outcome = fate == Fate::lost
                       ? engine::WriteOutcome(fail(ErrorCode::unavailable, "no answer"))
                       : server_.write(send.write, now_);
    auto delay = weather_.write_delay();
    if (fate == Fate::unanswered) outcome = fail(ErrorCode::unavailable, "no answer");
    if (fate != Fate::delivered) delay += options_.write_timeout;
    at(now_ + delay, [this, id = send.id, life, done = std::move(outcome)] {
      if (engine_life_ == life) apply(engine::WriteDone{id, done});
    });
  });
}

void ClusterLoop::make_plan(const engine::WantPlan& want) {
  auto made = planner_.plan(*want.input);
  note("plan", fmt::format("{} jobs {}", want.generation, made.jobs.size()));
  at(now_ + weather_.plan_delay(),
     [this, life = engine_life_, event = engine::Planned{want.generation, std::move(made)}] {
       if (engine_life_ == life) apply(event);
     });
}

/// A call that the engine answers on the spot.
template <class Answered, class Call, class Ask>
void ClusterLoop::call_engine(const Call& call, Duration timeout, Ask ask) {
  const auto fate = weather_.call_fate();
  at(now_ + timeout, [this, id = call.id] {
    // Ignored if the answer came in time.
    step_scheduler(Answered{id, fail(ErrorCode::unavailable, "context deadline exceeded")});
  });
  if (fate == Fate::lost) return;
  at(now_ + weather_.call_delay(), [this, call, ask, fate, life = engine_life_] {
    auto answer = engine_ == nullptr || engine_life_ != life
                      ? Answered{call.id, fail(ErrorCode::unavailable, "connection refused")}
                      : Answered{call.id, ask(call)};
    arm_engine();
    if (fate == Fate::unanswered) return;
    at(now_ + weather_.call_delay(),
       [this, answer = std::move(answer)] { step_scheduler(answer); });
  });
}

void ClusterLoop::call_filter(const CallFilter& call) {
  ++counts_.filters;
  call_engine<FilterAnswered>(call, options_.filter_timeout, [this](const CallFilter& asked) {
    auto answer = engine_->filter(asked.request, now_);
    const auto& [nodes, failed, unresolvable, error] = answer.response;
    note("filter", fmt::format("{} of {} nodes -> {} {}{}", asked.request.pod.key().to_string(),
                               asked.request.node_names ? asked.request.node_names->size() : 0,
                               nodes.empty() ? "none" : nodes.front().get(),
                               unresolvable.empty() ? "" : unresolvable.begin()->first, error));
    carry_effects(std::move(answer.effects));
    return std::move(answer.response);
  });
}

void ClusterLoop::call_prioritize(const CallPrioritize& call) {
  call_engine<PrioritizeAnswered>(
      call, options_.filter_timeout,
      [this](const CallPrioritize& asked) { return engine_->prioritize(asked.request, now_); });
}

void ClusterLoop::call_preempt(const CallPreempt& call) {
  call_engine<PreemptAnswered>(call, options_.filter_timeout, [this](const CallPreempt& asked) {
    return engine_->preempt(asked.request, now_);
  });
}

void ClusterLoop::call_bind(const CallBind& call) {
  ++counts_.binds;
  at(now_ + options_.bind_timeout, [this, id = call.id] {
    step_scheduler(BindAnswered{id, fail(ErrorCode::unavailable, "context deadline exceeded")});
  });
  const auto fate = weather_.call_fate();
  if (fate == Fate::lost) return;
  at(now_ + weather_.call_delay(), [this, call, fate, life = engine_life_] {
    if (engine_ == nullptr || engine_life_ != life) {
      return step_scheduler(
          BindAnswered{call.id, fail(ErrorCode::unavailable, "connection refused")});
    }
    const engine::RequestId request(++requests_made_);
    open_binds_[request] = {call.request,
                            fate == Fate::delivered ? std::optional(call.id) : std::nullopt};
    note("bind", fmt::format("{} to {} request {}", call.request.pod.to_string(),
                             call.request.node.get(), request.get()));
    carry_effects(engine_->bind(request, call.request, now_));
  });
}

void ClusterLoop::answer_bind(const engine::AnswerBind& answer) {
  note("answer", fmt::format("request {} {}", answer.request.get(), answer.error));
  if (!answer.error.empty()) ++counts_.binds_failed;
  const auto found = open_binds_.find(answer.request);
  if (found == open_binds_.end()) return;
  const auto open = std::move(found->second);
  open_binds_.erase(found);
  if (bind_observer_) bind_observer_(open.request, answer.error);
  if (!open.call) return;
  at(now_ + weather_.call_delay(), [this, id = *open.call, error = answer.error] {
    step_scheduler(BindAnswered{id, extender::BindResponse{error}});
  });
}

}  // namespace dray::sim
