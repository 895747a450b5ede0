#include "dray/engine/outbox.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace dray::engine::outbox_test {
namespace {

using namespace std::chrono_literals;
constexpr Time t0 = Time(std::chrono::hours(24 * 365 * 50));
using Ticket = Outbox::Ticket;
using Tickets = std::vector<std::uint64_t>;

Write bound(const std::string& pod) {
  return BindPod{{"a", pod}, Uid(pod), NodeName("n")};
}
Write lift(const std::string& pod) {
  return LiftGate{{"a", pod}, Uid(pod), {}};
}
Write evict(const std::string& pod) {
  return EvictPod{{"a", pod}, Uid(pod)};
}
Write tell(const std::string& pod) {
  return SetPodCondition{{"a", pod}, Uid(pod), {}};
}
Write event() {
  return RecordEvent{{"a", "p"}, Uid("p"), {}};
}
Write allocate(const std::string& claim) {
  return AllocateClaim{{"a", claim}, Uid(claim), {}, {}, {}};
}
Write release(const std::string& claim) {
  return ReleaseClaim{{"a", claim}, Uid(claim), Uid("p")};
}

/// An outbox with one place, unless told otherwise.
struct Bench {
  explicit Bench(double places = 1)
      : outbox({.flight = {.start = places, .most = places, .slack = 1h}}) {}

  std::optional<Ticket> add(std::uint64_t ticket, const Write& write, Time since) {
    return outbox.enqueue(Ticket(ticket), write, since, now);
  }
  void add(std::uint64_t ticket, const Write& write) { CHECK_FALSE(add(ticket, write, now)); }
  Tickets tick() {
    Tickets out;
    for (const auto ticket : outbox.tick(now)) out.push_back(ticket.get());
    return out;
  }
  bool done(std::uint64_t ticket, Load load = Load::fine,
            std::optional<Duration> retry_after = {}) {
    return outbox.answered(Ticket(ticket), {load, 1ms, retry_after}, now);
  }
  /// The order in which all that wait go, each answered before the next.
  Tickets order() {
    Tickets out;
    for (auto sent = tick(); !sent.empty(); sent = tick()) {
      for (const auto ticket : sent) {
        out.push_back(ticket);
        done(ticket);
      }
    }
    return out;
  }

  Outbox outbox;
  Time now = t0;
};

}  // namespace

TEST_CASE("the more urgent class goes first") {
  Bench bench;
  bench.add(1, event());
  bench.add(2, lift("p1"));
  bench.add(3, evict("p2"));
  bench.add(4, bound("p3"));
  bench.add(5, release("c"));
  CHECK(bench.order() == Tickets{5, 4, 3, 2, 1});
}

TEST_CASE("within a class the oldest chain ends before others go on") {
  Bench bench;
  CHECK_FALSE(bench.add(1, allocate("c2"), t0 + 2s));
  CHECK_FALSE(bench.add(2, allocate("c1"), t0 + 1s));
  CHECK_FALSE(bench.add(3, bound("p0"), t0));
  CHECK_FALSE(bench.add(4, bound("p2"), t0 + 2s));
  CHECK(bench.order() == Tickets{3, 2, 1, 4});
}

TEST_CASE("an undo never overtakes what it undoes") {
  Bench bench(4);
  bench.add(1, allocate("c"));
  bench.add(2, release("c"));
  bench.add(3, bound("p"));
  CHECK(bench.tick() == Tickets{1, 3});
  CHECK(bench.tick().empty());
  CHECK_FALSE(bench.done(1));
  CHECK(bench.tick() == Tickets{2});
}

TEST_CASE("who stands before an urgent one of its line is as urgent") {
  Bench bench;
  bench.add(1, bound("p1"));
  bench.add(2, allocate("c"));
  bench.add(3, release("c"));
  CHECK(bench.order() == Tickets{2, 3, 1});
}

TEST_CASE("a class that is always passed over has its least share") {
  Bench bench;
  for (std::uint64_t i = 0; i < 40; ++i) bench.add(100 + i, bound("p" + std::to_string(i)));
  bench.add(1, lift("l1"));
  bench.add(2, lift("l2"));
  bench.add(3, event());
  const auto order = bench.order();
  const auto place = [&](std::uint64_t ticket) {
    return std::ranges::find(order, ticket) - order.begin();
  };
  CHECK(place(1) == 8);
  CHECK(place(2) == 18);  // one of these turns is the event's
  CHECK(place(3) == 16);
}

TEST_CASE("evictions, which the API server lets wait, never fill all places") {
  Bench bench(8);
  for (std::uint64_t i = 0; i < 20; ++i) bench.add(i, evict("p" + std::to_string(i)));
  CHECK(bench.tick().size() == 2);
  bench.add(100, bound("b"));
  CHECK(bench.tick() == Tickets{100});
}

TEST_CASE("of the conditions that wait for a pod the latest goes, with the first one's place") {
  Bench bench;
  bench.add(1, bound("p0"));
  CHECK(bench.tick() == Tickets{1});
  CHECK_FALSE(bench.add(2, tell("p1"), t0));
  CHECK_FALSE(bench.add(3, tell("p2"), t0 + 1s));
  CHECK(bench.add(4, tell("p1"), t0 + 2s) == Ticket(2));
  bench.done(1);
  CHECK(bench.order() == Tickets{4, 3});
}

TEST_CASE("a condition that is under way is not replaced") {
  Bench bench;
  bench.add(1, tell("p1"));
  CHECK(bench.tick() == Tickets{1});
  bench.add(2, tell("p1"));
  bench.done(1);
  CHECK(bench.order() == Tickets{2});
}

TEST_CASE("a condition that wakes is as urgent as a lift, also when a later one takes its place") {
  Bench bench;
  bench.add(1, bound("p0"));
  CHECK(bench.tick() == Tickets{1});
  bench.add(2, event());
  bench.add(3, SetPodCondition{{"a", "p1"}, Uid("p1"), {}, true});
  CHECK(bench.add(4, tell("p1"), t0) == Ticket(3));
  bench.done(1);
  CHECK(bench.order() == Tickets{4, 2});
}

TEST_CASE("what was refused for overload waits as long as asked for, and its line with it") {
  Bench bench(4);
  bench.add(1, allocate("c"));
  bench.add(2, release("c"));
  CHECK(bench.tick() == Tickets{1});
  CHECK(bench.done(1, Load::overloaded, 3s));
  CHECK(bench.outbox.next_tick() == t0 + 3s);
  bench.now += 2999ms;
  CHECK(bench.tick().empty());
  bench.now += 1ms;
  CHECK(bench.tick() == Tickets{1});
  CHECK_FALSE(bench.done(1));
  CHECK(bench.tick() == Tickets{2});
  CHECK(bench.outbox.status(bench.now).again == 1);
}

TEST_CASE("what joins a line that has to wait waits, too") {
  Bench bench;
  bench.add(1, allocate("c"));
  CHECK(bench.tick() == Tickets{1});
  CHECK(bench.done(1, Load::overloaded, 5s));
  bench.add(2, release("c"));
  bench.now += 4s;
  CHECK(bench.tick().empty());
  bench.now += 1s;
  CHECK(bench.order() == Tickets{1, 2});
}

TEST_CASE("a refusal that does not say how long is waited out for a second") {
  Bench bench;
  bench.add(1, event());
  CHECK(bench.tick() == Tickets{1});
  CHECK(bench.done(1, Load::overloaded));
  CHECK(bench.outbox.next_tick() == t0 + 1s);
}

TEST_CASE("what is not taken for the leader's is sent again soon, and is no sign of load") {
  Bench bench;
  bench.add(1, bound("p"));
  CHECK(bench.tick() == Tickets{1});
  CHECK(bench.done(1, Load::other_epoch));
  CHECK(bench.outbox.next_tick() == t0 + 200ms);
  CHECK(bench.outbox.status(t0).cuts == 0);
  bench.now += 200ms;
  CHECK(bench.tick() == Tickets{1});
  CHECK_FALSE(bench.done(1));
}

TEST_CASE("a write that is refused for overload all the time is told so in the end") {
  Bench bench;
  bench.add(1, bound("p"));
  int sent = 0;
  for (bool again = true; again; ++sent) {
    bench.now = std::max(bench.now, bench.outbox.next_tick().value_or(bench.now));
    while (bench.tick().empty()) {
      bench.now = std::max(bench.now, bench.outbox.next_tick().value());
    }
    again = bench.done(1, Load::overloaded, 1s);
  }
  CHECK(sent == 20);
}

TEST_CASE("a lost answer is the engine's to find out about: it is not sent again") {
  Bench bench;
  bench.add(1, bound("p"));
  CHECK(bench.tick() == Tickets{1});
  CHECK_FALSE(bench.done(1, Load::lost));
}

TEST_CASE("an upper bound of the rate holds beside the window") {
  Outbox outbox({.flight = {.start = 100}, .qps = 10, .burst = 3});
  for (std::uint64_t i = 0; i < 6; ++i) CHECK_FALSE(outbox.enqueue(Ticket(i), event(), t0, t0));
  CHECK(outbox.tick(t0).size() == 3);
  CHECK(outbox.next_tick() == t0 + 100ms);
  CHECK(outbox.tick(t0 + 99ms).empty());
  CHECK(outbox.tick(t0 + 100ms).size() == 1);
  CHECK(outbox.tick(t0 + 300ms).size() == 2);
}

TEST_CASE("what waits is dropped, what is under way is still answered") {
  Bench bench;
  bench.add(1, allocate("c"));
  bench.add(2, release("c"));
  bench.add(3, event());
  CHECK(bench.tick() == Tickets{1});
  CHECK(bench.outbox.drop_waiting() == std::vector{Ticket(2), Ticket(3)});
  CHECK_FALSE(bench.done(1));
  CHECK(bench.tick().empty());
  CHECK_FALSE(bench.outbox.next_tick());
}

TEST_CASE("a full window waits for an answer, not for a time") {
  Bench bench;
  bench.add(1, bound("p"));
  bench.add(2, bound("q"));
  CHECK(bench.tick() == Tickets{1});
  CHECK_FALSE(bench.outbox.next_tick());
}

TEST_CASE("the status tells what waits, for how long, and what went") {
  Bench bench;
  bench.add(1, bound("p"));
  bench.add(2, bound("q"));
  bench.now += 5s;
  CHECK(bench.tick() == Tickets{1});
  bench.now += 1s;
  const auto status = bench.outbox.status(bench.now);
  const auto& binds = status.classes[static_cast<std::size_t>(WriteClass::bind)];
  CHECK(binds.waiting == 1);
  CHECK(binds.oldest == 6s);
  CHECK(binds.sent == 1);
  CHECK(binds.waited == 5s);
  CHECK(status.in_flight == 1);
  CHECK(status.limit == 1);
}

}  // namespace dray::engine::outbox_test
