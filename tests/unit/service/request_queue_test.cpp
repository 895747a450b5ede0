#include "service/request_queue.h"

#include <catch2/catch.hpp>
#include <future>
#include <vector>

#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::request_queue_test {
namespace {

using namespace std::chrono_literals;
using Entered = std::expected<RequestQueue::Turn, Shed>;

bool nobody_left() {
  return false;
}
bool everybody_left() {
  return true;
}

/// What came of a request that had to come to an end.
Entered enter(net::testing::Loop& loop, RequestQueue& queue,
              std::function<bool()> has_left = nobody_left) {
  return loop.run(queue.enter(std::move(has_left)));
}

}  // namespace

TEST_CASE("few requests are worked on at a time, and one that ends makes room for another") {
  net::testing::Loop loop;
  RequestQueue queue(loop.io, {.at_a_time = 2, .waiting = 8, .wait_time = testing::patience});
  auto first = enter(loop, queue).value();
  auto second = enter(loop, queue).value();
  CHECK(queue.working() == 2);
  auto third = loop.start(queue.enter(nobody_left));
  auto fourth = loop.start(queue.enter(nobody_left));
  REQUIRE(testing::eventually([&] { return queue.size() == 4; }));
  const auto has_turn = [](const auto& one) {
    return one.wait_for(0s) == std::future_status::ready;
  };
  CHECK_FALSE(has_turn(third));
  CHECK_FALSE(has_turn(fourth));
  second.reset();
  REQUIRE(testing::eventually([&] { return has_turn(third) || has_turn(fourth); }));
  CHECK(queue.working() == 2);
  CHECK(has_turn(third) != has_turn(fourth));
  first.reset();
  REQUIRE(testing::eventually([&] { return has_turn(third) && has_turn(fourth); }));
  CHECK(third.get());
  CHECK(fourth.get());
  CHECK(queue.size() == 0);
}

TEST_CASE("above the bound a request is refused at once, and one that ends makes room") {
  net::testing::Loop loop;
  RequestQueue queue(loop.io, {.at_a_time = 1, .waiting = 1, .wait_time = testing::patience});
  auto turn = enter(loop, queue).value();
  auto waiting = loop.start(queue.enter(nobody_left));
  REQUIRE(testing::eventually([&] { return queue.size() == 2; }));
  for (int i = 0; i < 3; ++i) {
    const auto refused = enter(loop, queue);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == Shed::full);
  }
  CHECK(queue.size() == 2);
  turn.reset();
  turn = waiting.get().value();
  CHECK(queue.size() == 1);
}

TEST_CASE("whose turn does not come in time waits no more") {
  net::testing::Loop loop;
  RequestQueue queue(loop.io, {.at_a_time = 1, .waiting = 1, .wait_time = 5ms});
  auto turn = enter(loop, queue).value();
  const auto late = enter(loop, queue);
  REQUIRE_FALSE(late);
  CHECK(late.error() == Shed::late);
  CHECK(queue.size() == 1);
  turn.reset();
  CHECK(enter(loop, queue));
}

TEST_CASE("a request whose caller has left gives its turn to the next one") {
  net::testing::Loop loop;
  RequestQueue queue(loop.io, {.at_a_time = 1, .waiting = 4, .wait_time = testing::patience});
  auto turn = enter(loop, queue).value();
  auto left = loop.start(queue.enter(everybody_left));
  REQUIRE(testing::eventually([&] { return queue.size() == 2; }));
  auto stays = loop.start(queue.enter(nobody_left));
  REQUIRE(testing::eventually([&] { return queue.size() == 3; }));
  turn.reset();
  auto kept = stays.get();
  REQUIRE(kept);
  kept->reset();
  CHECK(left.get().error() == Shed::left);
  CHECK(name(Shed::full) == "full");
  CHECK(name(Shed::late) == "late");
  CHECK(name(Shed::left) == "left");
}

TEST_CASE("a turn that outlives its queue frees nothing") {
  net::testing::Loop loop;
  auto queue = std::make_unique<RequestQueue>(loop.io, RequestQueueOptions());
  auto turn = enter(loop, *queue).value();
  queue.reset();
  turn.reset();
  CHECK_FALSE(turn);
}

}  // namespace dray::service::request_queue_test
