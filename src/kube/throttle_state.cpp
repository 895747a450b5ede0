#include "kube/throttle_state.h"

#include <algorithm>
#include <utility>

namespace dray::kube {

ThrottleState::ThrottleState(double qps, std::size_t burst)
    : interval_(static_cast<Duration::rep>(1e6 / std::max(qps, 0.001))),
      tolerance_(interval_ * static_cast<Duration::rep>(std::max<std::size_t>(burst, 1) - 1)) {}

void ThrottleState::wait(Ticket ticket, Urgency urgency) {
  waiting_[std::to_underlying(urgency)].push_back(ticket);
}

void ThrottleState::cancel(Ticket ticket) {
  for (auto& queue : waiting_) std::erase(queue, ticket);
}

std::optional<ThrottleState::Ticket> ThrottleState::admit(Duration now) {
  if (now < free_at_ - tolerance_) return std::nullopt;
  const auto queue = std::ranges::find_if(waiting_, [](const auto& q) { return !q.empty(); });
  if (queue == waiting_.end()) return std::nullopt;
  const auto ticket = queue->front();
  queue->pop_front();
  free_at_ = std::max(free_at_, now) + interval_;
  return ticket;
}

std::optional<Duration> ThrottleState::next() const {
  if (std::ranges::all_of(waiting_, [](const auto& q) { return q.empty(); })) return std::nullopt;
  return free_at_ - tolerance_;
}

}  // namespace dray::kube
