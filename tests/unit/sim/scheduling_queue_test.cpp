#include "sim/scheduling_queue.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/objects/pods.h"
#include "tests/unit/sim/scheduler_world.h"

namespace dray::sim::scheduling_queue_test {

using namespace dray::testing;

namespace {

/// A queue whose pods all get the same hint.
struct Queue {
  bool helps = false;
  SchedulingQueue queue;

  explicit Queue(const KubeSchedulerOptions& options = {})
      : queue(options, [this](const QueuedPod&, const ClusterEvent&) { return helps; }) {}

  /// The name of the next pod, which begins its cycle; empty: none.
  std::string pop(QueuedPod* to = nullptr) {
    auto popped = queue.pop();
    if (!popped) return "";
    auto name = popped->pod().meta.name;
    if (to != nullptr) *to = *std::move(popped);
    return name;
  }
  /// The next pod fails at `now`, rejected by `rejectors`.
  void fail_next(Time now, Plugins rejectors = plugin::extender) {
    QueuedPod pod;
    REQUIRE_FALSE(pop(&pod).empty());
    pod.rejectors = rejectors;
    queue.add_unschedulable(std::move(pod), now);
  }
  void happens(Time now) { queue.move_all({ClusterEvent::Type::other, nullptr, nullptr}, now); }
};

std::shared_ptr<const KubeObject> pod(const std::string& name, std::int32_t priority = 0,
                                      std::vector<std::string> gates = {}) {
  auto made = make_pod(name);
  made.meta.uid = Uid(name);
  made.priority = priority;
  made.scheduling_gates = std::move(gates);
  return std::make_shared<const KubeObject>(std::move(made));
}

}  // namespace

TEST_CASE("the queue goes by priority, then by the time of arrival") {
  Queue q;
  q.queue.add(pod("late"), at(2));
  q.queue.add(pod("b"), at(1));
  q.queue.add(pod("a"), at(1));
  q.queue.add(pod("high", 5), at(3));
  q.queue.add(pod("a", 9), at(0));  // known already
  std::string order;
  for (auto name = q.pop(); !name.empty(); name = q.pop()) order += name + " ";
  CHECK(order == "high b a late ");
}

TEST_CASE("a gated pod waits for its gates, whatever happens") {
  Queue q;
  q.helps = true;
  q.queue.add(pod("p", 0, {"g"}), at(0));
  q.happens(at(1));
  q.queue.tick(at(1000));
  CHECK(q.pop().empty());
  CHECK(q.queue.sizes().gated == 1);
  q.queue.update(pod("p", 0, {"g"}), pod("p"), at(1001));
  CHECK(q.queue.sizes().gated == 0);
  CHECK(q.pop() == "p");
}

TEST_CASE("a rejected pod waits for an event that may help it, and for its back-off") {
  Queue q;
  q.queue.add(pod("p"), at(0));
  q.fail_next(at(0));
  CHECK(q.queue.sizes().unschedulable == 1);
  q.happens(at(5));
  CHECK(q.queue.sizes().unschedulable == 1);
  q.helps = true;
  SECTION("the back-off is over") {
    q.happens(at(5));
    CHECK(q.queue.sizes().active == 1);
  }
  SECTION("it is not, but nothing else is there to do") {
    q.happens(at(0.5));
    CHECK(q.queue.sizes().backoff == 1);
    CHECK(q.pop() == "p");
  }
  SECTION("something else is") {
    q.happens(at(0.5));
    q.queue.add(pod("other"), at(0.5));
    CHECK(q.pop() == "other");
  }
  SECTION("it ends by itself") {
    q.happens(at(0.5));
    CHECK(q.queue.next_tick() == at(2));
    q.queue.tick(at(1.9));
    CHECK(q.queue.sizes().backoff == 1);
    q.queue.tick(at(2));
    CHECK(q.queue.sizes().active == 1);
  }
}

TEST_CASE("the back-off doubles with each attempt, up to its maximum") {
  Queue q;
  q.helps = true;
  q.queue.add(pod("p"), at(0));
  std::vector<std::int64_t> seconds;
  for (int i = 0; i < 6; ++i) {
    q.fail_next(at(0));
    q.happens(at(0));
    const auto wait = *q.queue.next_tick() - at(0) - std::chrono::seconds(1);
    seconds.push_back(std::chrono::floor<std::chrono::seconds>(wait).count());
  }
  CHECK(seconds == std::vector<std::int64_t>{1, 2, 4, 8, 10, 10});
}

TEST_CASE("no maximum, no back-off") {
  Queue q({.max_backoff = Duration(0)});
  q.helps = true;
  q.queue.add(pod("p"), at(0));
  q.fail_next(at(0));
  q.happens(at(0));
  CHECK(q.queue.sizes().active == 1);
}

TEST_CASE("an error backs off at once, is not hurried, and ends a count of its own") {
  Queue q;
  q.queue.add(pod("p"), at(0));
  q.fail_next(at(0), 0);
  CHECK(q.queue.sizes().backoff == 1);
  CHECK(q.pop().empty());
  q.queue.tick(at(2));
  q.fail_next(at(2), 0);
  CHECK(*q.queue.next_tick() == at(5));  // two errors: two seconds
  q.queue.tick(at(5));
  q.fail_next(at(5));
  q.queue.tick(at(400));
  q.fail_next(at(400), 0);
  CHECK(*q.queue.next_tick() == at(402));  // one error again
}

TEST_CASE("what happens during a pod's cycle is heard when it returns") {
  Queue q;
  q.queue.add(pod("p"), at(0));
  QueuedPod popped;
  q.pop(&popped);
  popped.rejectors = plugin::extender;
  q.helps = true;
  SECTION("an event of the cluster") {
    q.happens(at(0));
  }
  SECTION("a change of the pod") {
    q.queue.update(pod("p"), pod("p"), at(0));
  }
  q.queue.add_unschedulable(popped, at(0));
  CHECK(q.queue.sizes().backoff == 1);
}

TEST_CASE("what happened before a pod's cycle, or after it is done, is not heard") {
  Queue q;
  q.helps = true;
  q.queue.add(pod("p"), at(0));
  q.happens(at(0));
  q.fail_next(at(0));
  CHECK(q.queue.sizes().unschedulable == 1);
  q.happens(at(5));
  q.pop();
  q.happens(at(5));
  q.queue.done();
  q.queue.add(pod("p"), at(6));
  q.fail_next(at(6));
  CHECK(q.queue.sizes().unschedulable == 1);
}

TEST_CASE("a pod that comes back from its binding may have missed anything") {
  Queue q;
  q.queue.add(pod("p"), at(0));
  QueuedPod popped;
  q.pop(&popped);
  q.queue.done();
  popped.rejectors = plugin::extender;
  q.queue.add_unschedulable(popped, at(0));
  CHECK(q.queue.sizes().backoff == 1);
}

TEST_CASE("after five minutes a rejected pod is tried again, at the next half minute") {
  Queue q;
  q.queue.add(pod("p"), at(0));
  q.fail_next(at(0));
  CHECK(q.queue.next_tick() == at(330));
  q.queue.tick(at(329.9));
  CHECK(q.queue.sizes().unschedulable == 1);
  q.queue.tick(at(330));
  CHECK(q.queue.sizes().active == 1);
}

TEST_CASE("an end of a nomination wakes only pods that do not come before it") {
  Queue q;
  q.helps = true;
  for (const auto priority : {1, 2, 3}) {
    q.queue.add(pod("p" + std::to_string(priority), priority), at(0));
    q.fail_next(at(0));
  }
  q.queue.move_all({ClusterEvent::Type::assigned_pod_deleted, nullptr, nullptr}, at(10), 2);
  CHECK(q.queue.sizes().active == 2);
  CHECK(q.pop() == "p2");
}

TEST_CASE("a change of a rejected pod counts if it may help, and a removed pod is gone") {
  Queue q;
  q.queue.add(pod("p"), at(0));
  q.fail_next(at(0));
  q.queue.update(pod("p"), pod("p", 7), at(10));
  CHECK(q.queue.sizes().unschedulable == 1);
  q.helps = true;
  q.queue.update(pod("p"), pod("p", 7), at(10));
  CHECK(q.queue.sizes().active == 1);
  q.queue.update(pod("new"), pod("new"), at(10));  // not known yet
  CHECK(q.queue.sizes().active == 2);
  q.queue.remove(Uid("p"));
  q.queue.remove(Uid("p"));
  CHECK(q.pop() == "new");
  CHECK_FALSE(q.queue.next_tick());
}

TEST_CASE("errors back off by themselves and cannot be hurried") {
  SchedulerWorld c;
  c.nodes(1);
  const auto pod = c.add(make_pod("p0"));
  const auto seconds = [&](const std::vector<Time>& times) {
    std::vector<std::int64_t> list;
    for (const auto time : times) {
      list.push_back(std::chrono::floor<std::chrono::seconds>(time - at(0)).count());
    }
    return list;
  };
  SECTION("of filter") {
    c.filter = [](const auto&) { return extender::FilterResponse{{}, {}, {}, "broken"}; };
    c.run(at(5.5));
    REQUIRE(c.server.write(
        engine::SetPodCondition{pod.key(), pod.meta.uid, {"X", "True", "", "", {}}}, c.now));
    c.run(at(40));
    CHECK(seconds(c.filter_times) == std::vector<std::int64_t>{0, 2, 5, 10, 19, 30});
    CHECK(c.pod("p0").conditions.back().reason == "SchedulerError");
    CHECK(c.pod("p0").conditions.back().message == "broken");
  }
  SECTION("of bind: each time a new cycle") {
    c.bind = [](const auto&) { return std::string("no"); };
    c.run(at(6));
    CHECK(seconds(c.bind_times) == std::vector<std::int64_t>{0, 2, 5});
    CHECK(c.filter_times.size() == 3);
  }
  SECTION("a node that was not offered is one") {
    c.filter = [](const auto&) { return only("elsewhere"); };
    c.run(at(1));
    CHECK(c.pod("p0").conditions.front().reason == "SchedulerError");
  }
}

TEST_CASE("priority first, then age; a bind does not hold up the next pod") {
  SchedulerWorld c;
  c.nodes(1);
  std::vector<std::string> order;
  c.filter = [&](const auto& request) {
    order.push_back(request.pod.meta.name);
    return only("n0");
  };
  auto important = make_pod("important");
  important.priority = 10;
  c.add(make_pod("first"));
  c.add(make_pod("second"));
  c.add(important);
  // All three are seen before the first cycle's answer comes.
  SchedulerCommands commands;
  for (auto& watch : c.watches) {
    for (auto events = c.server.poll(watch, 9).value(); const auto& event : events) {
      const auto more = c.scheduler.step(event, c.now);
      commands.insert(commands.end(), more.begin(), more.end());
    }
  }
  REQUIRE(commands.size() == 1);
  c.carry(commands);
  CHECK(order == std::vector<std::string>{"first", "important", "second"});
}

}  // namespace dray::sim::scheduling_queue_test
