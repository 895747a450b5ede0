#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>

#include "dray/policy/config.h"
#include "tests/unit/engine/benches.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::exposure_test {
namespace {

PolicyChanged exposing(std::int32_t jobs) {
  policy::PolicyConfig config;
  config.budgets.exposed_jobs = jobs;
  return {std::make_shared<const policy::PolicyConfig>(config)};
}

void ask(Bench& bench, const std::string& name, std::int64_t gpus) {
  bench.tell(make_claim("c-" + name, gpus));
  bench.tell(make_pod(name, "c-" + name));
}

/// p1 wants more than there is, and is the one job that may be seen.
struct OneExposed {
  Bench bench;
  std::pair<WriteId, LiftGate> lift;

  OneExposed() {
    bench.add_nodes(1, 2);
    bench.apply(exposing(1));
    ask(bench, "p1", 4);
    auto written = bench.take_write<LiftGate>();
    REQUIRE(written);
    lift = std::move(*written);
  }
};

TEST_CASE("the first jobs without room lose their gates for an autoscaler to see, no more") {
  OneExposed one;
  auto& bench = one.bench;
  CHECK(one.lift.second.pod.name == "p1");
  CHECK(one.lift.second.annotations.empty());
  bench.done(one.lift.first);
  ask(bench, "p2", 4);
  CHECK_FALSE(bench.take_write<LiftGate>());
  // The autoscaler brings a node: the pod gets its place as any pod without a gate.
  auto pod = make_pod("p1", "c-p1");
  pod.scheduling_gates.clear();
  bench.tell(pod);
  bench.tell(make_node("n9"));
  bench.tell(make_gpus("n9", 4));
  CHECK(bench.engine.status().reservations == 1);
  // Now it is the next one's turn.
  const auto next = bench.take_write<LiftGate>();
  REQUIRE(next);
  CHECK(next->second.pod.name == "p2");
}

TEST_CASE("jobs for which no nodes come keep no other queue's from the autoscaler") {
  Bench bench;
  bench.add_nodes(1, 2);
  policy::PolicyConfig config;
  config.budgets.exposed_jobs = 1;
  for (const auto* name : {"a", "b"}) config.queues.emplace_back().name = policy::QueueName(name);
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  const auto ask_for = [&](const std::string& name, const std::string& queue) {
    bench.tell(make_claim("c-" + name, 4));
    auto pod = make_pod(name, "c-" + name);
    pod.meta.labels["kai.scheduler/queue"] = queue;
    bench.tell(pod);
  };
  const auto shown = [&] {
    const auto lift = bench.take_write<LiftGate>();
    return lift ? lift->second.pod.name : "";
  };
  ask_for("a1", "a");
  CHECK(shown() == "a1");
  ask_for("a2", "a");
  CHECK(shown().empty());
  ask_for("b1", "b");
  CHECK(shown() == "b1");
  ask_for("b2", "b");
  CHECK(shown().empty());
}

TEST_CASE("a gate that could not be taken off is tried again") {
  OneExposed one;
  auto& bench = one.bench;
  bench.done(one.lift.first, fail(ErrorCode::unavailable, "no answer"));
  bench.now += std::chrono::seconds(1);
  bench.tell(make_node("other"));
  CHECK(bench.take_write<LiftGate>());
}

TEST_CASE("no gate goes for what more nodes would not help, nor unless the policy says so") {
  Bench bench;
  bench.add_nodes(1, 2);
  ask(bench, "p1", 4);
  CHECK_FALSE(bench.take_write<LiftGate>());
  bench.apply(exposing(2));
  CHECK(bench.take_write<LiftGate>());
  bench.tell(make_pod("p2", "no-such-claim"));
  CHECK_FALSE(bench.take_write<LiftGate>());
}

PolicyChanged growing(int gpus) {
  policy::PolicyConfig config;
  config.budgets.exposed_jobs = 4;
  auto& group = config.node_groups.emplace_back();
  group.name = "pool";
  group.node = make_node("pool");
  group.slices.emplace({make_gpus("pool", gpus)});
  return {std::make_shared<const policy::PolicyConfig>(config)};
}

TEST_CASE("with node groups only a job loses its gate for which they can grow, and says which") {
  Bench bench;
  bench.add_nodes(1, 2);
  bench.apply(growing(4));
  ask(bench, "large", 5);
  CHECK_FALSE(bench.take_write<LiftGate>());
  ask(bench, "right", 4);
  const auto lift = bench.take_write<LiftGate>();
  REQUIRE(lift);
  CHECK(lift->second.pod.name == "right");
  CHECK(lift->second.annotations == Labels{{"dray.dev/node-group", "pool"}});
  CHECK_FALSE(bench.take_write<LiftGate>());
  bench.apply(growing(5));
  const auto other = bench.take_write<LiftGate>();
  REQUIRE(other);
  CHECK(other->second.pod.name == "large");
}

PolicyChanged requesting() {
  policy::PolicyConfig config;
  config.budgets.exposed_jobs = 1;
  config.provisioning = {.class_name = "atomic.example.com", .parameters = {}};
  return {std::make_shared<const policy::PolicyConfig>(config)};
}

/// Two pods of a group, each wants more than there is.
struct GangWithoutRoom {
  Bench bench;

  GangWithoutRoom() {
    bench.add_nodes(1, 2);
    bench.apply(requesting());
    bench.tell(make_group(2));
    for (const std::string name : {"p0", "p1"}) {
      bench.tell(make_claim("c-" + name, 4));
      bench.tell(member(name));
    }
  }
  /// As the API server has it, with that condition.
  ProvisioningRequest written() {
    const auto write = bench.take_write<RequestNodes>();
    REQUIRE(write);
    bench.done(write->first);
    auto request = write->second.request;
    request.meta.uid = Uid("uid-request");
    bench.tell(request);
    return request;
  }
};

TEST_CASE("nodes for a gang are asked for together, and its gates go when they are there") {
  GangWithoutRoom world;
  auto& bench = world.bench;
  auto request = world.written();
  // Each has a claim of its own: two kinds of pods.
  REQUIRE(request.pod_sets.size() == 2);
  CHECK(request.pod_sets[0].count == 1);
  // It counts as the one job that the autoscaler is told of.
  ask(bench, "single", 4);
  CHECK_FALSE(bench.take_write<LiftGate>());
  request.conditions = {{.type = "Provisioned",
                         .status = "True",
                         .reason = {},
                         .message = {},
                         .last_transition = {}}};
  bench.tell(request);
  for (const std::string name : {"p0", "p1"}) {
    const auto lift = bench.take_write<LiftGate>();
    REQUIRE(lift);
    CHECK(lift->second.pod.name == name);
    CHECK(lift->second.annotations.at(consume_request_annotation) == request.meta.name);
  }
  CHECK_FALSE(bench.take_write<LiftGate>());
}

TEST_CASE("a job of one pod is shown at once, whatever is asked for gangs") {
  Bench bench;
  bench.add_nodes(1, 2);
  bench.apply(requesting());
  ask(bench, "single", 4);
  CHECK(bench.take_write<LiftGate>());
  CHECK_FALSE(bench.take_write<RequestNodes>());
}

TEST_CASE("room that comes otherwise is used, and the request goes when all are bound") {
  GangWithoutRoom world;
  auto& bench = world.bench;
  (void)world.written();
  for (const std::string node : {"n8", "n9"}) {
    bench.tell(make_node(node));
    bench.tell(make_gpus(node, 4));
  }
  CHECK(bench.engine.status().reservations == 2);
  CHECK_FALSE(bench.take_write<WithdrawNodes>());
  for (const std::string name : {"p0", "p1"}) {
    auto pod = member(name);
    pod.scheduling_gates.clear();
    pod.node_name = NodeName("n8");
    bench.tell(pod);
  }
  const auto withdrawn = bench.take_write<WithdrawNodes>();
  REQUIRE(withdrawn);
  CHECK(withdrawn->second.uid == Uid("uid-request"));
}

}  // namespace
}  // namespace dray::engine::exposure_test
