#include "dray/policy/queue_order.h"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dray::policy::queue_order_property_test {
namespace {

constexpr std::size_t resources = 3;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Few different values, so that queues tie; and those that arithmetic on limits may end with.
Amounts any_amounts(bool odd) {
  Amounts amounts(resources);
  for (std::size_t r = 0; r < resources; ++r) {
    amounts[r] = odd ? *rc::gen::element(0.0, 1.0, 2.0, unlimited, nan, -1.0)
                     : *rc::gen::element(0.0, 1.0, 2.0, 3.0, unlimited);
  }
  return amounts;
}

struct Turn {
  Queue queue;
  std::optional<Amounts> next;
  std::vector<Amounts> taken;

  [[nodiscard]] QueueTurn get() const {
    return {.queue = queue, .next = next ? &*next : nullptr, .taken = taken};
  }
};

Turn any_turn(bool odd) {
  Turn turn;
  turn.queue.priority = *rc::gen::element(50, 100);
  turn.queue.created = Time(std::chrono::seconds(*rc::gen::inRange(0, 3)));
  turn.queue.quota = any_amounts(odd);
  turn.queue.limit = any_amounts(odd);
  turn.queue.fair_share = any_amounts(odd);
  turn.queue.allocated = any_amounts(odd);
  if (*rc::gen::arbitrary<bool>()) turn.next = any_amounts(odd);
  if (*rc::gen::inRange(0, 4) == 0) turn.taken.push_back(any_amounts(odd));
  return turn;
}

/// The same but for what decides last, so that the rules behind the others are reached.
Turn like(const Turn& other) {
  auto turn = other;
  turn.queue.created = Time(std::chrono::seconds(*rc::gen::inRange(0, 3)));
  turn.queue.allocated = Amounts(resources);
  turn.next.reset();
  turn.taken.clear();
  turn.queue.quota = Amounts(resources);
  turn.queue.fair_share = any_amounts(false);
  turn.queue.limit = any_amounts(false);
  return turn;
}

/// KAI says which of two may hold less only where that is so of each resource, and goes by age
/// between others: of three, each may then come before the next.
bool are_comparable(const std::array<Turn, 3>& turns) {
  for (const auto& one : turns) {
    for (const auto& other : turns) {
      const auto a = allocatable(one.queue);
      const auto b = allocatable(other.queue);
      if (!a.within(b) && !b.within(a)) return false;
    }
  }
  return true;
}

/// How compare_turns() orders any of three, in place of an order of all.
void is_strict_weak_order(const std::array<Turn, 3>& turns, const Amounts& total) {
  const bool comparable = are_comparable(turns);
  const auto before = [&](std::size_t a, std::size_t b) {
    return compare_turns(turns[a].get(), turns[b].get(), total) < 0;
  };
  const auto alike = [&](std::size_t a, std::size_t b) {
    return compare_turns(turns[a].get(), turns[b].get(), total) == 0;
  };
  for (std::size_t a = 0; a < 3; ++a) {
    RC_ASSERT(alike(a, a));
    for (std::size_t b = 0; b < 3; ++b) {
      RC_ASSERT(!(before(a, b) && before(b, a)));
      RC_ASSERT(alike(a, b) == (!before(a, b) && !before(b, a)));
      for (std::size_t c = 0; comparable && c < 3; ++c) {
        if (before(a, b) && before(b, c)) RC_ASSERT(before(a, c));
        if (alike(a, b) && alike(b, c)) RC_ASSERT(alike(a, c));
      }
    }
  }
}

TEST_CASE("the order of queues is a strict weak order, whatever their numbers are") {
  for (const bool odd : {false, true}) {
    CHECK(rc::check(odd ? "odd numbers" : "numbers of policies", [odd] {
      const std::array<Turn, 3> turns{any_turn(odd), any_turn(odd), any_turn(odd)};
      is_strict_weak_order(turns, any_amounts(odd));
    }));
  }
  CHECK(rc::check("queues that differ in what they may hold and in age alone", [] {
    const auto first = like(any_turn(false));
    is_strict_weak_order({first, like(first), like(first)}, Amounts(resources, 4));
  }));
}

TEST_CASE("of two queues that tie, the one that may hold less in each resource comes first") {
  CHECK(rc::check("as KAI says", [] {
    auto one = like(any_turn(false));
    auto other = like(one);
    const auto left = allocatable(one.queue);
    const auto right = allocatable(other.queue);
    RC_PRE(left.within(right) && !right.within(left));
    const bool first = compare_turns(one.get(), other.get(), Amounts(resources, 4)) < 0;
    RC_ASSERT(first);
  }));
}

}  // namespace
}  // namespace dray::policy::queue_order_property_test
