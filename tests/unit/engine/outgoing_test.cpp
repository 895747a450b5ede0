#include "engine/protocol/outgoing.h"

#include <catch2/catch.hpp>

#include <memory>

namespace dray::engine::outgoing_test {
namespace {

const ReadPod some_write{{"default", "p"}};
constexpr Time at{std::chrono::seconds(7)};

TEST_CASE("effects come in the order in which they were asked for, and once") {
  Outgoing out;
  out.send(some_write, ForNothing{}, at);
  out.answer(RequestId(7), "no");
  out.want_plan(3, std::make_shared<const planner::PlanInput>());
  const auto effects = out.take();
  REQUIRE(effects.size() == 3);
  CHECK(std::get<SendWrite>(effects[0]).id == WriteId(1));
  CHECK(std::get<SendWrite>(effects[0]).since == at);
  CHECK(std::get<AnswerBind>(effects[1]).request == RequestId(7));
  CHECK(std::get<AnswerBind>(effects[1]).error == "no");
  CHECK(std::get<WantPlan>(effects[2]).generation == 3);
  CHECK(std::get<WantPlan>(effects[2]).input);
  CHECK(out.take().empty());
}

TEST_CASE("a write's outcome is for whoever asked, and only once") {
  Outgoing out;
  out.send(some_write, ForLift{Uid("p")}, at);
  out.send(some_write, ForNothing{}, at);
  const auto purpose = out.done(WriteId(1));
  REQUIRE(purpose);
  CHECK(std::get<ForLift>(*purpose).pod == Uid("p"));
  CHECK(!out.done(WriteId(1)));
  CHECK(!out.done(WriteId(2)));
}

TEST_CASE("after a change of leadership nobody waits for outcomes, and no id comes twice") {
  Outgoing out;
  out.send(some_write, ForLift{Uid("p")}, at);
  out.reset(5);
  CHECK(!out.done(WriteId(1)));
  CHECK(out.take().size() == 1);
  out.send(some_write, ForUsage{}, at);
  const auto sent = std::get<SendWrite>(out.take().front());
  CHECK(sent.id == WriteId(2));
  CHECK(sent.epoch == 5);
  CHECK(out.done(WriteId(2)));
}

}  // namespace
}  // namespace dray::engine::outgoing_test
