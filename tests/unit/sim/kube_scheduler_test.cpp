#include "dray/sim/kube_scheduler.h"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/objects/claims.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::kube_scheduler_test {

using namespace dray::sim;
using namespace dray::testing;

namespace {

extender::FilterResponse only(const std::string& node) {
  return {.node_names = {NodeName(node)}, .failed = {}, .failed_unresolvable = {}, .error = ""};
}

extender::FilterResponse none_of(const extender::FilterRequest& request,
                                 const std::string& reason = "dray: no devices") {
  extender::FilterResponse response;
  if (request.node_names) response.failed_unresolvable[reason] = *request.node_names;
  return response;
}

/// A server, the scheduler, which sees each change at once, and an extender by hand.
struct Cluster {
  ApiServer server;
  KubeScheduler scheduler;
  std::vector<Watch> watches;
  Time now = at(0);
  std::function<extender::FilterResponse(const extender::FilterRequest&)> filter =
      [](const auto& request) { return extender::FilterResponse{*request.node_names, {}, {}, ""}; };
  std::function<extender::PrioritizeResponse(const extender::FilterRequest&)> prioritize =
      [](const auto&) { return extender::PrioritizeResponse(); };
  std::function<std::string(const CallBind&)> bind = [this](const CallBind& call) {
    const auto done = server.bind(call.request.pod, call.request.uid, call.request.node, now);
    return done ? "" : done.error().message;
  };
  std::function<extender::PreemptResponse(const extender::PreemptRequest&)> preempt =
      [](const auto& request) { return extender::PreemptResponse{request.victims}; };
  std::vector<std::vector<NodeName>> offered;  ///< of each filter call
  std::vector<Time> filter_times;
  std::vector<Time> bind_times;

  explicit Cluster(KubeSchedulerOptions options = {}) : scheduler(std::move(options)) {
    for (const auto kind : {Kind::node, Kind::pod, Kind::resource_claim, Kind::resource_slice}) {
      watches.push_back(ApiServer::watch(kind, 1));
    }
  }

  void nodes(int count, std::int64_t cpus = 8) {
    for (int i = 0; i < count; ++i) add(make_node("n" + std::to_string(i), cpus));
  }
  template <class T>
  T add(T object) {
    auto stored = server.create(std::move(object), now);
    REQUIRE(stored);
    return std::get<T>(*stored);
  }
  [[nodiscard]] const Pod& pod(const std::string& name) const {
    return *server.find<Pod>("default", name);
  }
  [[nodiscard]] std::string node_of(const std::string& name) const {
    return pod(name).node_name ? pod(name).node_name->get() : "";
  }
  [[nodiscard]] std::string message(const std::string& name) const {
    return pod(name).conditions.empty() ? "" : pod(name).conditions.back().message;
  }

  void carry(const SchedulerCommands& commands) {
    for (const auto& command : commands) {
      std::visit([&](const auto& one) { answer(one); }, command);
    }
  }
  void answer(const CallFilter& call) {
    if (call.request.node_names) offered.push_back(*call.request.node_names);
    filter_times.push_back(now);
    step(FilterAnswered{call.id, filter(call.request)});
  }
  void answer(const CallPrioritize& call) {
    step(PrioritizeAnswered{call.id, prioritize(call.request)});
  }
  void answer(const CallPreempt& call) { step(PreemptAnswered{call.id, preempt(call.request)}); }
  void answer(const CallBind& call) {
    bind_times.push_back(now);
    step(BindAnswered{call.id, extender::BindResponse{bind(call)}});
  }
  template <class Write>
  void answer(const Write& write) {
    carry_out(write, server, now);
  }
  void step(const SchedulerInput& input) { carry(scheduler.step(input, now)); }

  /// Tells the scheduler all changes, in their order.
  void settle() {
    for (bool busy = true; busy;) {
      std::map<std::uint64_t, WatchEvent> in_order;
      for (auto& watch : watches) {
        const auto events = server.poll(watch, 1000).value();
        for (const auto& event : events) in_order[event.revision] = event;
      }
      for (const auto& [revision, event] : in_order) step(event);
      busy = !in_order.empty();
    }
  }
  /// Lets time pass until `end`.
  void run(Time end) {
    for (;;) {
      settle();
      const auto next = scheduler.next_tick();
      if (!next || *next > end) break;
      now = std::max(now, *next);
      step(TimePassed{});
    }
    now = end;
  }
};

}  // namespace

TEST_CASE("a pod goes through filter and bind") {
  Cluster c;
  c.nodes(3);
  c.filter = [](const auto&) { return only("n1"); };
  c.add(make_pod("p0"));
  c.settle();
  CHECK(c.node_of("p0") == "n1");
  CHECK(c.offered.size() == 1);
  CHECK(c.offered.front().size() == 3);
  REQUIRE(!c.server.events().empty());
  CHECK(c.server.events().back().event.note == "Successfully assigned default/p0 to n1");
}

TEST_CASE("other schedulers' and gated pods are left alone") {
  Cluster c;
  c.nodes(1);
  c.add(of_scheduler("default-scheduler", make_pod("other")));
  auto gated = make_pod("gated");
  gated.scheduling_gates = {"dray.dev/admission"};
  gated = c.add(gated);
  c.run(at(600));
  CHECK(c.offered.empty());
  CHECK(c.scheduler.queues().gated == 1);
  REQUIRE(c.server.write(engine::LiftGate{gated.key(), gated.meta.uid, {}}, c.now));
  c.settle();
  CHECK(c.node_of("gated") == "n0");
}

TEST_CASE("in-tree filters come first, and the extender is not called for nothing") {
  Cluster c;
  auto cordoned = make_node("n0");
  cordoned.unschedulable = true;
  c.add(cordoned);
  auto tainted = make_node("n1");
  tainted.taints = {{"gpu", "", "NoSchedule"}};
  c.add(tainted);
  c.add(make_node("n2", 0));
  SECTION("no node is left") {
    c.add(make_pod("p0"));
    c.settle();
    CHECK(c.offered.empty());
    CHECK(c.message("p0") ==
          "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
          "1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not "
          "helpful for scheduling.");
    CHECK(c.pod("p0").conditions.back().reason == "Unschedulable");
    SECTION("a node that fits wakes it, and not before its time") {
      c.add(make_node("n3"));
      c.settle();
      CHECK(c.node_of("p0") == "n3");
    }
    SECTION("its own condition does not") {
      c.run(at(200));
      CHECK(c.server.events().size() == 1);
    }
  }
  SECTION("the extender gets the rest") {
    c.add(make_node("n3"));
    c.add(make_pod("p0"));
    c.settle();
    REQUIRE(c.offered.size() == 1);
    CHECK(c.offered.front() == std::vector<NodeName>{NodeName("n3")});
  }
}

TEST_CASE("a pod that the extender refuses is tried twice, then wakes on almost anything") {
  Cluster c;
  c.nodes(2);
  c.filter = [](const auto& request) { return none_of(request); };
  const auto pod = c.add(make_pod("p0"));
  c.run(at(0.5));
  // The second attempt is the scheduler's own doing: it wakes on its PodScheduled=False.
  CHECK(c.offered.size() == 2);
  CHECK(c.message("p0").starts_with("0/2 nodes are available: 2 dray: no devices. preemption: "));
  SECTION("silence") {
    c.run(at(299));
    CHECK(c.offered.size() == 2);
    c.run(at(400));
    CHECK(c.offered.size() == 3);  // after five minutes
  }
  SECTION("a condition of the pod") {
    c.run(at(20));
    REQUIRE(c.server.write(
        engine::SetPodCondition{pod.key(), pod.meta.uid, {"DrayAdmitted", "False", "R", "", {}}},
        c.now));
    c.settle();
    CHECK(c.offered.size() == 3);
  }
  SECTION("somebody's claim") {
    c.run(at(20));
    c.add(make_claim("c0", 1));
    c.settle();
    CHECK(c.offered.size() == 3);
  }
  SECTION("but not a ResourceSlice") {
    c.run(at(20));
    ResourceSlice slice;
    slice.meta.name = "s0";
    c.add(slice);
    c.run(at(100));
    CHECK(c.offered.size() == 2);
  }
}

TEST_CASE("texts that change make a hot loop") {
  Cluster c;
  c.nodes(2);
  int calls = 0;
  c.filter = [&](const auto& request) {
    return none_of(request, ++calls < 50 ? "waited " + std::to_string(calls) : "waited long");
  };
  c.add(make_pod("p0"));
  c.run(at(0.5));
  CHECK(calls == 51);
}

TEST_CASE("the nominated node is asked alone, first") {
  Cluster c;
  c.nodes(3);
  auto gated = make_pod("p0");
  gated.scheduling_gates = {"dray.dev/admission"};
  gated = c.add(gated);
  REQUIRE(c.server.write(engine::NominateNode{gated.key(), gated.meta.uid, NodeName("n2")}, c.now));
  REQUIRE(c.server.write(engine::LiftGate{gated.key(), gated.meta.uid, {}}, c.now));
  SECTION("and taken") {
    c.settle();
    REQUIRE(c.offered.size() == 1);
    CHECK(c.offered.front() == std::vector<NodeName>{NodeName("n2")});
    CHECK(c.node_of("p0") == "n2");
    CHECK(!c.pod("p0").nominated_node);
  }
  SECTION("then all are") {
    c.filter = [](const auto& request) {
      return request.node_names->size() == 1 ? none_of(request) : only("n0");
    };
    c.settle();
    REQUIRE(c.offered.size() == 2);
    CHECK(c.offered.back().size() == 3);
    CHECK(c.node_of("p0") == "n0");
  }
  SECTION("a failed cycle clears it") {
    c.filter = [](const auto& request) { return none_of(request); };
    c.settle();
    CHECK(!c.pod("p0").nominated_node);
    CHECK(c.offered.size() == 3);  // nominated, all; then all once more
  }
}

TEST_CASE("errors back off by themselves and cannot be hurried") {
  Cluster c;
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
    CHECK(c.pod("p0").conditions.front().reason == "SchedulerError");
    CHECK(c.pod("p0").conditions.front().message == "broken");
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
  Cluster c;
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

TEST_CASE("assumed pods hold their node's resources until the bind fails") {
  Cluster c;
  c.nodes(1, 1);
  std::vector<CallBind> held;
  const auto collect = [&](const SchedulerCommands& commands) {
    for (const auto& command : commands) {
      if (const auto* bind = std::get_if<CallBind>(&command)) {
        held.push_back(*bind);
      } else if (const auto* filter = std::get_if<CallFilter>(&command)) {
        const auto more =
            c.scheduler.step(FilterAnswered{filter->id, c.filter(filter->request)}, c.now);
        for (const auto& next : more) {
          if (const auto* late = std::get_if<CallBind>(&next)) held.push_back(*late);
        }
      } else {
        carry_out(command, c.server, c.now);
      }
    }
  };
  const auto settle = [&] {
    for (auto& watch : c.watches) {
      for (auto events = c.server.poll(watch, 9).value(); const auto& event : events) {
        collect(c.scheduler.step(event, c.now));
      }
    }
  };
  c.add(make_pod("p0"));
  c.add(make_pod("p1"));
  settle();
  settle();
  REQUIRE(held.size() == 1);
  CHECK(held.front().request.pod.name == "p0");
  CHECK(c.message("p1").starts_with("0/1 nodes are available: 1 Insufficient cpu."));
  SECTION("failed: the other pod gets it") {
    collect(c.scheduler.step(BindAnswered{held.front().id, fail(ErrorCode::unavailable, "timeout")},
                             c.now));
    settle();
    REQUIRE(held.size() == 2);
    CHECK(held.back().request.pod.name == "p1");
  }
  SECTION("deleted meanwhile: the same") {
    REQUIRE(c.server.remove(Kind::pod, "default", "p0", {}, c.now));
    settle();
    REQUIRE(held.size() == 2);
    CHECK(held.back().request.pod.name == "p1");
    collect(c.scheduler.step(BindAnswered{held.front().id, fail(ErrorCode::unavailable, "gone")},
                             c.now));
    c.now = at(60);
    collect(c.scheduler.step(TimePassed{}, c.now));
    CHECK(held.size() == 2);
  }
  SECTION("bound after all, though the answer was lost: not tried again") {
    const auto& request = held.front().request;
    REQUIRE(c.server.bind(request.pod, request.uid, request.node, c.now));
    settle();
    collect(c.scheduler.step(BindAnswered{held.front().id, fail(ErrorCode::unavailable, "timeout")},
                             c.now));
    c.now = at(60);
    collect(c.scheduler.step(TimePassed{}, c.now));
    CHECK(held.size() == 1);
  }
}

TEST_CASE("prioritize decides, and is skipped with one node") {
  Cluster c;
  c.nodes(4);
  int calls = 0;
  c.prioritize = [&](const auto& request) {
    ++calls;
    extender::PrioritizeResponse scores;
    for (const auto& node : *request.node_names)
      scores.push_back({node, node.get() == "n2" ? 3 : 1});
    return scores;
  };
  c.add(make_pod("p0"));
  c.settle();
  CHECK(c.node_of("p0") == "n2");
  CHECK(calls == 1);
  c.filter = [](const auto&) { return only("n1"); };
  c.add(make_pod("p1"));
  c.settle();
  CHECK(calls == 1);
}

TEST_CASE("ties break at random, the same with the same seed") {
  const auto run = [](std::uint64_t seed) {
    Cluster c({.seed = seed});
    c.nodes(5);
    std::string nodes;
    for (int i = 0; i < 8; ++i) {
      c.add(make_pod("p" + std::to_string(i)));
      c.settle();
      nodes += c.node_of("p" + std::to_string(i));
    }
    return nodes;
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("full nodes are sent where the extender keeps no cache") {
  Cluster c({.node_cache_capable = false});
  c.nodes(2);
  std::size_t sent = 0;
  c.filter = [&](const auto& request) {
    CHECK(!request.node_names);
    sent = request.nodes->size();
    return only("n1");
  };
  c.add(make_pod("p0"));
  c.settle();
  CHECK(sent == 2);
  CHECK(c.node_of("p0") == "n1");
}

TEST_CASE("preemption") {
  Cluster c;
  c.nodes(2, 2);
  for (int i = 0; i < 4; ++i) {
    c.add(make_pod("low" + std::to_string(i)));
    c.settle();
  }
  auto high = make_pod("high");
  high.priority = 100;
  high.containers.front().requests["cpu"] = Quantity(1);
  SECTION("the fewest victims; the extender may drop nodes") {
    std::size_t candidates = 0;
    c.preempt = [&](const auto& request) {
      candidates = request.victims.size();
      extender::PreemptResponse response;
      response.victims.insert(*request.victims.rbegin());
      return response;
    };
    c.add(high);
    c.settle();
    CHECK(candidates == 2);
    int marked = 0;
    for (int i = 0; i < 4; ++i) {
      const auto& victim = c.pod("low" + std::to_string(i));
      if (!victim.meta.deleted) continue;
      ++marked;
      CHECK(victim.node_name == NodeName("n1"));
    }
    CHECK(marked == 1);
    CHECK(c.pod("high").nominated_node == NodeName("n1"));
  }
  SECTION("a veto") {
    c.preempt = [](const auto&) { return extender::PreemptResponse(); };
    c.add(high);
    c.settle();
    CHECK(c.message("high").ends_with("preemption: no candidate node for preemption"));
  }
  SECTION("nobody is lower") {
    high.priority = 0;
    c.add(high);
    c.settle();
    CHECK(c.message("high").starts_with("0/2 nodes are available: 2 Insufficient cpu."));
  }
}

}  // namespace dray::kube_scheduler_test
