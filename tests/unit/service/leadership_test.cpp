#include "service/leadership.h"

#include <catch2/catch.hpp>

#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::leadership_test {
namespace {

using namespace std::chrono_literals;
using testing::FakeCluster;
using testing::Watched;

engine::LeaseKeeper::Options lease_options() {
  engine::LeaseKeeper::Options options;
  options.lease = {"dray-system", "dray"};
  options.identity = "us";
  options.duration = 30s;
  options.renew_every = 5ms;
  options.fence = 2s;
  return options;
}

struct Bench {
  explicit Bench(engine::LeaseKeeper::Options options = lease_options())
      : leadership(
            std::move(options), cluster, clock, fence,
            [this](engine::LeadershipChanged change) {
              told.change([&](auto& all) { all.push_back(change.leading ? change.epoch : 0); });
            },
            [this] { return note_waiting(); }) {}
  ~Bench() {
    for (const auto* kind : {"ReadLease", "PutLease"}) cluster.let_go(kind);
    loop.run(leadership.release());
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  boost::asio::awaitable<void> note_waiting() {
    fence_while_waiting = fence.open(clock.now());
    holder_while_waiting = cluster.seen.get().lease.holder;
    co_return;
  }
  bool told_of(std::size_t changes) {
    return told.wait([&](const auto& all) { return all.size() >= changes; });
  }

  Clock clock;
  Fence fence;
  std::optional<bool> fence_while_waiting;  ///< for writes to end
  std::string holder_while_waiting;
  Watched<std::vector<int>> told;  ///< the epoch of each term, 0 for its end
  net::testing::Loop loop;
  FakeCluster cluster{loop.io};
  Leadership leadership;
};

Lease held_by(const std::string& holder) {
  Lease lease;
  lease.meta.resource_version = ResourceVersion("7");
  lease.holder = holder;
  lease.duration_seconds = 3600;
  lease.transitions = 4;
  return lease;
}

TEST_CASE("a free Lease is taken: the fence opens, and the epoch is told once") {
  Bench bench;
  CHECK_FALSE(bench.fence.open(bench.clock.now()));
  bench.leadership.start();
  REQUIRE(bench.told_of(1));
  CHECK(bench.fence.open(bench.clock.now()));
  // It is renewed, and nobody is told of that.
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("PutLease") >= 4; }));
  CHECK(bench.told.get() == std::vector{1});
  CHECK(bench.cluster.seen.get().lease.holder == "us");
}

TEST_CASE("the fence is open no longer than the Lease's term less its margin") {
  Bench bench;
  bench.leadership.start();
  REQUIRE(bench.told_of(1));
  CHECK(bench.fence.open(bench.clock.now() + 20s));
  CHECK_FALSE(bench.fence.open(bench.clock.now() + 28s));
}

TEST_CASE("while another holds the Lease nothing is told and the fence stays closed") {
  Bench bench;
  bench.cluster.seen.change([](auto& all) { all.lease = held_by("them"); });
  bench.leadership.start();
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("ReadLease") >= 4; }));
  CHECK(bench.told.get().empty());
  CHECK_FALSE(bench.fence.open(bench.clock.now()));
  CHECK(bench.cluster.seen.get().count("PutLease") == 0);
}

TEST_CASE("a Lease that cannot be renewed ends by its own time") {
  auto options = lease_options();
  options.duration = 300ms;
  options.fence = 100ms;
  Bench bench(options);
  bench.leadership.start();
  REQUIRE(bench.told_of(1));
  bench.cluster.seen.change([](auto& all) { all.lease_fails = true; });
  REQUIRE(bench.told.wait([](const auto& all) { return all.back() == 0; }));
  CHECK_FALSE(bench.fence.open(bench.clock.now()));
}

TEST_CASE("a Lease that another took is lost at the next renewal, and taken back as a new epoch") {
  Bench bench;
  bench.leadership.start();
  REQUIRE(bench.told_of(1));
  bench.cluster.seen.change([](auto& all) {
    all.lease.holder = "";
    all.lease.transitions = 8;
    all.lease.meta.resource_version = ResourceVersion("100");
  });
  REQUIRE(bench.told_of(3));
  CHECK(bench.told.get() == std::vector{1, 0, 9});
}

TEST_CASE("release gives the Lease back, shuts the fence and does not take it again") {
  Bench bench;
  bench.leadership.start();
  REQUIRE(bench.told_of(1));
  bench.loop.run(bench.leadership.release());
  CHECK(bench.cluster.seen.get().lease.holder.empty());
  CHECK_FALSE(bench.fence.open(bench.clock.now()));
  CHECK(bench.told.get() == std::vector{1, 0});
  const auto asked = bench.cluster.seen.get().asked.size();
  bench.loop.run(bench.leadership.release());
  CHECK(bench.cluster.seen.get().asked.size() == asked);
  CHECK(bench.told.get() == std::vector{1, 0});
}

TEST_CASE("stepping down waits for writes with the fence closed and the Lease held, then rests") {
  Bench bench;
  bench.leadership.start();
  REQUIRE(bench.told_of(1));
  bench.leadership.step_down(20ms);
  REQUIRE(bench.told_of(3));
  CHECK(bench.told.get() == std::vector{1, 0, 2});
  CHECK(bench.fence_while_waiting == false);
  CHECK(bench.holder_while_waiting == "us");
}

TEST_CASE("a release in the middle of a renewal waits for it, and writes nothing meanwhile") {
  Bench bench;
  bench.leadership.start();
  REQUIRE(bench.told_of(1));
  bench.cluster.hold("PutLease");
  const auto puts = [](const auto& all) { return std::ranges::count(all.asked, "PutLease"); };
  const auto sent = bench.cluster.seen.get().count("PutLease");
  REQUIRE(bench.cluster.seen.wait([&](const auto& all) {
    return puts(all) > static_cast<std::ptrdiff_t>(all.count("PutLease")) &&
           all.count("PutLease") >= sent;
  }));
  auto released = bench.loop.start(bench.leadership.release());
  REQUIRE(testing::eventually([&] { return !bench.fence.open(bench.clock.now()); }));
  CHECK(bench.told.get() == std::vector{1});
  bench.cluster.let_go("PutLease");
  released.get();
  CHECK(bench.cluster.seen.get().lease.holder.empty());
  CHECK(bench.told.get() == std::vector{1, 0});
}

TEST_CASE("a release before the start leaves the Lease alone") {
  Bench bench;
  bench.loop.run(bench.leadership.release());
  bench.leadership.start();
  bench.loop.run(bench.leadership.release());
  CHECK(bench.cluster.seen.get().asked.empty());
  CHECK(bench.told.get().empty());
}

}  // namespace
}  // namespace dray::service::leadership_test
