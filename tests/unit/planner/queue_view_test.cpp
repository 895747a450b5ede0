#include <catch2/catch.hpp>

#include "dray/planner/explanation.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::queue_view_test {

using namespace worlds;

TEST_CASE("of a shared queue and namespace only those are named whom the reader may see") {
  World world;
  world.node("n0", 1);
  world.queue("a", 1);
  world.running("r", "n0", 0, 1, "a");
  world.waiting("a0", 1, "a");
  world.waiting("p", 1, "a");
  const auto ask = [&](const std::string& pod) {
    Question question;
    question.input = world.make_input();
    question.input.budget = PlanBudget::unbounded();
    question.job = world.job(pod).uid;
    question.pod = world.job(pod).members.front().pod;
    return question;
  };
  const auto ahead = [&](const Question& question) {
    const auto made = explain(question, world.options);
    REQUIRE(made.queue);
    CHECK(made.queue->position == 2);
    CHECK(made.queue->ahead.size() + made.queue->more_ahead == 1);
    return made.queue->ahead;
  };
  const auto names_who_runs = [&](const Question& question) {
    const auto made = explain(question, world.options);
    REQUIRE(made.helps.size() == 1);
    return made.helps[0].contains("default/r") && made.nearest.contains("default/r");
  };
  auto second = ask("p");
  auto first = ask("a0");
  CHECK(ahead(second) == Names{"default/a0"});
  CHECK(names_who_runs(first));
  first.named = second.named = {{"another"}};
  CHECK(ahead(second).empty());
  CHECK_FALSE(names_who_runs(first));
  first.named->insert("default");
  second.named->insert("default");
  CHECK(ahead(second) == Names{"default/a0"});
  CHECK(names_who_runs(first));
}

}  // namespace dray::planner::queue_view_test
