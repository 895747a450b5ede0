#include "engine/books/usage_keeper.h"

#include <utility>

namespace dray::engine {

bool UsageKeeper::on() const {
  return policy_ && policy_->config.fairness.remembers();
}

void UsageKeeper::set_policy(std::shared_ptr<const policy::Policy> policy) {
  const bool same_resources =
      policy_ && policy_->counting.resources() == policy->counting.resources();
  policy_ = std::move(policy);
  const auto before = std::exchange(held_, policy_->queues);
  if (same_resources) {
    for (const auto& queue : before.queues()) {
      if (const auto index = held_.find(queue.name.get())) {
        held_[*index].allocated = queue.allocated;
      }
    }
  } else {
    total_ = policy::Amounts(held_.resources());
  }
  if (!on()) {
    history_.reset();
    return;
  }
  auto next = history_ && same_resources ? *history_ : policy::UsageHistory{};
  policy::remember(next, policy_->config.fairness);
  history_ = std::make_shared<const policy::UsageHistory>(std::move(next));
  // What was kept under other names of resources is in the record still.
  if (!same_resources) read_ = joined_ = false;
}

/// Another replica may have led, and counted, since this one did: its record goes before memory.
void UsageKeeper::lead(bool leading, Time now) {
  leading_ = leading;
  read_ = joined_ = false;
  busy_ = Busy::no;
  version_ = {};
  next_ = leading ? std::optional(now) : std::nullopt;
  if (!policy_) return;
  held_ = policy_->queues;
  total_ = policy::Amounts(held_.resources());
  if (!history_) return;
  policy::UsageHistory fresh;
  policy::remember(fresh, policy_->config.fairness);
  history_ = std::make_shared<const policy::UsageHistory>(std::move(fresh));
}

void UsageKeeper::count(Time now) {
  if (!history_) return;
  auto next = *history_;
  policy::advance(next, held_, total_, now);
  history_ = std::make_shared<const policy::UsageHistory>(std::move(next));
}

void UsageKeeper::account(const planner::Plan& plan, Time now) {
  if (!on()) return;
  count(now);
  for (const auto& report : plan.queues) {
    const auto index = held_.find(report.queue.get());
    if (index && report.allocated.size() == held_.resources()) {
      held_[*index].allocated = report.allocated;
    }
  }
  if (plan.total.size() == held_.resources()) total_ = plan.total;
}

UsageKeeper::Commands UsageKeeper::tick(Time now) {
  Commands out;
  if (!leading_ || !on() || busy_ != Busy::no || !next_ || now < *next_) return out;
  if (!read_) {
    busy_ = Busy::reading;
    out.emplace_back(ReadConfigMap{record_});
    return out;
  }
  count(now);
  busy_ = Busy::writing;
  ConfigMap value;
  value.data = encode_usage(*history_, policy_->counting.resources());
  out.emplace_back(PutConfigMap{record_, version_, std::move(value)});
  return out;
}

UsageKeeper::Commands UsageKeeper::step(const WriteOutcome& outcome, Time now) {
  const auto was = std::exchange(busy_, Busy::no);
  if (was == Busy::no || !leading_) return {};
  if (!on()) return {};
  if (was == Busy::reading) {
    take_record(outcome, now);
    return {};
  }
  const auto* written = outcome ? std::get_if<ConfigMap>(&*outcome) : nullptr;
  if (written != nullptr) {
    version_ = written->meta.resource_version;
    next_ = now + write_every;
  } else {
    // Somebody else wrote it, or there was no answer: what there is now is read first.
    read_ = false;
    next_ = now + retry_after;
  }
  return {};
}

/// What was counted before this dray is the beginning; what this one has counted comes on top.
void UsageKeeper::take_record(const WriteOutcome& outcome, Time now) {
  if (!outcome && outcome.error().code != ErrorCode::not_found) {
    next_ = now + retry_after;
    return;
  }
  read_ = true;
  next_ = now + write_every;
  version_ = {};
  const auto* record = outcome ? std::get_if<ConfigMap>(&*outcome) : nullptr;
  const bool goes_on_in_memory = std::exchange(joined_, true);
  if (record == nullptr) return;
  version_ = record->meta.resource_version;
  if (goes_on_in_memory) return;
  auto kept = decode_usage(record->data, policy_->counting.resources());
  policy::remember(kept, policy_->config.fairness);
  policy::pass_over(kept, history_->at.value_or(now));
  if (history_->at) policy::add(kept, *history_);
  history_ = std::make_shared<const policy::UsageHistory>(std::move(kept));
}

std::optional<Time> UsageKeeper::next_tick() const {
  if (!leading_ || !on() || busy_ != Busy::no) return std::nullopt;
  return next_;
}

}  // namespace dray::engine
