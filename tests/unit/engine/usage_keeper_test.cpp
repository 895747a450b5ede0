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
