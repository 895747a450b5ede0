#include "sim/replica_writer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/objects/devices.h"
#include "tests/unit/sim/network_world.h"

namespace dray::sim::replica_writer_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

struct Bench : NetworkWorld {
  bool leading = true;
  ReplicaWriter writer{{},
                       {.process = process,
                        .network = network,
                        .weather = weather,
                        .may_send = [this] { return leading; },
                        .replica = 0}};
  std::vector<engine::WriteOutcome> outcomes;
  std::vector<std::string> sent;

  Bench() {
    network.set_observer({.sent = [this](const ApiRequest& request) {
      sent.emplace_back(engine::name(request.write));
    }});
  }
  void write(engine::Write write) {
    writer.write(std::move(write), "dray-1-us", process.now(),
                 [this](const engine::WriteOutcome& outcome) { outcomes.push_back(outcome); });
  }
};

TEST_CASE("a write's outcome is told once") {
  Bench bench;
  bench.write(bench.lift());
  bench.pass(10s);
  REQUIRE(bench.outcomes.size() == 1);
  CHECK(bench.outcomes[0]);
  CHECK(bench.lifted());
}

TEST_CASE("the fence is asked right before the bytes go") {
  Bench bench;
  bench.write(bench.lift());
  bench.leading = false;  // after it was decided, before it is sent
  bench.pass(10s);
  CHECK(!bench.lifted());
  CHECK(bench.sent.empty());
  REQUIRE(bench.outcomes.size() == 1);
  CHECK(bench.outcomes[0].error().code == ErrorCode::unavailable);
}

TEST_CASE("without an answer the deadline ends the waiting, counted from sending") {
  Bench bench;
  bench.weather.fate = Fate::lost;
  bench.write(bench.lift());
  bench.pass(5s - 1ms);
  CHECK(bench.outcomes.empty());
  bench.pass(2ms);
  REQUIRE(bench.outcomes.size() == 1);
  CHECK(bench.outcomes[0].error().code == ErrorCode::unavailable);
}

TEST_CASE("an overloaded API server is asked again") {
  Bench bench;
  bench.weather.fate = Fate::overloaded;
  bench.write(bench.lift());
  bench.pass(500ms);
  CHECK(bench.outcomes.empty());
  bench.weather.fate = Fate::delivered;
  bench.pass(30s);
  REQUIRE(bench.outcomes.size() == 1);
  CHECK(bench.outcomes[0]);
  CHECK(bench.sent.size() >= 2);
}

TEST_CASE("when leadership is lost, what is under way is cut off and what waits is dropped") {
  Bench bench;
  bench.weather.fate = Fate::lost;
  for (int i = 0; i < 200; ++i) {
    bench.write(engine::NominateNode{{"default", "p" + std::to_string(i)}, Uid("u"), {}});
  }
  bench.pass(10ms);
  const auto sent = bench.sent.size();
  REQUIRE(sent > 0);
  REQUIRE(sent < 200);
  bench.leading = false;
  bench.writer.abandon();
  CHECK(bench.outcomes.size() == 200);
  bench.pass(1min);
  CHECK(bench.outcomes.size() == 200);
  CHECK(bench.sent.size() == sent);
}

/// A claim that is allocated and reserved for two pods.
struct Releasing : Bench {
  ResourceClaim claim;

  Releasing() {
    auto made = make_claim("c0", 1);
    made.meta.uid = Uid("uid-c0");
    made.allocation = allocation({device_id("n0", "gpu-0")});
    made.reserved_for = {consumer("p0", Uid("u0")), consumer("p1", Uid("u1"))};
    server.restore(made, start);
    claim = c0();
  }
  [[nodiscard]] const ResourceClaim& c0() const {
    return *server.find<ResourceClaim>("default", "c0");
  }
  void release(const Uid& user, const Uid& of) {
    engine::ReleaseClaim release;
    release.claim = claim.key();
    release.uid = of;
    release.consumer = user;
    release.deallocate = true;
    write(release);
    pass(1s);
  }
};

TEST_CASE("a release reads the claim, and takes off one user; the last one takes the devices") {
  Releasing bench;
  bench.release(Uid("u0"), bench.claim.meta.uid);
  CHECK(bench.sent == std::vector<std::string>{"ReadClaim", "ReleaseClaim"});
  CHECK(bench.c0().reserved_for.size() == 1);
  CHECK(bench.c0().allocation);
  bench.release(Uid("u1"), bench.claim.meta.uid);
  CHECK(bench.c0().reserved_for.empty());
  CHECK(!bench.c0().allocation);
}

TEST_CASE(
    "a release with nothing to give back reads only; another claim of the name is left alone") {
  Releasing bench;
  SECTION("not a user") {
    bench.release(Uid("other"), bench.claim.meta.uid);
    CHECK(bench.outcomes.at(0));
  }
  SECTION("another claim") {
    bench.release(Uid("u0"), Uid("uid-older"));
    CHECK(bench.outcomes.at(0).error().code == ErrorCode::conflict);
  }
  CHECK(bench.sent == std::vector<std::string>{"ReadClaim"});
  CHECK(bench.c0().reserved_for.size() == 2);
}

}  // namespace
}  // namespace dray::sim::replica_writer_test
