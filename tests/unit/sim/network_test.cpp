#include "sim/network.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/sim/network_world.h"

namespace dray::sim::network_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

struct Bench : NetworkWorld {
  std::vector<ApiReply> replies;
  std::shared_ptr<Network::Exchange> exchange;

  void send(const std::string& manager = "dray-1-us") {
    exchange = network.send(process, Process::Thread::writer, {lift(), manager, 0, {}}, 1s,
                            [this](const ApiReply& reply) { replies.push_back(reply); });
  }
};

TEST_CASE("a write arrives, and its answer comes back, once") {
  Bench bench;
  bench.send();
  CHECK(bench.network.under_way().size() == 1);
  bench.pass(1ms);
  CHECK(bench.lifted());
  CHECK(bench.replies.empty());
  CHECK(bench.network.under_way().empty());
  bench.pass(1ms);
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0].outcome);
  bench.pass(10s);
  CHECK(bench.replies.size() == 1);
  CHECK(bench.network.landed_late() == 0);
}

TEST_CASE("each fate of a write: what the sender is told, and what becomes of it") {
  struct Row {
    std::string name;
    Fate fate;
    ErrorCode code;
    engine::Load load;
    bool lands;
  };
  const auto row = GENERATE(
      Row{"lost", Fate::lost, ErrorCode::unavailable, engine::Load::lost, false},
      Row{"unanswered", Fate::unanswered, ErrorCode::unavailable, engine::Load::lost, true},
      Row{"late", Fate::late, ErrorCode::unavailable, engine::Load::lost, true},
      Row{"refused", Fate::refused, ErrorCode::denied, engine::Load::fine, false},
      Row{"invalid", Fate::invalid, ErrorCode::invalid, engine::Load::fine, false},
      Row{"overloaded", Fate::overloaded, ErrorCode::unavailable, engine::Load::overloaded, false},
      Row{"gateway", Fate::gateway, ErrorCode::unavailable, engine::Load::lost, true});
  DYNAMIC_SECTION(row.name) {
    Bench bench;
    bench.weather.fate = row.fate;
    bench.send();
    bench.pass(10s);
    REQUIRE(bench.replies.size() == 1);
    CHECK(bench.replies[0].outcome.error().code == row.code);
    CHECK(bench.replies[0].load == row.load);
    CHECK(bench.replies[0].retry_after.has_value() == (row.fate == Fate::overloaded));
    CHECK(bench.lifted() == row.lands);
    CHECK(bench.network.landed_late() == (row.fate == Fate::late ? 1 : 0));
  }
}

TEST_CASE("a late write lands after the sender was told that there is no answer") {
  Bench bench;
  bench.weather.fate = Fate::late;
  bench.send();
  bench.pass(1s + 1us);
  CHECK(bench.replies.size() == 1);
  CHECK(!bench.lifted());
  CHECK(bench.network.under_way().size() == 1);
  bench.pass(3s);
  CHECK(bench.lifted());
}

TEST_CASE("a cut connection ends the waiting, not the write") {
  Bench bench;
  bench.send();
  Network::cut(*bench.exchange);
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0].outcome.error().code == ErrorCode::unavailable);
  bench.pass(10s);
  CHECK(bench.lifted());
  CHECK(bench.replies.size() == 1);
}

TEST_CASE("who has ended sends nothing; who is stopped hears the answer later") {
  Bench bench;
  SECTION("ended") {
    bench.process.end();
    bench.send();
    bench.pass(10s);
    CHECK(!bench.lifted());
    CHECK(bench.replies.empty());
  }
  SECTION("stopped") {
    bench.send();
    bench.process.stop();
    bench.pass(500ms);
    CHECK(bench.lifted());
    CHECK(bench.replies.empty());
    bench.process.go_on({Process::Thread::lease, Process::Thread::engine, Process::Thread::writer});
    REQUIRE(bench.replies.size() == 1);
    CHECK(bench.replies[0].outcome);
  }
}

TEST_CASE(
    "the policy fences writes of another epoch than the Lease's, once it has seen the Lease") {
  Bench bench;
  SECTION("no Lease fences nobody") {
    bench.send("dray-7-them");
    bench.pass(10ms);
    CHECK(bench.lifted());
  }
  SECTION("the Lease's own epoch") {
    bench.show_lease("us", 1);
    bench.send("dray-1-us");
    bench.pass(10ms);
    CHECK(bench.lifted());
  }
  SECTION("another epoch, or another holder") {
    bench.show_lease("us", 2);
    bench.send("dray-1-us");
    bench.pass(10ms);
    bench.send("dray-2-them");
    bench.pass(10ms);
    CHECK(!bench.lifted());
    REQUIRE(bench.replies.size() == 2);
    CHECK(bench.replies[0].outcome.error().code == ErrorCode::denied);
    CHECK(bench.replies[0].load == engine::Load::other_epoch);
    CHECK(bench.network.fenced_off() == 2);
  }
}

TEST_CASE("reads and the Lease's own writes are not fenced") {
  Bench bench;
  bench.show_lease("them", 5);
  std::vector<ApiReply> replies;
  bench.network.send(bench.process, Process::Thread::writer,
                     {engine::ReadPod{bench.pod.key()}, "", 0, {}}, 1s,
                     [&](const ApiReply& reply) { replies.push_back(reply); });
  bench.pass(10ms);
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].outcome);
}

TEST_CASE("an observer sees what is sent and what is told, and whose effect is committed") {
  Bench bench;
  std::string seen;
  bench.network.set_observer(
      {.decided = [](const ApiRequest&) {},
       .sent = [&](const ApiRequest& request) { seen += "sent " + request.field_manager + " "; },
       .told = [&](const ApiRequest&,
                   const ApiReply& reply) { seen += reply.outcome ? "told " : "refused "; }});
  bench.send();
  bench.pass(10ms);
  CHECK(seen == "sent dray-1-us told ");
  CHECK(bench.network.serving() == nullptr);
}

}  // namespace
}  // namespace dray::sim::network_test
