#include "dray/engine/lease.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/engine/lease_server.h"

namespace dray::engine::lease_test {
namespace {

using namespace lease_testing;

TEST_CASE("each write names the epoch and the holder under which it was decided") {
  CHECK(field_manager(7, "dray-6c9f-x2x") == "dray-7-dray-6c9f-x2x");
  CHECK(field_manager(0, "") == "dray");
  CHECK(field_manager(std::numeric_limits<std::int32_t>::max(), std::string(longest_identity, 'x'))
            .size() <= 128);
}

TEST_CASE("the first candidate acquires an absent Lease and raises the epoch") {
  Server server;
  auto a = keeper("a");
  CHECK_FALSE(a.may_write(t0));
  server.run(a, t0, t0 + 1s);
  CHECK(a.may_write(t0 + 1s));
  CHECK(a.epoch() == 1);
  CHECK(server.lease->holder == "a");
  CHECK(server.lease->duration_seconds == 15);
}

TEST_CASE("a holder that renews keeps the Lease and its epoch") {
  auto [server, a] = led();
  auto b = keeper("b");
  for (auto now = t0 + 1s; now < t0 + 120s; now += 1s) {
    server.carry(a, a.tick(now), now);
    server.carry(b, b.tick(now), now);
    CHECK(a.may_write(now));
    CHECK_FALSE(b.may_write(now));
  }
  CHECK(a.epoch() == 1);
}

TEST_CASE("two never may write at the same time, however the old holder stalls") {
  const auto stall = GENERATE(3s, 12s, 14s, 20s, 30s, 40s);
  auto [server, a] = led();
  auto b = keeper("b");
  bool b_led = false;
  for (auto now = t0 + 1s; now < t0 + 90s; now += 250ms) {
    const bool stalled = now > t0 + 5s && now < t0 + 5s + stall;
    if (!stalled) server.carry(a, a.tick(now), now);
    server.carry(b, b.tick(now), now);
    CHECK_FALSE((a.may_write(now) && b.may_write(now)));
    b_led = b_led || b.may_write(now);
  }
  // The newcomer waits the Lease out from its first sight of the renewal.
  CHECK(b_led == (stall >= 20s));
  if (b_led) CHECK(b.epoch() == 2);
}

TEST_CASE(
    "a lost answer to a renewal ends no term: the Lease is read, and shows that it came through") {
  auto [server, a] = led();
  const auto renewed = t0 + 2s;
  server.renew_unanswered(a, renewed);
  REQUIRE(server.puts == 2);
  CHECK(a.may_write(renewed));
  const auto read = a.next_tick();
  CHECK(read <= renewed + 1s);
  server.carry(a, a.tick(read), read);
  // The term counts from when that renewal was sent, and goes on from there.
  CHECK(server.puts == 2);
  CHECK(a.leading_until() == renewed + 10s);
  for (auto now = read; now < t0 + 120s; now += 500ms) {
    server.carry(a, a.tick(now), now);
    REQUIRE(a.may_write(now));
  }
  CHECK(a.epoch() == 1);
}

TEST_CASE("every other answer to a renewal may be lost") {
  auto [server, a] = led();
  for (auto now = t0 + 1s; now < t0 + 120s; now += 500ms) {
    server.answers_puts = server.puts % 2 == 0;
    server.carry(a, a.tick(now), now);
    REQUIRE(a.may_write(now));
  }
  CHECK(a.epoch() == 1);
}

TEST_CASE("somebody's label on the Lease ends no term") {
  auto [server, a] = led();
  server.lease->meta.resource_version = ResourceVersion("99");
  server.version = 99;
  server.carry(a, a.tick(t0 + 2s), t0 + 2s);
  CHECK(server.puts == 2);  // it was renewed all the same
  CHECK(a.leading_until() == t0 + 2s + 10s);
  CHECK(a.epoch() == 1);
}

TEST_CASE("a Lease is given back although the last renewal's answer was lost") {
  auto [server, a] = led();
  server.renew_unanswered(a, t0 + 2s);
  server.carry(a, a.release(t0 + 3s), t0 + 3s);
  CHECK(server.lease->holder.empty());
  CHECK_FALSE(a.may_write(t0 + 3s));
}

TEST_CASE("who gives the Lease back to rest does not take it again before") {
  auto [server, a] = led();
  server.carry(a, a.release(t0 + 1s, 10s), t0 + 1s);
  server.run(a, t0 + 1s, t0 + 11s - 1us);
  CHECK(server.lease->holder.empty());
  server.run(a, t0 + 11s, t0 + 11s);
  CHECK(a.may_write(t0 + 11s));
  CHECK(a.epoch() == 2);
}

TEST_CASE("an unreachable server ends the term before the Lease runs out") {
  auto [server, a] = led();
  server.reachable = false;
  server.run(a, t0 + 1s, t0 + 9s);
  CHECK(a.may_write(t0 + 9s));
  server.run(a, t0 + 9s, t0 + 16s);
  CHECK_FALSE(a.may_write(t0 + 10s));
}

TEST_CASE("the same identity comes back when its last writes must have ended, under a new epoch") {
  Server server;
  auto first = keeper("dray-0");
  server.run(first, t0, t0 + 1s);
  auto second = keeper("dray-0");
  const auto deadline = LeaseKeeper::Options{}.write_deadline;
  server.run(second, t0 + 2s, t0 + 2s + deadline - 1ms);
  CHECK_FALSE(second.may_write(t0 + 2s + deadline - 1ms));
  server.run(second, t0 + 2s + deadline, t0 + 3s + deadline);
  CHECK(second.may_write(t0 + 3s + deadline));
  CHECK(second.epoch() == 2);
}

/// The Lease is there again from `end` on, where a term ended: the next begins only later.
void check_waits_for_its_writes(Server& server, LeaseKeeper& a, Time end) {
  server.reachable = true;
  const auto deadline = LeaseKeeper::Options{}.write_deadline;
  server.run(a, end, end + deadline - 1ms);
  CHECK_FALSE(a.may_write(end + deadline - 1ms));
  server.run(a, end + deadline, end + deadline + 2s);
  CHECK(a.may_write(end + deadline + 2s));
  CHECK(a.epoch() == 2);
}

TEST_CASE("a term that ended is followed by another only when its writes must have ended") {
  auto [server, a] = led();
  const auto end = a.leading_until();
  server.reachable = false;
  server.run(a, t0 + 1s, end);
  REQUIRE_FALSE(a.may_write(end));
  check_waits_for_its_writes(server, a, end);
}

TEST_CASE("a term that ran out while its holder asked is over, though the Lease is still its own") {
  auto [server, a] = led();
  const auto end = a.leading_until();
  const bool in_doubt = GENERATE(false, true);
  if (in_doubt) server.renew_unanswered(a, t0 + 2s);
  const auto asked = a.tick(end - 1ms);
  REQUIRE(asked.size() == 1);
  CHECK(std::holds_alternative<PutLease>(asked[0]) != in_doubt);
  server.carry(a, a.step(server.serve(asked[0]), end + 1ms), end + 1ms);
  CHECK_FALSE(a.may_write(end + 1ms));
  check_waits_for_its_writes(server, a, end + 1ms);
}

TEST_CASE(
    "a Lease whose giving back was lost is taken again only when its writes must have ended") {
  auto [server, a] = led();
  server.reachable = false;
  const auto end = t0 + 1500ms;  // later than the last sign of the Lease
  server.carry(a, a.release(end), end);
  REQUIRE_FALSE(a.may_write(end));
  check_waits_for_its_writes(server, a, end);
}

TEST_CASE("a released Lease is taken without waiting") {
  auto [server, a] = led();
  auto b = keeper("b");
  server.carry(b, b.tick(t0 + 2s), t0 + 2s);
  server.carry(a, a.release(t0 + 3s), t0 + 3s);
  CHECK_FALSE(a.may_write(t0 + 3s));
  server.run(b, t0 + 3s, t0 + 6s);
  CHECK(b.may_write(t0 + 6s));
  CHECK(b.epoch() == 2);
}

TEST_CASE("losing a race for a free Lease is no leadership") {
  Server server;
  auto a = keeper("a");
  auto b = keeper("b");
  const auto read_a = a.tick(t0);
  const auto read_b = b.tick(t0);
  REQUIRE(read_a.size() == 1);
  REQUIRE(read_b.size() == 1);
  const auto put_a = a.step(server.serve(read_a.front()), t0);
  const auto put_b = b.step(server.serve(read_b.front()), t0);
  server.carry(a, put_a, t0);
  server.carry(b, put_b, t0);
  CHECK(a.may_write(t0 + 1s));
  CHECK_FALSE(b.may_write(t0 + 1s));
}

TEST_CASE(
    "a Lease is taken when its holder has been silent for all its time, and for the writes of its "
    "term, not before") {
  auto [server, a] = led();
  // From the first sight of its renewal: 15 s of the Lease. The old holder's last write was sent
  // 5 s before; where it may take longer than that, so much more.
  const auto slower = GENERATE(0s, 4s);
  LeaseKeeper b({.lease = {"dray-system", "dray"}, .identity = "b", .write_deadline = 5s + slower});
  const auto seen = t0 + 1s;
  server.carry(b, b.tick(seen), seen);
  const auto over = seen + 15s + slower;
  for (auto now = seen; now < over; now = std::max(now + 1ms, b.next_tick())) {
    server.carry(b, b.tick(now), now);
    CHECK_FALSE(b.may_write(now));
  }
  CHECK(server.lease->holder == "a");
  CHECK(b.next_tick() == over);
  server.carry(b, b.tick(over), over);
  CHECK(b.may_write(over));
  CHECK(server.lease->holder == "b");
  CHECK(b.holder() == "b");
  CHECK(server.lease->transitions == 2);
  CHECK(server.lease->acquired == over);
}

TEST_CASE("any sign of its holder begins the wait anew") {
  auto [server, a] = led();
  auto b = keeper("b");
  server.carry(b, b.tick(t0 + 1s), t0 + 1s);
  const auto change = GENERATE(0, 1, 2);
  if (change == 0) server.lease->renewed = t0 + 10s;
  if (change == 1) server.lease->holder = "c";
  if (change == 2) server.lease->transitions = 7;
  server.carry(b, b.tick(t0 + 15s), t0 + 15s);
  server.run(b, t0 + 15s, t0 + 30s - 1us);
  CHECK_FALSE(b.may_write(t0 + 30s - 1us));
  server.carry(b, b.tick(t0 + 30s), t0 + 30s);
  CHECK(b.may_write(t0 + 30s));
}

TEST_CASE("a holder whose Lease is another's stops at once") {
  auto [server, a] = led();
  SECTION("its renewal conflicts") {
    server.lease->holder = "b";
    server.lease->meta.resource_version = ResourceVersion("99");
    server.carry(a, a.tick(t0 + 2s), t0 + 2s);
  }
  SECTION("its renewal is answered with another's") {
    const auto renewal = a.tick(t0 + 2s);
    REQUIRE(renewal.size() == 1);
    auto other = *server.lease;
    other.holder = "b";
    CHECK(a.step(WrittenObject{other}, t0 + 2s).empty());
  }
  CHECK_FALSE(a.may_write(t0 + 2s));
  CHECK(a.leading_until() == Time{});
}

TEST_CASE("the term counts from when the renewal was sent, and ends before the Lease") {
  auto [server, a] = led();
  const auto renewal = a.tick(t0 + 2s);
  REQUIRE(renewal.size() == 1);
  static_cast<void>(a.step(server.serve(renewal[0]), t0 + 6s));
  CHECK(a.leading_until() == t0 + 2s + 15s - 5s);
  CHECK(a.may_write(t0 + 12s - 1us));
  CHECK_FALSE(a.may_write(t0 + 12s));
}

TEST_CASE("renewals keep the time of acquisition and the epoch, and name what they replace") {
  auto [server, a] = led();
  const auto renewal = a.tick(t0 + 2s);
  REQUIRE(renewal.size() == 1);
  const auto& put = std::get<PutLease>(renewal[0]);
  CHECK(put.expected == server.lease->meta.resource_version);
  CHECK(put.value.acquired == t0);
  CHECK(put.value.renewed == t0 + 2s);
  CHECK(put.value.transitions == 1);
  CHECK(a.tick(t0 + 3s).empty());  // one write is under way at a time
  CHECK(a.release(t0 + 3s).empty());
}

TEST_CASE("a server that does not answer a read is asked again, and gives nothing away") {
  Server server;
  server.reachable = false;
  auto a = keeper("a");
  server.run(a, t0, t0 + 60s);
  CHECK_FALSE(a.may_write(t0 + 60s));
  server.reachable = true;
  server.run(a, t0 + 60s, t0 + 63s);
  CHECK(a.may_write(t0 + 63s));
}

TEST_CASE("only who leads gives the Lease back, and it is nobody's then") {
  Server server;
  auto a = keeper("a");
  CHECK(a.release(t0).empty());
  server.run(a, t0, t0 + 1s);
  server.carry(a, a.release(t0 + 2s), t0 + 2s);
  CHECK(server.lease->holder.empty());
  CHECK(server.lease->duration_seconds == 1);
  CHECK_FALSE(a.may_write(t0 + 2s));
}

}  // namespace
}  // namespace dray::engine::lease_test
