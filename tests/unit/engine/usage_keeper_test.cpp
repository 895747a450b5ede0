#include "engine/books/usage_keeper.h"

#include <catch2/catch.hpp>

namespace dray::engine::usage_keeper_test {
namespace {

using namespace std::chrono_literals;

constexpr Time begin = Time(std::chrono::hours(24 * 365 * 50));

std::shared_ptr<const policy::Policy> policy_with(std::optional<Duration> half_life) {
  policy::PolicyConfig config;
  config.resources.push_back({.name = "gpu", .rules = {}});
  config.resources.back().rules.emplace_back().device_class = ClassName("gpu");
  policy::QueueConfig queue;
  queue.name = policy::QueueName("a");
  queue.quota["gpu"] = Quantity(1);
  config.queues.push_back(queue);
  config.fairness.half_life = half_life;
  auto made = policy::compile(config);
  REQUIRE(made);
  return std::make_shared<const policy::Policy>(std::move(*made));
}

planner::Plan plan_with(double held, double total) {
  planner::Plan plan;
  plan.queues.push_back({.queue = policy::QueueName("a"),
                         .fair_share = policy::Amounts(1),
                         .allocated = policy::Amounts(1, held),
                         .requested = policy::Amounts(1)});
  plan.total = policy::Amounts(1, total);
  return plan;
}

UsageKeeper keeper() {
  UsageKeeper made({"dray-system", "dray-usage"});
  made.set_policy(policy_with(1h));
  made.lead(true, begin);
  return made;
}

WriteOutcome map(Labels data, const std::string& version) {
  ConfigMap object;
  object.meta.resource_version = ResourceVersion(version);
  object.data = std::move(data);
  return WrittenObject(object);
}

TEST_CASE("without a half-life nothing is kept and nothing is asked") {
  UsageKeeper keeper({"dray-system", "dray-usage"});
  keeper.set_policy(policy_with(std::nullopt));
  keeper.lead(true, begin);
  CHECK(!keeper.history());
  CHECK(!keeper.next_tick());
  CHECK(keeper.tick(begin).empty());
}

TEST_CASE("a queue's part of the cluster is counted from plan to plan") {
  auto usage = keeper();
  usage.account(plan_with(4, 8), begin);
  usage.account(plan_with(0, 8), begin + 1h);
  auto tree = policy_with(1h)->queues;
  policy::apply_usage(*usage.history(), tree);
  CHECK(tree.queues()[0].usage[0] == Approx(0.5));
}

TEST_CASE("the record is read first, then written every minute under its version") {
  auto usage = keeper();
  auto first = usage.tick(begin);
  REQUIRE(first.size() == 1);
  CHECK(std::holds_alternative<ReadConfigMap>(first[0]));
  CHECK(usage.tick(begin).empty());
  CHECK(usage.step(fail(ErrorCode::not_found, "no such config map"), begin).empty());
  CHECK(usage.next_tick() == begin + 1min);
  usage.account(plan_with(2, 4), begin);
  auto second = usage.tick(begin + 1min);
  REQUIRE(second.size() == 1);
  const auto put = std::get<PutConfigMap>(second[0]);
  CHECK(put.expected.get().empty());
  CHECK(put.value.data.contains("held.a"));
  CHECK(usage.step(map(put.value.data, "7"), begin + 1min).empty());
  auto third = usage.tick(begin + 2min);
  REQUIRE(third.size() == 1);
  CHECK(std::get<PutConfigMap>(third[0]).expected == ResourceVersion("7"));
  SECTION("a conflict reads again") {
    CHECK(usage.step(fail(ErrorCode::conflict, "changed"), begin + 2min).empty());
    auto fourth = usage.tick(begin + 2min + 5s);
    REQUIRE(fourth.size() == 1);
    CHECK(std::holds_alternative<ReadConfigMap>(fourth[0]));
    // Of the other's record only the version counts: here it goes on in memory.
    const auto counted = *usage.history();
    auto other = put.value.data;
    other["held.a"] = "gpu=1000000";
    const auto answer = map(std::move(other), "9");
    CHECK(usage.step(answer, begin + 2min + 5s).empty());
    CHECK(*usage.history() == counted);
    auto fifth = usage.tick(begin + 4min);
    REQUIRE(fifth.size() == 1);
    CHECK(std::get<PutConfigMap>(fifth[0]).expected == ResourceVersion("9"));
  }
}

TEST_CASE("what was counted of other resources is not that of these") {
  auto usage = keeper();
  usage.account(plan_with(4, 8), begin);
  usage.account(plan_with(4, 8), begin + 1h);
  policy::PolicyConfig config;
  config.resources.push_back({.name = "tpu", .rules = {}});
  config.resources.back().rules.emplace_back().device_class = ClassName("tpu");
  config.queues.emplace_back().name = policy::QueueName("a");
  config.fairness.half_life = 1h;
  auto other = policy::compile(config);
  REQUIRE(other);
  usage.set_policy(std::make_shared<const policy::Policy>(*std::move(other)));
  CHECK(usage.history()->sums.held.empty());
}

TEST_CASE("the next leader goes on where the last one ended") {
  auto before = keeper();
  before.account(plan_with(4, 8), begin);
  before.account(plan_with(4, 8), begin + 1h);
  const auto resources = policy_with(1h)->counting.resources();
  const auto record = encode_usage(*before.history(), resources);
  CHECK(decode_usage(record, resources) == *before.history());

  auto after = keeper();
  static_cast<void>(after.tick(begin + 1h));
  static_cast<void>(after.step(map(record, "3"), begin + 1h));
  CHECK(*after.history() == *before.history());
}

/// The record of a queue that held half of the cluster for an hour.
Labels record_of_an_hour() {
  auto before = keeper();
  before.account(plan_with(4, 8), begin);
  before.account(plan_with(4, 8), begin + 1h);
  return encode_usage(*before.history(), policy_with(1h)->counting.resources());
}

double usage_of(const UsageKeeper& keeper) {
  auto tree = policy_with(1h)->queues;
  policy::apply_usage(*keeper.history(), tree);
  return tree.queues()[0].usage[0];
}

TEST_CASE("while dray was down nobody is charged, however early the first plan is") {
  UsageKeeper after({"dray-system", "dray-usage"});
  after.set_policy(policy_with(1h));
  const auto again = begin + 101h;
  after.lead(true, again);
  const bool plan_first = GENERATE(true, false);
  static_cast<void>(after.tick(again));
  if (plan_first) {
    after.account(plan_with(8, 8), again);
    after.account(plan_with(8, 8), again + 1s);
  }
  static_cast<void>(after.step(map(record_of_an_hour(), "3"), again + 1s));
  if (!plan_first) after.account(plan_with(8, 8), again + 1s);
  // Of the record hardly anything is left after a hundred half-lives, and nothing was added.
  after.account(plan_with(0, 8), again + 1s);
  CHECK(after.history()->sums.held.at(policy::QueueName("a"))[0] < 8.1);
  after.account(plan_with(0, 8), again + 1h);
  CHECK(usage_of(after) < 0.01);
}

TEST_CASE("a record is not lost where plans come before it is read") {
  UsageKeeper after({"dray-system", "dray-usage"});
  after.set_policy(policy_with(1h));
  after.lead(true, begin + 1h);
  static_cast<void>(after.tick(begin + 1h));
  for (const auto second : {0s, 1s, 2s}) after.account(plan_with(4, 8), begin + 1h + second);
  static_cast<void>(after.step(map(record_of_an_hour(), "3"), begin + 1h + 2s));
  CHECK(after.history()->sums.held.at(policy::QueueName("a"))[0] > 4 * 2500);
  CHECK(usage_of(after) == Approx(0.5));
}

TEST_CASE("who leads again goes by the record of those who led meanwhile") {
  auto usage = keeper();
  usage.account(plan_with(8, 8), begin);
  usage.account(plan_with(8, 8), begin + 1min);
  usage.lead(false, begin + 1min);
  usage.lead(true, begin + 1h);
  static_cast<void>(usage.tick(begin + 1h));
  static_cast<void>(usage.step(map(record_of_an_hour(), "5"), begin + 1h));
  usage.account(plan_with(4, 8), begin + 1h);
  CHECK(usage_of(usage) == Approx(0.5));
}

TEST_CASE("a record of a clock that was ahead counts as one of now") {
  auto usage = keeper();
  static_cast<void>(usage.tick(begin));
  static_cast<void>(usage.step(map(record_of_an_hour(), "5"), begin));
  CHECK(usage.history()->at == begin);
  usage.account(plan_with(8, 8), begin);
  usage.account(plan_with(8, 8), begin + 1h);
  CHECK(usage_of(usage) == Approx(5.0 / 6));
}

TEST_CASE("another policy over the same resources goes on counting what queues hold") {
  auto usage = keeper();
  usage.account(plan_with(4, 8), begin);
  usage.set_policy(policy_with(1h));
  usage.account(plan_with(4, 8), begin + 1h);
  CHECK(usage_of(usage) == Approx(0.5));
}

TEST_CASE("a record that somebody else wrote overflows nothing") {
  const auto resources = policy_with(1h)->counting.resources();
  const auto history = decode_usage({{"atMicros", "1700000000000000"},
                                     {"halfLifeMicros", "-9223372036854775808"},
                                     {"capacity", "gpu=inf"},
                                     {"held.a", "gpu=nan"},
                                     {"part.0.micros", "-9223372036854775808 9223372036854775807"},
                                     {"part.0.capacity", "gpu=1"}},
                                    resources);
  CHECK(history.half_life == Duration(0));
  CHECK(history.sums.capacity[0] == 0);
  CHECK(history.sums.held.at(policy::QueueName("a"))[0] == 0);
  CHECK(history.parts.empty());
  CHECK(!decode_usage({{"atMicros", "9223372036854775807"}}, resources).at);
}

TEST_CASE("what cannot be read is as if it had never been") {
  const auto resources = policy_with(1h)->counting.resources();
  const auto history = decode_usage({{"atMicros", "12"},
                                     {"halfLifeMicros", "x"},
                                     {"capacity", "gpu=1 =2 tpu=3 gpu=-1"},
                                     {"held.a", "gpu=nonsense"}},
                                    resources);
  CHECK(history.sums.capacity[0] == 1);
  CHECK(history.sums.held.at(policy::QueueName("a"))[0] == 0);
}

}  // namespace
}  // namespace dray::engine::usage_keeper_test
