#include "engine/protocol/gang_commit.h"

#include <algorithm>
#include <utility>

#include "engine/protocol/gang_minimum.h"

namespace dray::engine {
GangCommit::GangCommit(policy::SubGroup gang, std::vector<Uid> members, std::set<Uid> bound,
                       Time now, Duration patience)
    : gang_(std::move(gang)),
      members_(std::move(members)),
      bound_(std::move(bound)),
      deadline_(now + patience + patience_per_member * static_cast<std::int64_t>(members_.size())) {
}

bool GangCommit::enough() const {
  auto there = bound_;
  for (const auto& [pod, step] : steps_) there.insert(pod);
  return may_run_with(gang_, members_, bound_, there);
}

std::vector<Uid> GangCommit::in(Step step) const {
  std::vector<Uid> pods;
  for (const auto& [pod, at] : steps_) {
    if (at == step) pods.push_back(pod);
  }
  return pods;
}

GangCommit::Commands GangCommit::arrived(const Uid& pod) {
  Commands out;
  if (phase_ != Phase::gathering) {
    late_.insert(pod);
    finish_when_ended(out);
    return out;
  }
  steps_[pod] = Step::waiting;
  if (!enough()) return out;
  phase_ = Phase::claiming;
  for (auto& [each, step] : steps_) step = Step::claiming;
  out.emplace_back(WriteClaims{in(Step::claiming)});
  return out;
}

bool GangCommit::wants_claims(const Uid& pod) const {
  const auto at = steps_.find(pod);
  return phase_ == Phase::claiming && at != steps_.end() && at->second == Step::claiming;
}

GangCommit::Commands GangCommit::claims_written(const Uid& pod) {
  Commands out;
  const auto at = steps_.find(pod);
  if (at == steps_.end() || at->second != Step::claiming) return out;
  at->second = Step::claimed;
  const bool all =
      std::ranges::all_of(steps_, [](const auto& entry) { return entry.second == Step::claimed; });
  if (phase_ != Phase::claiming || !all) return out;
  phase_ = Phase::binding;
  for (auto& [each, step] : steps_) step = Step::binding;
  out.emplace_back(BindPods{in(Step::binding)});
  return out;
}

/// The first failure before any binding was sent ends it for all.
void GangCommit::fail_claims(const std::string& error, Commands& out) {
  phase_ = Phase::undoing;
  error_ = error;
  Undo undo{{}, error};
  for (auto& [pod, step] : steps_) {
    if (step != Step::claiming && step != Step::claimed) continue;
    step = Step::undoing;
    undo.pods.push_back(pod);
  }
  if (!undo.pods.empty()) out.emplace_back(std::move(undo));
}

GangCommit::Commands GangCommit::ended(const Uid& pod, bool bound, const std::string& error) {
  Commands out;
  const auto at = steps_.find(pod);
  if (at == steps_.end() || at->second == Step::ended) return out;
  at->second = Step::ended;
  if (!bound && error_.empty()) error_ = error;
  if (!bound && phase_ == Phase::claiming) fail_claims(error, out);
  finish_when_ended(out);
  return out;
}

GangCommit::Commands GangCommit::left(const Uid& pod) {
  Commands out;
  late_.erase(pod);
  const auto at = steps_.find(pod);
  if (at == steps_.end()) return out;
  if (phase_ == Phase::gathering) {
    steps_.erase(at);
    if (steps_.empty()) phase_ = Phase::over;
    return out;
  }
  return ended(pod, false, "a pod of the gang is gone");
}

void GangCommit::finish_when_ended(Commands& out) {
  const bool all =
      std::ranges::all_of(steps_, [](const auto& entry) { return entry.second == Step::ended; });
  if (phase_ == Phase::gathering || !all) return;
  phase_ = Phase::over;
  auto late = std::vector(late_.begin(), late_.end());
  late_.clear();
  if (late.empty()) return;
  auto bound = bound_;
  for (const auto& [pod, step] : steps_) bound.insert(pod);
  auto there = bound;
  there.insert(late.begin(), late.end());
  if (error_.empty() && may_run_with(gang_, members_, bound, there)) {
    out.emplace_back(BindSingly{std::move(late)});
  } else if (error_.empty()) {
    out.emplace_back(
        Refuse{std::move(late), "dray: the other pods of its group have not come yet"});
  } else {
    out.emplace_back(Refuse{std::move(late), error_});
  }
}

GangCommit::Commands GangCommit::tick(Time now) {
  Commands out;
  if (phase_ != Phase::gathering || now < deadline_) return out;
  phase_ = Phase::over;
  timed_out_ = true;
  error_ = "dray: too few pods of the gang came to be bound in time";
  if (!steps_.empty()) out.emplace_back(Refuse{in(Step::waiting), error_});
  return out;
}

std::optional<Time> GangCommit::next_tick() const {
  if (phase_ != Phase::gathering) return std::nullopt;
  return deadline_;
}

}  // namespace dray::engine
