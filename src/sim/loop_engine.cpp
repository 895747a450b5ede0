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
  process_.engine = std::make_unique<engine::Engine>(options_.engine);
  note("start", fmt::format("engine {}", process_.life));
  for (auto& informer : informers_) {
    if (informer->client != Client::engine) continue;
    informer->known.clear();
    informer->listed = false;
    list(*informer);
  }
}

void ClusterLoop::crash_engine() {
  if (process_.engine != nullptr) note("crash", fmt::format("engine {}", process_.life));
  process_.engine.reset();
  ++process_.life;
  alarms_.engine.cancel();
  // Open calls are cut off.
  for (const auto& [request, open] : std::exchange(process_.open_binds, {})) {
    if (!open.call) continue;
    at(now() + weather_.call_delay(), [this, id = *open.call] {
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
  if (process_.engine == nullptr) return;
  carry_effects(process_.engine->apply(event, now()));
}

void ClusterLoop::wake_engine() {
  if (process_.engine == nullptr) return;
  alarms_.engine.set(time_, process_.engine->next_tick(), [this] {
    if (process_.engine != nullptr) carry_effects(process_.engine->tick(now()));
  });
}

void ClusterLoop::carry_effects(engine::Effects effects) {
  for (auto& effect : effects) {
    if (const auto* send = std::get_if<engine::SendWrite>(&effect)) send_write(*send);
    if (const auto* answer = std::get_if<engine::AnswerBind>(&effect)) answer_bind(*answer);
    if (const auto* want = std::get_if<engine::WantPlan>(&effect)) make_plan(*want);
  }
  wake_engine();
}

void ClusterLoop::send_write(const engine::SendWrite& send) {
  ++counts_.writes;
  const auto fate = weather_.write_fate(send.write);
  at(now() + weather_.write_delay(), [this, send, fate, life = process_.life] {
    note("write", fmt::format("{} kind {} fate {}", send.id.get(), send.write.index(),
                              static_cast<int>(fate)));
    auto outcome = fate == Fate::lost
                       ? engine::WriteOutcome(fail(ErrorCode::unavailable, "no answer"))
                       : server_.write(send.write, now());
    auto delay = weather_.write_delay();
    if (fate == Fate::unanswered) outcome = fail(ErrorCode::unavailable, "no answer");
    if (fate != Fate::delivered) delay += options_.write_timeout;
    at(now() + delay, [this, id = send.id, life, done = std::move(outcome)] {
      if (process_.life == life) apply(engine::WriteDone{id, done});
    });
  });
}

void ClusterLoop::make_plan(const engine::WantPlan& want) {
  auto made = process_.planner.plan(*want.input);
  note("plan", fmt::format("{} jobs {}", want.generation, made.jobs.size()));
  at(now() + weather_.plan_delay(),
     [this, life = process_.life, event = engine::Planned{want.generation, std::move(made)}] {
       if (process_.life == life) apply(event);
     });
}

/// A call that the engine answers on the spot.
template <class Answered, class Call, class Ask>
void ClusterLoop::call_engine(const Call& call, Duration timeout, Ask ask) {
  const auto fate = weather_.call_fate();
  at(now() + timeout, [this, id = call.id] {
    // Ignored if the answer came in time.
    step_scheduler(Answered{id, fail(ErrorCode::unavailable, "context deadline exceeded")});
  });
  if (fate == Fate::lost) return;
  at(now() + weather_.call_delay(), [this, call, ask, fate, life = process_.life] {
    auto answer = process_.engine == nullptr || process_.life != life
                      ? Answered{call.id, fail(ErrorCode::unavailable, "connection refused")}
                      : Answered{call.id, ask(call)};
    wake_engine();
    if (fate == Fate::unanswered) return;
    at(now() + weather_.call_delay(),
       [this, answer = std::move(answer)] { step_scheduler(answer); });
  });
}

void ClusterLoop::call_filter(const CallFilter& call) {
  ++counts_.filters;
  call_engine<FilterAnswered>(call, options_.filter_timeout, [this](const CallFilter& asked) {
    auto answer = process_.engine->filter(asked.request, now());
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
  call_engine<PrioritizeAnswered>(call, options_.filter_timeout,
                                  [this](const CallPrioritize& asked) {
                                    return process_.engine->prioritize(asked.request, now());
                                  });
}

void ClusterLoop::call_preempt(const CallPreempt& call) {
  call_engine<PreemptAnswered>(call, options_.filter_timeout, [this](const CallPreempt& asked) {
    return process_.engine->preempt(asked.request, now());
  });
}

void ClusterLoop::call_bind(const CallBind& call) {
  ++counts_.binds;
  at(now() + options_.bind_timeout, [this, id = call.id] {
    step_scheduler(BindAnswered{id, fail(ErrorCode::unavailable, "context deadline exceeded")});
  });
  const auto fate = weather_.call_fate();
  if (fate == Fate::lost) return;
  at(now() + weather_.call_delay(), [this, call, fate, life = process_.life] {
    if (process_.engine == nullptr || process_.life != life) {
      return step_scheduler(
          BindAnswered{call.id, fail(ErrorCode::unavailable, "connection refused")});
    }
    const engine::RequestId request(++process_.requests_made);
    process_.open_binds[request] = {
        call.request, fate == Fate::delivered ? std::optional(call.id) : std::nullopt};
    note("bind", fmt::format("{} to {} request {}", call.request.pod.to_string(),
                             call.request.node.get(), request.get()));
    carry_effects(process_.engine->bind(request, call.request, now()));
  });
}

void ClusterLoop::answer_bind(const engine::AnswerBind& answer) {
  note("answer", fmt::format("request {} {}", answer.request.get(), answer.error));
  if (!answer.error.empty()) ++counts_.binds_failed;
  const auto found = process_.open_binds.find(answer.request);
  if (found == process_.open_binds.end()) return;
  const auto open = std::move(found->second);
  process_.open_binds.erase(found);
  if (bind_observer_) bind_observer_(open.request, answer.error);
  if (!open.call) return;
  at(now() + weather_.call_delay(), [this, id = *open.call, error = answer.error] {
    step_scheduler(BindAnswered{id, extender::BindResponse{error}});
  });
}

}  // namespace dray::sim
