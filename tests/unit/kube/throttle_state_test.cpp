#include "kube/throttle_state.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dray::kube::throttle_state_test {
namespace {

using namespace std::chrono_literals;

std::vector<ThrottleState::Ticket> admit_all(ThrottleState& state, Duration now) {
  std::vector<ThrottleState::Ticket> all;
  while (const auto ticket = state.admit(now)) all.push_back(*ticket);
  return all;
}

}  // namespace

TEST_CASE("a burst goes at once, the rest at the rate") {
  ThrottleState state(10, 3);
  for (ThrottleState::Ticket i = 0; i < 6; ++i) state.wait(i, Urgency::bind);
  CHECK(admit_all(state, 0s) == std::vector<ThrottleState::Ticket>{0, 1, 2});
  CHECK(state.next() == Duration(100ms));
  CHECK(admit_all(state, 99ms).empty());
  CHECK(admit_all(state, 100ms) == std::vector<ThrottleState::Ticket>{3});
  CHECK(admit_all(state, 300ms) == std::vector<ThrottleState::Ticket>{4, 5});
  CHECK_FALSE(state.next());
}

TEST_CASE("the more urgent goes first, and what was refused its turn is not counted") {
  ThrottleState state(10, 1);
  state.wait(1, Urgency::notice);
  state.wait(2, Urgency::notice);
  state.wait(3, Urgency::plan);
  state.wait(4, Urgency::bind);
  state.cancel(2);
  std::vector<ThrottleState::Ticket> order;
  for (auto now = Duration(0s); state.next(); now += 100ms) {
    for (const auto ticket : admit_all(state, now)) order.push_back(ticket);
  }
  CHECK(order == std::vector<ThrottleState::Ticket>{4, 3, 1});
}

TEST_CASE("idle time earns a burst, never more") {
  ThrottleState state(10, 2);
  for (ThrottleState::Ticket i = 0; i < 5; ++i) state.wait(i, Urgency::plan);
  CHECK(admit_all(state, 1000s).size() == 2);
}

}  // namespace dray::kube::throttle_state_test
