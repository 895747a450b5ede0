#include "engine/books/queue_users_keeper.h"

#include <catch2/catch.hpp>

#include "tests/objects/meta.h"

namespace dray::engine::queue_users_keeper_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

const ConfigMapKey record{"dray-system", "dray-queue-users"};

policy::PolicyConfig team_a(const std::string& space = "team-a") {
  policy::PolicyConfig config;
  for (const auto* name : {"a", "all"}) {
    policy::QueueConfig queue;
    queue.name = policy::QueueName(name);
    config.queues.push_back(queue);
  }
  config.queues[0].namespaces = {space, "both"};
  config.queues[0].service_accounts = {"ci/trainer"};
  config.pod_queues.labels = {"dray.dev/queue", "team"};
  return config;
}

const Labels of_team_a{
    {"labels", "dray.dev/queue\nteam\n"},
    {"queue.a", "namespace team-a\nnamespace both\nserviceaccount ci/trainer\n"}};

WriteOutcome map(Labels data, const std::string& version) {
  ConfigMap object;
  object.meta.resource_version = ResourceVersion(version);
  object.data = std::move(data);
  return WrittenObject(object);
}

const WriteOutcome none = fail(ErrorCode::not_found, "no such config map");

/// Leading, with the ConfigMap asked for.
QueueUsersKeeper reading(const policy::PolicyConfig& config = team_a()) {
  QueueUsersKeeper keeper(record);
  keeper.set_policy(config, start);
  keeper.lead(true, start);
  const auto first = keeper.tick(start);
  REQUIRE(first.size() == 1);
  REQUIRE(std::get<ReadConfigMap>(first[0]).map == record);
  REQUIRE(!keeper.next_tick());
  return keeper;
}

PutConfigMap put_of(const QueueUsersKeeper::Commands& commands) {
  REQUIRE(commands.size() == 1);
  return std::get<PutConfigMap>(commands[0]);
}

TEST_CASE("users are lines of their queue; queues for everybody are not there") {
  CHECK(encode_queue_users(team_a()) == of_team_a);
  CHECK(encode_queue_users({}).empty());
  auto below = team_a();
  below.queues[1].parent = policy::QueueName("a");
  CHECK(encode_queue_users(below)["queue.all"] == of_team_a.at("queue.a"));
}

TEST_CASE("a ConfigMap that is not there is made, one that says something else is written") {
  SECTION("not there") {
    auto keeper = reading();
    const auto put = put_of(keeper.step(none, start));
    CHECK(put.expected.get().empty());
    CHECK(put.value.data == of_team_a);
    CHECK(keeper.step(map(of_team_a, "8"), start).empty());
    CHECK(!keeper.next_tick());
  }
  SECTION("another") {
    auto keeper = reading();
    const auto put = put_of(keeper.step(map({{"queue.a", "namespace x\n"}}, "7"), start));
    CHECK(put.expected == ResourceVersion("7"));
    CHECK(put.value.data == of_team_a);
  }
  SECTION("the same") {
    auto keeper = reading();
    CHECK(keeper.step(map(of_team_a, "7"), start).empty());
    CHECK(!keeper.next_tick());
  }
  SECTION("nothing to say") {
    auto keeper = reading({});
    CHECK(keeper.step(none, start).empty());
    CHECK(!keeper.next_tick());
  }
  SECTION("nothing to say any more") {
    auto keeper = reading({});
    CHECK(put_of(keeper.step(map(of_team_a, "7"), start)).value.data.empty());
  }
}

TEST_CASE("what fails is read anew after a while") {
  auto keeper = reading();
  SECTION("the read") {
    CHECK(keeper.step(fail(ErrorCode::unavailable, "no answer"), start).empty());
  }
  SECTION("the write") {
    static_cast<void>(keeper.step(none, start));
    CHECK(keeper.step(fail(ErrorCode::conflict, "another version"), start).empty());
  }
  CHECK(keeper.next_tick() == start + QueueUsersKeeper::retry_after);
  CHECK(keeper.tick(start + QueueUsersKeeper::retry_after - 1us).empty());
  CHECK(keeper.tick(start + QueueUsersKeeper::retry_after).size() == 1);
}

TEST_CASE("another policy is written, also when it comes during a write; the same is not") {
  auto keeper = reading();
  static_cast<void>(keeper.step(none, start));
  keeper.set_policy(team_a("team-b"), start + 1s);
  CHECK(keeper.tick(start + 1s).empty());
  CHECK(keeper.step(map(of_team_a, "8"), start + 2s).empty());
  REQUIRE(keeper.next_tick() == start + 2s);
  CHECK(keeper.tick(start + 2s).size() == 1);
  const auto put = put_of(keeper.step(map(of_team_a, "8"), start + 2s));
  CHECK(put.value.data == encode_queue_users(team_a("team-b")));
  CHECK(keeper.step(map(put.value.data, "9"), start + 3s).empty());
  keeper.set_policy(team_a("team-b"), start + 4s);
  CHECK(!keeper.next_tick());
}

TEST_CASE("only who leads writes, and looks anew in each term") {
  QueueUsersKeeper keeper(record);
  keeper.set_policy(team_a(), start);
  CHECK(!keeper.next_tick());
  keeper.lead(true, start);
  REQUIRE(keeper.tick(start).size() == 1);
  keeper.lead(false, start);
  CHECK(keeper.step(none, start).empty());
  CHECK(!keeper.next_tick());
  keeper.lead(true, start + 1s);
  CHECK(keeper.next_tick() == start + 1s);
}

TEST_CASE("without a record nothing is kept") {
  QueueUsersKeeper keeper({});
  keeper.set_policy(team_a(), start);
  keeper.lead(true, start);
  CHECK(!keeper.next_tick());
  CHECK(keeper.tick(start).empty());
}

}  // namespace
}  // namespace dray::engine::queue_users_keeper_test
