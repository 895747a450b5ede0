#include "dray/planner/explain_until.h"

#include <catch2/catch.hpp>

#include "dray/planner/job_watch.h"
#include "tests/unit/planner/explained.h"

namespace dray::planner::explain_until_test {

using namespace worlds;
namespace {

/// Nodes of four GPUs on which pods of one GPU run, as many of queue y that wait and are owed half
/// of all, and `big`, which wants more than a node has left.
World crowded(int nodes) {
  World world;
  world.queue("x", 0);
  world.queue("y", std::int64_t{2} * nodes);
  world.config.reclaim.enabled = true;
  for (int n = 0; n < nodes; ++n) {
    const auto node = "n" + std::to_string(n);
    world.node(node, 4);
    world.fill("x" + std::to_string(n) + "-", 4, node, "x");
    world.waiting("y" + std::to_string(n), 1, "y");
  }
  world.waiting("big", 4, "x");
  return world;
}

TEST_CASE("an explanation among many jobs looks for victims for its own job alone") {
  auto world = crowded(80);
  ExplainWork work;
  const auto question = question_of(world, "y7");
  const auto made = explain_until(question, world.options, {}, &work);
  REQUIRE(made);
  CHECK(made->standing == Standing::follows);
  CHECK(work.plans == 1);
  CHECK(work.scenarios == 1);
  // The service's plan evicts for all of them.
  CHECK(Planner(world.options).plan(question.input).scenarios == 80);
}

TEST_CASE("what may help is tried within a bound that goes by the cluster's size") {
  auto small = crowded(4);
  ExplainWork of_few;
  const auto few = explain_until(question_of(small, "big"), small.options, {}, &of_few);
  REQUIRE(few);
  CHECK(few->standing == Standing::waits);
  auto large = crowded(400);
  ExplainWork of_many;
  const auto many = explain_until(question_of(large, "big"), large.options, {}, &of_many);
  REQUIRE(many);
  CHECK(many->standing == Standing::waits);
  CHECK_FALSE(many->helps.empty());
  CHECK(of_many.cost <= most_explain_cost);
  CHECK(of_many.plans <= 100);
  CHECK(of_many.scenarios <= of_many.plans * 4);
  // Nodes that are alike are not looked at one by one in each of the plans.
  CHECK(of_many.nodes_tried < of_many.plans * 400);
}

TEST_CASE("an explanation that is to stop makes no plan") {
  auto world = crowded(4);
  std::stop_source stop;
  stop.request_stop();
  ExplainWork work;
  CHECK_FALSE(explain_until(question_of(world, "big"), world.options, stop.get_token(), &work));
  CHECK(work.plans == 0);
}

TEST_CASE("a plan that is to stop serves no other job") {
  auto world = crowded(4);
  const auto question = question_of(world, "big");
  std::stop_source stop;
  JobWatch watch;
  watch.job = *question.job;
  watch.stop = stop.get_token();
  Planner planner(world.options);
  CHECK(planner.plan(question.input, &watch).nodes_tried > 0);
  CHECK(watch.turns.size() == 5);
  stop.request_stop();
  JobWatch again;
  again.job = watch.job;
  again.stop = stop.get_token();
  const auto cut = Planner(world.options).plan(question.input, &again);
  CHECK(cut.nodes_tried == 0);
  CHECK(cut.scenarios == 0);
  CHECK(again.turns.empty());
}

TEST_CASE("a plan that ends with a job's turn says of that job what the whole plan says") {
  auto world = crowded(4);
  world.config.reclaim.enabled = false;
  const auto question = question_of(world, "y2");
  JobWatch whole;
  JobWatch part;
  whole.job = part.job = *question.job;
  part.ends_with_turn = true;
  const auto all = Planner(world.options).plan(question.input, &whole);
  const auto some = Planner(world.options).plan(question.input, &part);
  CHECK(outcome(all, "y2").reason == outcome(some, "y2").reason);
  CHECK(outcome(all, "y2").detail == outcome(some, "y2").detail);
  CHECK(part.turns.size() < whole.turns.size());
  CHECK(part.turns.back() == part.job);
}

}  // namespace
}  // namespace dray::planner::explain_until_test
