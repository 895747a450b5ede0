#include "simulate/jobs/queue_books.h"

#include <algorithm>
#include <vector>

#include "dray/policy/fair_share.h"

namespace dray::simulate {

QueueBooks::QueueBooks(const policy::Policy& policy)
    : policy_(policy), queues_(policy.queues), total_(policy.queues.resources()) {
  if (const auto& fairness = policy.config.fairness; fairness.remembers()) {
    policy::remember(history_.emplace(), fairness);
  }
}

void QueueBooks::advance(Time now) {
  if (history_) policy::advance(*history_, queues_, total_, now);
}

std::shared_ptr<const policy::UsageHistory> QueueBooks::usage_until(Time now) {
  if (!history_) return nullptr;
  advance(now);
  return std::make_shared<const policy::UsageHistory>(*history_);
}

void QueueBooks::read(const planner::Plan& plan) {
  total_ = plan.total;
  for (const auto& report : plan.queues) {
    if (const auto index = queues_.find(report.queue.get())) {
      queues_[*index].allocated = report.allocated;
      queues_[*index].fair_share = report.fair_share;
    }
  }
}

void QueueBooks::hold(const policy::QueueName& queue, const policy::Amounts& amounts, Time now,
                      bool less) {
  const auto leaf = queues_.find(queue.get());
  if (!leaf) return;
  advance(now);
  if (less) {
    queues_.remove_allocated(*leaf, amounts, true);
  } else {
    queues_.add_allocated(*leaf, amounts, true);
  }
}

void QueueBooks::count(const policy::QueueName& queue, const policy::Amounts& asked, bool less) {
  const auto leaf = queues_.find(queue.get());
  if (!leaf) return;
  if (less) {
    queues_.remove_requested(*leaf, asked);
  } else {
    queues_.add_requested(*leaf, asked);
  }
}

bool QueueBooks::shares_moved(Time now) {
  if (!policy_.config.reclaim.enabled) return false;
  if (history_) {
    advance(now);
    policy::apply_usage(*history_, queues_);
  }
  std::vector<policy::Amounts> before;
  before.reserve(queues_.queues().size());
  for (const auto& queue : queues_.queues()) before.push_back(queue.fair_share);
  policy::divide(queues_, total_, policy_.config.fairness.strength);
  return !std::ranges::equal(queues_.queues(), before, {}, &policy::Queue::fair_share);
}

}  // namespace dray::simulate
