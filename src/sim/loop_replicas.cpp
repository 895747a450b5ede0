#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/cluster_loop.h"

// dray in the loop: the life of its replicas, and kube-scheduler's calls.

namespace dray::sim {

// ---- Their life

void ClusterLoop::start_replica(std::size_t index, Clock clock) {
  kill_replica(index);
  ++counts_.replicas_started;
  if (replicas_.size() <= index) replicas_.resize(index + 1);
  auto& slot = replicas_[index];
  ReplicaOptions options{options_.engine, options_.lease, options_.writer, clock.rate,
                         clock.offset};
  options.lease.identity = fmt::format("dray-{}", index);
  options.engine.share_id_seed = counts_.replicas_started;
  note("start", options.lease.identity);
  const auto refresh = [this, index](std::function<void()> done) {
    refresh_claims(index, std::move(done));
  };
  const auto answered = [this](const extender::BindRequest& request, const std::string& error) {
    if (!error.empty()) ++counts_.binds_failed;
    if (observers_.bind) observers_.bind(request, error);
  };
  slot.synced = false;
  slot.lives.push_back(std::make_unique<Replica>(
      std::move(options), Replica::Parts{time_, network_, weather_, trace_, index, refresh,
                                         answered, observers_.step}));
  const bool is_new = std::ranges::none_of(informers_, [&](const auto& informer) {
    return informer->client == Client::dray && informer->replica == index;
  });
  std::vector<Kind> all;
  for (const auto& info : kind_table) all.push_back(info.kind);
  if (is_new) add_informers(Client::dray, index, all);
  for (auto& informer : informers_) {
    if (informer->client == Client::dray && informer->replica == index) list(*informer);
  }
  if (policy_) slot.lives.back()->tell(engine::PolicyChanged{policy_});
  slot.lives.back()->start();
}

void ClusterLoop::kill_replica(std::size_t index) {
  auto* running = replica(index);
  if (running == nullptr) return;
  running->kill();
  for (auto& informer : informers_) {
    if (informer->client != Client::dray || informer->replica != index) continue;
    ++informer->life;
    informer->away = true;
    informer->listed = false;
    informer->known.clear();
    informer->when_listed.clear();
  }
}

Replica* ClusterLoop::replica(std::size_t index) {
  if (index >= replicas_.size() || replicas_[index].lives.empty()) return nullptr;
  return replicas_[index].lives.back().get();
}

/// One that answers, if there is one.
Replica* ClusterLoop::leader() {
  Replica* found = nullptr;
  for (auto& slot : replicas_) {
    if (slot.lives.empty() || !slot.lives.back()->listens()) continue;
    auto* each = slot.lives.back().get();
    if (found == nullptr || found->process().stopped()) found = each;
  }
  return found;
}

void ClusterLoop::set_policy(std::shared_ptr<const policy::PolicyConfig> policy) {
  policy_ = std::move(policy);
  for (auto& slot : replicas_) {
    if (!slot.lives.empty()) slot.lives.back()->tell(engine::PolicyChanged{policy_});
  }
}

void ClusterLoop::refresh_claims(std::size_t index, std::function<void()> done) {
  for (auto& informer : informers_) {
    if (informer->client != Client::dray || informer->replica != index ||
        informer->kind != Kind::resource_claim) {
      continue;
    }
    informer->when_listed.push_back(std::move(done));
    return list(*informer);
  }
}

void ClusterLoop::sync_when_listed(std::size_t index) {
  const bool all = std::ranges::all_of(informers_, [&](const auto& informer) {
    return informer->client != Client::dray || informer->replica != index || informer->listed;
  });
  if (!all || std::exchange(replicas_[index].synced, true)) return;
  note("synced", std::to_string(index));
  replicas_[index].lives.back()->tell(engine::Synced{});
}

// ---- kube-scheduler's calls

/// A call that the engine answers on the spot.
template <class Answered, class Call, class Ask>
void ClusterLoop::call_replica(const Call& call, Ask ask) {
  const auto fate = weather_.call_fate();
  at(now() + options_.filter_timeout, [this, id = call.id] {
    // Ignored if the answer came in time.
    step_scheduler(Answered{id, fail(ErrorCode::unavailable, "context deadline exceeded")});
  });
  if (fate == Fate::lost) return;
  at(now() + weather_.call_delay(), [this, call, ask, fate] {
    const auto answer = [this, fate](Answered answered) {
      if (fate == Fate::unanswered) return;
      at(now() + weather_.call_delay(),
         [this, answered = std::move(answered)] { step_scheduler(answered); });
    };
    auto* replica = leader();
    if (replica == nullptr) {
      return answer(Answered{call.id, fail(ErrorCode::unavailable, "connection refused")});
    }
    replica->ask([call, ask, answer, replica](engine::Engine& engine, Time local) {
      answer(Answered{call.id, ask(*replica, engine, call, local)});
    });
  });
}

void ClusterLoop::call_filter(const CallFilter& call) {
  ++counts_.filters;
  call_replica<FilterAnswered>(
      call, [this](Replica& replica, engine::Engine& engine, const CallFilter& asked, Time local) {
        auto answer = engine.filter(asked.request, local);
        const auto& [nodes, failed, unresolvable, error, all] = answer.response;
        const auto why = unresolvable.empty() ? std::string() : unresolvable.begin()->first;
        note("filter",
             fmt::format("{} of {} nodes -> {} {}{}", asked.request.pod.key().to_string(),
                         asked.request.node_names ? asked.request.node_names->size() : 0,
                         nodes.empty() ? "none" : nodes.front().get(), all.value_or(why), error));
        replica.filtered(asked.request, answer, local);
        return std::move(answer.response);
      });
}

void ClusterLoop::call_prioritize(const CallPrioritize& call) {
  call_replica<PrioritizeAnswered>(
      call, [](Replica& /*replica*/, engine::Engine& engine, const CallPrioritize& asked,
               Time local) { return engine.prioritize(asked.request, local); });
}

void ClusterLoop::call_preempt(const CallPreempt& call) {
  call_replica<PreemptAnswered>(
      call, [](Replica& /*replica*/, engine::Engine& engine, const CallPreempt& asked, Time local) {
        return engine.preempt(asked.request, local);
      });
}

void ClusterLoop::call_bind(const CallBind& call) {
  ++counts_.binds;
  at(now() + options_.bind_timeout, [this, id = call.id] {
    step_scheduler(BindAnswered{id, fail(ErrorCode::unavailable, "context deadline exceeded")});
  });
  const auto fate = weather_.call_fate();
  if (fate == Fate::lost) return;
  at(now() + weather_.call_delay(), [this, call, fate] {
    const auto answer = [this, id = call.id, fate](Result<extender::BindResponse> response) {
      if (fate == Fate::unanswered) return;
      at(now() + weather_.call_delay(), [this, id, response = std::move(response)] {
        step_scheduler(BindAnswered{id, response});
      });
    };
    auto* replica = leader();
    if (replica == nullptr) return answer(fail(ErrorCode::unavailable, "connection refused"));
    replica->bind(call.request, answer);
  });
}

}  // namespace dray::sim
