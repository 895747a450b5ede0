#include "engine/protocol/node_requests.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/engine/benches.h"
#include "tests/unit/engine/commands.h"

namespace dray::engine::node_requests_test {
namespace {

using namespace std::chrono_literals;
using planner::MemberState;

const WriteOutcome written = WrittenObject{};
const policy::Provisioning rule{.class_name = "check-capacity.autoscaling.x-k8s.io",
                                .parameters = {{"a", "1"}}};

std::string plan_at(Time at) {
  return "plan at " + std::to_string(at.time_since_epoch().count());
}

/// A gang `default/g` of three pods that wait, of which the last is another kind of pod.
struct World {
  planner::Job job;
  bool there = true;
  NodeRequests requests{[this](const Uid& uid) -> std::shared_ptr<const planner::Job> {
    if (!there || uid != job.uid) return nullptr;
    return std::make_shared<const planner::Job>(job);
  }};

  World() {
    job.uid = Uid("uid-g");
    job.name = "default/g";
    for (const std::string name : {"p0", "p1", "p2"}) {
      auto pod = make_pod(name, "");
      pod.resource_claims = {{.name = "gpu", .claim_name = {}, .template_name = "one"}};
      if (name == "p2") pod.host_network = true;
      job.members.push_back({std::make_shared<const Pod>(pod), MemberState::waiting, {}});
    }
  }

  void place(std::size_t member, bool bound) {
    auto& each = job.members[member];
    each.state = MemberState::placed;
    each.node = NodeName("n0");
    auto pod = *each.pod;
    if (bound) pod.node_name = each.node;
    each.pod = std::make_shared<const Pod>(std::move(pod));
  }

  /// The request as the API server has it once it is written.
  ProvisioningRequest asked(Time now = start) {
    const auto commands = requests.ask(job, rule, now);
    auto request = only_write<RequestNodes>(commands).request;
    request.meta.uid = Uid("uid-" + request.meta.name);
    (void)requests.step(job.uid, written, now);
    return request;
  }
  std::string put(ProvisioningRequest request, const std::string& type = {}) {
    if (!type.empty()) {
      request.conditions.push_back({.type = type,
                                    .status = "True",
                                    .reason = "R",
                                    .message = "why",
                                    .last_transition = start});
    }
    return words(requests.put(request, start));
  }
};

TEST_CASE("nodes are asked for what waits of a job, kind by kind, once") {
  World world;
  const auto commands = world.requests.ask(world.job, rule, start);
  const auto write = only_write<RequestNodes>(commands);
  const auto& request = write.request;
  CHECK(request.meta.name.starts_with("g-"));
  CHECK(request.meta.name.ends_with("-1"));
  CHECK(request.meta.namespace_name == "default");
  CHECK(request.class_name == rule.class_name);
  CHECK(request.parameters == rule.parameters);
  REQUIRE(request.pod_sets.size() == 2);
  CHECK(request.pod_sets[0] == ProvisionedPods{request.meta.name + "-0", 2});
  CHECK(request.pod_sets[1] == ProvisionedPods{request.meta.name + "-1", 1});
  REQUIRE(write.examples.size() == 2);
  CHECK(write.examples[0].pod.name == "p0");
  CHECK(write.examples[1].pod.name == "p2");
  REQUIRE(request.meta.owners.size() == 1);
  CHECK(request.meta.owners[0].name == "p0");
  CHECK(words(commands) == "RequestNodes default/" + request.meta.name + " for nodes");
  CHECK(world.requests.asks_for(world.job.uid));
  CHECK(world.requests.ask(world.job, rule, start).empty());
  CHECK(words(world.requests.step(world.job.uid, written, start)) == "RecordEvent default/p0");
  CHECK(world.requests.ask(world.job, rule, start + 1h).empty());
}

TEST_CASE("what has its place already is not asked for") {
  World world;
  world.place(0, true);
  const auto write = only_write<RequestNodes>(world.requests.ask(world.job, rule, start));
  CHECK(write.request.pod_sets[0].count == 1);
  CHECK(write.examples[0].pod.name == "p1");
}

TEST_CASE("when the nodes are there a plan is asked for, and the pods are to say which request") {
  World world;
  const auto request = world.asked();
  CHECK(world.put(request) == "plan");
  CHECK(world.requests.provisioned(world.job.uid) == nullptr);
  CHECK(world.put(request, "Accepted").empty());
  CHECK(world.put(request, "Provisioned") == "plan");
  const auto* marks = world.requests.provisioned(world.job.uid);
  REQUIRE(marks != nullptr);
  CHECK(*marks == Labels{{"autoscaling.x-k8s.io/consume-provisioning-request", request.meta.name},
                         {"autoscaling.x-k8s.io/provisioning-class-name", rule.class_name}});
}

TEST_CASE("what an earlier request came to says nothing of the one after it") {
  World world;
  const auto first = world.asked();
  auto second = first;
  second.meta.name += "-again";
  second.meta.annotations["dray.dev/attempt"] = "2";
  CHECK(world.put(second, "Provisioned") == "plan");
  CHECK(world.put(first, "Failed").empty());
  CHECK(world.requests.provisioned(world.job.uid) != nullptr);
}

TEST_CASE("a request that comes to nothing goes after a while, and another takes its place") {
  const std::string end = GENERATE("Failed", "CapacityRevoked", "BookingExpired");
  World world;
  const auto request = world.asked();
  CHECK(world.put(request, end) == "RecordEvent default/p0; plan");
  CHECK_FALSE(world.requests.asks_for(world.job.uid));
  CHECK(words(world.requests.ask(world.job, rule, start)) == plan_at(start + 1min));
  CHECK(words(world.requests.ask(world.job, rule, start + 1min)) ==
        "WithdrawNodes default/" + request.meta.name + " for nodes");
  CHECK(world.requests.ask(world.job, rule, start + 1min).empty());
  CHECK(world.requests.step(world.job.uid, written, start + 1min).empty());
  CHECK(words(world.requests.erase({"default", request.meta.name})) == "plan");
  auto second = world.asked(start + 1min);
  CHECK(second.meta.name.ends_with("-2"));
  CHECK(second.meta.annotations.at("dray.dev/attempt") == "2");
  // The next pause is twice as long.
  (void)world.put(second, end);
  CHECK(words(world.requests.ask(world.job, rule, start)) == plan_at(start + 2min));
}

TEST_CASE("what nobody waits for any more goes; who only holds a place may still need it") {
  World world;
  const auto request = world.asked();
  (void)world.put(request);
  CHECK(world.requests.settle(true).empty());
  for (std::size_t i = 0; i < 3; ++i) world.place(i, i > 0);
  CHECK(world.requests.settle(true).empty());
  world.place(0, true);
  const auto withdrawn = world.requests.settle(true);
  const auto write = only_write<WithdrawNodes>(withdrawn);
  CHECK(write.request.name == request.meta.name);
  CHECK(write.uid == request.meta.uid);
  CHECK(world.requests.settle(true).empty());
  CHECK(words(world.requests.step(world.job.uid, fail(ErrorCode::unavailable, "lost"), start)) ==
        plan_at(start + 5s));
  CHECK(words(world.requests.settle(true)) == words(withdrawn));
  (void)world.requests.step(world.job.uid, written, start);
  world.there = false;
  CHECK(words(world.requests.erase({"default", request.meta.name})) == "plan");
  CHECK(world.requests.none());
}

TEST_CASE("a job that is gone, or a policy that asks for no nodes, ends a request") {
  World world;
  (void)world.put(world.asked());
  const bool gone = GENERATE(true, false);
  world.there = !gone;
  CHECK(words(world.requests.settle(gone)).starts_with("WithdrawNodes default/g-"));
}

TEST_CASE("a request that cannot be written is told of, and tried again") {
  struct Row {
    ErrorCode code;
    Duration pause;
    std::string ending;
  };
  const auto row = GENERATE(values<Row>({{ErrorCode::unavailable, 5s, "-1"},
                                         {ErrorCode::not_found, 1min, "-1"},
                                         {ErrorCode::denied, 1min, "-1"},
                                         {ErrorCode::conflict, 5s, "-2"}}));
  World world;
  (void)world.requests.ask(world.job, rule, start);
  CHECK(words(world.requests.step(world.job.uid, fail(row.code, "no"), start)) ==
        "RecordEvent default/p0; " + plan_at(start + row.pause));
  CHECK_FALSE(world.requests.asks_for(world.job.uid));
  CHECK(words(world.requests.ask(world.job, rule, start)) == plan_at(start + row.pause));
  const auto again =
      only_write<RequestNodes>(world.requests.ask(world.job, rule, start + row.pause));
  CHECK(again.request.meta.name.ends_with(row.ending));
}

TEST_CASE("a new leader goes on with what it finds, and completes it") {
  World before;
  const auto request = before.asked();
  World world;
  CHECK(world.put(request) == "plan");
  CHECK(world.requests.asks_for(world.job.uid));
  const auto again = only_write<RequestNodes>(world.requests.ask(world.job, rule, start));
  CHECK(again.request.meta.name == request.meta.name);
  CHECK(again.request.pod_sets == request.pod_sets);
  // Others wait by now than it was written for: it stays as it is.
  CHECK(world.requests.step(world.job.uid, fail(ErrorCode::conflict, "other"), start).empty());
  CHECK(world.requests.ask(world.job, rule, start + 1h).empty());
  world.requests.reset();
  CHECK(words(world.requests.ask(world.job, rule, start)).starts_with("RequestNodes default/g-"));
}

TEST_CASE("requests of others, or in other namespaces, are left alone") {
  World world;
  auto request = world.asked();
  const bool foreign = GENERATE(true, false);
  if (foreign) {
    request.meta.labels.clear();
  } else {
    request.meta.namespace_name = "other";
  }
  CHECK(world.put(request, "Provisioned").empty());
  CHECK(world.requests.provisioned(world.job.uid) == nullptr);
}

TEST_CASE("more kinds of pods than a request can have are told of") {
  World world;
  world.job.members.clear();
  for (int i = 0; i < 33; ++i) {
    auto pod = make_pod("p" + std::to_string(i), "");
    pod.node_selector["i"] = std::to_string(i);
    world.job.members.push_back({std::make_shared<const Pod>(pod), MemberState::waiting, {}});
  }
  const auto commands = world.requests.ask(world.job, rule, start);
  CHECK(only_write<RecordEvent>(commands).event.note ==
        "its pods are of 33 kinds, and a ProvisioningRequest can have 32");
  CHECK(words(world.requests.ask(world.job, rule, start)) == plan_at(start + 30min));
}

}  // namespace
}  // namespace dray::engine::node_requests_test
