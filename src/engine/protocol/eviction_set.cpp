#include "engine/protocol/eviction_set.h"

#include <algorithm>
#include <utility>

#include "dray/base/check.h"

namespace dray::engine {
namespace {

Duration eviction_backoff(std::uint32_t attempts) {
  return std::chrono::milliseconds(250) * (1 << std::min<std::uint32_t>(attempts, 5));
}

/// The pod is not there any more, or is another of its name.
bool gone(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::conflict;
}

}  // namespace

EvictionSet::EvictionSet(std::vector<Victim> victims, Time now)
    : victims_(std::move(victims)), states_(victims_.size()), deadline_(now + patience) {}

void EvictionSet::send(Token token, Commands& out) {
  auto& state = states_[token];
  state.retry_at.reset();
  state.step = state.left ? Step::done : Step::sent;
  const auto& victim = victims_[token];
  if (!state.left) {
    out.push_back({token, EvictPod{victim.pod, victim.uid, phase_ == Phase::asking}});
  }
}

EvictionSet::Commands EvictionSet::start() {
  Commands out;
  for (Token token = 0; token < victims_.size(); ++token) send(token, out);
  settle(out);
  return out;
}

EvictionSet::Commands EvictionSet::step(Token token, const WriteOutcome& outcome, Time now) {
  DRAY_CHECK(token < states_.size());
  Commands out;
  if (finished()) return out;
  auto& state = states_[token];
  if (outcome || gone(outcome.error()) || state.left) {
    state.step = Step::done;
  } else {
    if (error_.empty()) error_ = outcome.error().message;
    // A budget in the way of a real eviction may open again: the one before was counted, too.
    const bool no_answer = outcome.error().code == ErrorCode::unavailable;
    const bool again = (no_answer || phase_ == Phase::evicting) && now < deadline_;
    state.step = again ? Step::waiting : Step::refused;
    if (again) state.retry_at = now + eviction_backoff(state.attempts++);
  }
  settle(out);
  return out;
}

/// All answers of a phase are in: the next one, or the end.
void EvictionSet::settle(Commands& out) {
  for (auto& state : states_) {
    if (withdrawn_ && state.step == Step::waiting) state.step = Step::spared;
  }
  const auto any = [this](Step step) {
    return std::ranges::find(states_, step, &State::step) != states_.end();
  };
  if (any(Step::sent) || any(Step::waiting)) return;
  if (phase_ == Phase::evicting) {
    const bool all_go = !any(Step::refused) && !any(Step::spared);
    result_ = all_go ? Result::evicted : Result::partly;
    return;
  }
  if (any(Step::refused) || withdrawn_) {
    result_ = Result::refused;
    return;
  }
  phase_ = Phase::evicting;
  error_.clear();
  for (Token token = 0; token < victims_.size(); ++token) send(token, out);
  if (out.empty()) result_ = Result::evicted;
}

EvictionSet::Commands EvictionSet::tick(Time now) {
  Commands out;
  if (finished()) return out;
  for (Token token = 0; token < states_.size(); ++token) {
    auto& state = states_[token];
    if (state.step != Step::waiting || withdrawn_) continue;
    if (state.left || state.retry_at <= now) send(token, out);
  }
  settle(out);
  return out;
}

std::optional<Time> EvictionSet::next_tick() const {
  std::optional<Time> next;
  if (finished()) return next;
  for (const auto& state : states_) {
    if (state.step != Step::waiting) continue;
    if (!next || *state.retry_at < *next) next = state.retry_at;
  }
  return next;
}

std::vector<Uid> EvictionSet::who(Step step) const {
  std::vector<Uid> pods;
  for (Token token = 0; token < states_.size(); ++token) {
    if (states_[token].step == step) pods.push_back(victims_[token].uid);
  }
  return pods;
}

}  // namespace dray::engine
