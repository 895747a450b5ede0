#include "dray/policy/queue_order.h"

#include <algorithm>
#include <cmath>

namespace dray::policy {

namespace {

/// Holds more than its fair share of every resource.
bool over_everywhere(const Queue& queue) {
  for (std::size_t r = 0; r < queue.allocated.size(); ++r) {
    if (queue.fair_share[r] >= queue.allocated[r]) return false;
  }
  return true;
}

Amounts with_next(const QueueTurn& turn) {
  auto held = turn.queue.allocated;
  if (turn.next != nullptr) held += *turn.next;
  return held;
}

/// Would hold something of a resource of which it may hold nothing.
bool trespasses(const Amounts& held, const Amounts& may_hold) {
  for (std::size_t r = 0; r < held.size(); ++r) {
    if (may_hold[r] == 0 && held[r] > 0) return true;
  }
  return false;
}

double share_with_turn(const QueueTurn& turn, const Amounts& total) {
  auto held = with_next(turn);
  for (const auto& amounts : turn.taken) held -= amounts;
  return dominant_share(turn.queue, held, total);
}

std::weak_ordering false_first(bool left, bool right) {
  return left <=> right;
}

/// What is no number comes last, so that this orders all doubles.
std::weak_ordering smaller_first(double left, double right) {
  if (left < right) return std::weak_ordering::less;
  if (left > right) return std::weak_ordering::greater;
  return false_first(std::isnan(left), std::isnan(right));
}

/// The smaller in one resource at least and larger in none. KAI has no order of others and goes on
/// to their age, by which three of them may each come before the next.
std::weak_ordering weaker_first(const Amounts& left, const Amounts& right) {
  const bool left_within = left.within(right);
  const bool right_within = right.within(left);
  if (left_within == right_within) return std::weak_ordering::equivalent;
  return left_within ? std::weak_ordering::less : std::weak_ordering::greater;
}

}  // namespace

Amounts allocatable(const Queue& queue) {
  auto amounts = queue.limit;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    amounts[r] = std::min(amounts[r], std::max(queue.quota[r], queue.fair_share[r]));
  }
  return amounts;
}

double dominant_share(const Queue& queue, const Amounts& held, const Amounts& total) {
  const auto may_hold = allocatable(queue);
  double dominant = 0;
  for (std::size_t r = 0; r < held.size(); ++r) {
    const auto bound = may_hold[r] == unlimited ? total[r] : may_hold[r];
    dominant = std::max(dominant, bound == 0 ? held[r] * 1000 : held[r] / bound);
  }
  return dominant;
}

std::weak_ordering compare_turns(const QueueTurn& left, const QueueTurn& right,
                                 const Amounts& total) {
  const auto& l = left.queue;
  const auto& r = right.queue;
  if (const auto o = false_first(over_everywhere(l), over_everywhere(r)); o != 0) return o;

  const auto l_held = with_next(left);
  const auto r_held = with_next(right);
  const bool l_starves = l_held.within(l.quota);
  const bool r_starves = r_held.within(r.quota);
  if (const auto o = false_first(!l_starves, !r_starves); o != 0) return o;

  if (const std::weak_ordering o = r.priority <=> l.priority; o != 0) return o;

  const auto l_may = allocatable(l);
  const auto r_may = allocatable(r);
  if (const auto o = false_first(trespasses(l_held, l_may), trespasses(r_held, r_may)); o != 0) {
    return o;
  }
  if (const auto o = smaller_first(share_with_turn(left, total), share_with_turn(right, total));
      o != 0) {
    return o;
  }
  if (const auto o = smaller_first(dominant_share(l, l.allocated, total),
                                   dominant_share(r, r.allocated, total));
      o != 0) {
    return o;
  }
  if (const auto o = weaker_first(l_may, r_may); o != 0) return o;
  return l.created <=> r.created;
}

}  // namespace dray::policy
