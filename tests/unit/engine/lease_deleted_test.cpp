#include <catch2/catch.hpp>

#include "tests/unit/engine/lease_server.h"

namespace dray::engine::lease_deleted_test {
namespace {

using namespace lease_testing;

TEST_CASE("a Lease that is deleted while it is held makes no two leaders") {
  const auto deleted = GENERATE(1500ms, 2s, 5250ms, 9s);
  const bool stalls = GENERATE(false, true);  // the holder, from then on for 20 s
  CAPTURE(deleted.count(), stalls);
  auto [server, a] = led();
  auto b = keeper("b");
  server.carry(b, b.tick(t0 + 1s), t0 + 1s);
  std::int32_t last = 1;
  for (auto now = t0 + 1s; now < t0 + 120s; now += 250ms) {
    if (now - t0 == deleted) server.lease.reset();
    const bool stalled = stalls && now - t0 > deleted && now - t0 < deleted + 20s;
    if (!stalled) server.carry(a, a.tick(now), now);
    server.carry(b, b.tick(now), now);
    CHECK_FALSE((a.may_write(now) && b.may_write(now)));
    for (const auto* each : {&a, &b}) {
      if (!each->may_write(now)) continue;
      CHECK(each->epoch() >= last);
      last = each->epoch();
    }
  }
  CHECK(last == 2);
  CHECK((a.may_write(t0 + 120s) || b.may_write(t0 + 120s)));
}

TEST_CASE(
    "the holder of a deleted Lease stops at its next renewal, and waits for its last writes") {
  auto [server, a] = led();
  server.lease.reset();
  server.carry(a, a.tick(t0 + 2s), t0 + 2s);
  CHECK_FALSE(a.may_write(t0 + 2s));
  server.run(a, t0 + 2s, t0 + 2s + write_deadline - 1ms);
  CHECK_FALSE(server.lease);
  server.run(a, t0 + 2s + write_deadline, t0 + 60s);
  CHECK(a.may_write(t0 + 60s));
  CHECK(a.epoch() == 2);
}

TEST_CASE("epochs do not go back where a Lease was made anew by another candidate") {
  auto [server, a] = led();
  server.lease.reset();
  server.run(a, t0 + 2s, t0 + 60s);
  REQUIRE(a.epoch() == 2);
  server.lease.reset();
  auto fresh = keeper("b");
  server.carry(fresh, fresh.tick(t0 + 61s), t0 + 61s);
  REQUIRE(fresh.epoch() == 1);
  server.run(a, t0 + 62s, t0 + 120s);
  CHECK(a.epoch() == 3);
}

}  // namespace
}  // namespace dray::engine::lease_deleted_test
