#include "net/async_event.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <memory>

namespace dray::net::async_event_test {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct World {
  asio::io_context io;
  AsyncEvent event{io.get_executor()};
  bool happened = false;
  int woken = 0;  ///< how often a waiter has looked again
  int ended = 0;
};

asio::awaitable<void> wait_for(World* world) {
  while (!world->happened) {
    co_await world->event.wait();
    ++world->woken;
  }
  ++world->ended;
}

asio::awaitable<void> wait_until(World* world, AsyncEvent::Clock::time_point deadline,
                                 std::shared_ptr<int> result) {
  *result = co_await world->event.wait_until(deadline) ? 1 : 0;
}

void run_what_is_ready(World& world) {
  world.io.restart();
  while (world.io.poll() > 0) {
  }
}

TEST_CASE("any number of coroutines wait for an event, and do nothing meanwhile") {
  const int waiters = GENERATE(1, 2, 3, 50);
  World world;
  for (int i = 0; i < waiters; ++i) {
    asio::co_spawn(world.io, wait_for(&world), asio::detached);
    run_what_is_ready(world);
  }
  CHECK(world.event.waiting() == static_cast<std::size_t>(waiters));
  CHECK(world.woken == 0);
  world.event.notify_all();
  run_what_is_ready(world);
  CHECK(world.woken == waiters);  // once each: the condition does not hold yet
  CHECK(world.ended == 0);
  world.happened = true;
  world.event.notify_all();
  run_what_is_ready(world);
  CHECK(world.woken == 2 * waiters);
  CHECK(world.ended == waiters);
  CHECK(world.event.waiting() == 0);
}

TEST_CASE("a deadline ends one wait, and a notification the others") {
  World world;
  const auto passed = std::make_shared<int>(-1);
  const auto notified = std::make_shared<int>(-1);
  const auto now = AsyncEvent::Clock::now();
  asio::co_spawn(world.io, wait_until(&world, now - 1s, passed), asio::detached);
  asio::co_spawn(world.io, wait_until(&world, now + 1h, notified), asio::detached);
  run_what_is_ready(world);
  CHECK(*passed == 0);
  CHECK(*notified == -1);
  world.event.notify_all();
  run_what_is_ready(world);
  CHECK(*notified == 1);
}

asio::awaitable<void> wait_once(AsyncEvent* event) {
  co_await event->wait();
}

TEST_CASE("a coroutine that is destroyed while it waits waits no more") {
  auto io = std::make_unique<asio::io_context>();
  AsyncEvent event(io->get_executor());
  asio::co_spawn(*io, wait_once(&event), asio::detached);
  io->poll();
  CHECK(event.waiting() == 1);
  io.reset();
  CHECK(event.waiting() == 0);
  event.notify_all();
}

}  // namespace
}  // namespace dray::net::async_event_test
