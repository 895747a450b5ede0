#include "service/engine_strand.h"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>

#include "dray/base/check.h"
#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::engine_strand_test {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;
using dray::testing::make_claim;
using dray::testing::make_class;
using dray::testing::make_gpus;
using dray::testing::make_node;
using dray::testing::make_pod;
using testing::FakeCluster;
using testing::Watched;

engine::Options engine_options(Duration reservation_life) {
  engine::Options options;
  options.reservation_life = reservation_life;
  return options;
}

PlanWorker::MakePlan plan_for_real() {
  const auto planner = std::make_shared<planner::Planner>();
  return [planner](const planner::PlanInput& input) { return planner->plan(input); };
}

/// The engine on its strand before a cluster that says yes, with the fence open.
struct Bench {
  explicit Bench(Duration reservation_life = 90s, PlanWorker::MakePlan make_plan = plan_for_real())
      : strand(
            loop.io, engine_options(reservation_life),
            {cluster, clock, fence, metrics, std::move(make_plan), [this](const std::string& what) {
               broken.change([&](auto& all) { all.push_back(what); });
             }}) {
    fence.open_for_good();
  }
  ~Bench() { loop.stop(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// A step whose effect is one write, of the pod of that name.
  void post_write(const std::string& pod) {
    strand.post("test", [pod](engine::Engine&, Time) {
      engine::Effects effects;
      effects.emplace_back(
          engine::SendWrite{engine::WriteId(1'000'000), engine::ReadPod{{"default", pod}}});
      return effects;
    });
  }
  void post_break() {
    strand.post("test", [](engine::Engine&, Time) -> engine::Effects {
      DRAY_CHECK(1 + 1 == 3);
      return {};
    });
  }
  bool is_broken() {
    return broken.wait([](const auto& all) { return !all.empty(); });
  }
  /// All that was posted before has been done.
  engine::Engine::Status status() { return loop.run(strand.status()); }
  std::string page() { return metrics.page({}); }
  bool page_shows(const std::string& line) {
    return testing::eventually(
        [&] { return page().find("\n" + line + "\n") != std::string::npos; });
  }

  void tell(KubeObject object) { strand.post(cluster::ObjectChanged{std::move(object)}); }
  /// One node with a device, one gated pod that wants it, and leadership.
  void add_pod() {
    tell(make_class());
    tell(make_node("n0"));
    tell(make_gpus("n0", 1));
    tell(make_claim("c", 1));
    tell(make_pod("p", "c"));
    strand.post(engine::Synced{});
    strand.post(engine::LeadershipChanged{true, 1});
  }
  std::shared_ptr<const extender::FilterRequest> filter_request() {
    auto request = std::make_shared<extender::FilterRequest>();
    request->pod = make_pod("p", "c", false);
    request->node_names = {NodeName("n0")};
    return request;
  }
  static extender::BindRequest bind_request() {
    return {{"default", "p"}, Uid("uid-p"), NodeName("n0")};
  }

  Clock clock;
  Fence fence;
  metrics::Metrics metrics{"x"};
  Watched<std::vector<std::string>> broken;
  net::testing::Loop loop;
  FakeCluster cluster{loop.io};
  EngineStrand strand;
};

}  // namespace

TEST_CASE("a write goes out, is counted, and its outcome comes back as a step") {
  Bench bench;
  bench.post_write("p");
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.sent.size() == 1; }));
  CHECK(engine::subject(bench.cluster.seen.get().sent[0]) == "default/p");
  CHECK(bench.page_shows("dray_api_writes_total{kind=\"ReadPod\",result=\"ok\"} 1"));
  CHECK(bench.page_shows("dray_api_write_duration_seconds_count{kind=\"ReadPod\"} 1"));
  CHECK(bench.page_shows("dray_engine_step_duration_seconds_count{cause=\"written\"} 1"));
  CHECK(bench.page_shows("dray_engine_step_duration_seconds_count{cause=\"test\"} 1"));
}

TEST_CASE("a closed fence lets no write out, and the engine is told so") {
  Bench bench;
  bench.fence.close();
  bench.post_write("p");
  REQUIRE(bench.page_shows("dray_api_writes_total{kind=\"ReadPod\",result=\"unavailable\"} 1"));
  REQUIRE(bench.page_shows("dray_engine_step_duration_seconds_count{cause=\"written\"} 1"));
  CHECK(bench.cluster.seen.get().asked.empty());
}

TEST_CASE("a write that still waits when the fence closes is not sent") {
  Bench bench;
  bench.cluster.hold("ReadPod");
  bench.post_write("p");
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.asked.size() == 1; }));
  bench.fence.close();
  bench.cluster.let_go("ReadPod");
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.not_permitted == 1; }));
  CHECK(bench.cluster.seen.get().sent.empty());
}

TEST_CASE("the last writes: those under way are waited for, within bounds, and none is begun") {
  Bench bench;
  bench.cluster.hold("ReadPod");
  bench.post_write("first");
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.asked.size() == 1; }));
  CHECK_FALSE(bench.loop.run(bench.strand.finish_writes(1ms)));
  bench.post_write("second");
  REQUIRE(bench.page_shows("dray_engine_step_duration_seconds_count{cause=\"written\"} 1"));
  CHECK(bench.cluster.seen.get().asked.size() == 1);
  bench.cluster.let_go("ReadPod");
  CHECK(bench.loop.run(bench.strand.finish_writes(testing::patience)));
  CHECK(bench.cluster.seen.get().sent.size() == 1);
  // Its outcome has come back as a step.
  CHECK(bench.page_shows("dray_engine_step_duration_seconds_count{cause=\"written\"} 2"));
}

TEST_CASE("a gated pod is planned on the worker and lifted") {
  Bench bench;
  bench.add_pod();
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("LiftGate") == 1; }));
  const auto view = bench.loop.run(bench.strand.pod({"default", "p"}));
  REQUIRE(view);
  REQUIRE(view->placement);
  CHECK(view->placement->node == NodeName("n0"));
  CHECK_FALSE(bench.loop.run(bench.strand.pod({"default", "other"})));
  const auto status = bench.status();
  CHECK(status.synced);
  CHECK(status.leading);
  CHECK(status.nodes == 1);
  CHECK(status.plans_made >= 1);
  CHECK(bench.page_shows("dray_plan_jobs_total 1"));
}

TEST_CASE("the four verbs are the engine's") {
  Bench bench;
  bench.add_pod();
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("LiftGate") == 1; }));
  const auto filtered = bench.loop.run(bench.strand.filter(bench.filter_request()));
  CHECK(filtered.error.empty());
  CHECK(filtered.node_names == std::vector{NodeName("n0")});
  const auto scores = bench.loop.run(bench.strand.prioritize(*bench.filter_request()));
  REQUIRE(scores.size() == 1);
  CHECK(scores[0].score == 10);
  extender::PreemptRequest preempt{make_pod("p", "c", false), {{NodeName("n0"), {{Uid("v")}, 0}}}};
  CHECK(bench.loop.run(bench.strand.preempt(preempt)).victims.size() == 1);
  // A pod that dray has never heard of cannot be bound.
  const auto bound =
      bench.loop.run(bench.strand.bind({{"default", "stranger"}, Uid("uid-s"), NodeName("n0")}));
  CHECK_FALSE(bound.error.empty());
  CHECK(bench.page_shows("dray_engine_step_duration_seconds_count{cause=\"filter\"} 1"));
  CHECK(bench.page_shows("dray_engine_step_duration_seconds_count{cause=\"bind\"} 1"));
}

TEST_CASE("a bind waits for its writes and is answered when they have failed") {
  Bench bench;
  bench.add_pod();
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("LiftGate") == 1; }));
  bench.cluster.hold("ProtectClaim");
  auto answer = bench.loop.start(bench.strand.bind(Bench::bind_request()));
  REQUIRE(bench.cluster.seen.wait(
      [](const auto& all) { return std::ranges::count(all.asked, "ProtectClaim") == 1; }));
  CHECK(bench.status().binds_in_flight == 1);
  bench.fence.close();
  bench.cluster.let_go("ProtectClaim");
  REQUIRE(answer.wait_for(testing::patience) == std::future_status::ready);
  CHECK_FALSE(answer.get().error.empty());
  CHECK(bench.cluster.seen.get().count("BindPod") == 0);
}

TEST_CASE("a bind keeps its turn until the engine knows of it, not until its writes are done") {
  Bench bench;
  bench.add_pod();
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("LiftGate") == 1; }));
  bench.cluster.hold("ProtectClaim");
  RequestQueue queue(bench.loop.io, {.at_a_time = 1, .waiting = 1, .wait_time = testing::patience});
  auto turn = bench.loop.run(queue.enter({})).value();
  auto bound = bench.loop.start(bench.strand.bind(Bench::bind_request(), std::move(turn)));
  CHECK(bench.loop.run(queue.enter({})));
  CHECK(bound.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
  bench.cluster.let_go("ProtectClaim");
  bound.get();
}

TEST_CASE("the engine's timers ring: a reservation that nobody asks for runs out") {
  Bench bench(20ms);
  bench.add_pod();
  CHECK(testing::eventually([&] { return bench.status().reservations_expired >= 1; }));
}

// ---- Broken invariants ----

TEST_CASE("a broken invariant shuts the fence for good, counts, and is told with file and line") {
  Bench bench;
  bench.post_break();
  REQUIRE(bench.is_broken());
  CHECK_THAT(bench.broken.get()[0],
             Contains("engine_strand_test.cpp:") && Contains(": 1 + 1 == 3"));
  bench.fence.open_for_good();
  CHECK_FALSE(bench.fence.open(bench.clock.now()));
  CHECK_THAT(bench.page(), Contains("\ndray_broken_invariants_total 1\n"));
}

TEST_CASE("an exception that leaves the engine is a broken invariant") {
  Bench bench;
  bench.strand.post(
      "test", [](engine::Engine&, Time) -> engine::Effects { throw std::out_of_range("map::at"); });
  REQUIRE(bench.is_broken());
  CHECK(bench.broken.get()[0] == "exception: map::at");
}

TEST_CASE("nothing steps the engine after a broken invariant, and a second one is not counted") {
  Bench bench;
  bench.post_break();
  bench.post_write("p");
  bench.post_break();
  bench.strand.post(engine::Synced{});
  const auto status = bench.status();
  CHECK_FALSE(status.synced);
  CHECK(bench.cluster.seen.get().asked.empty());
  CHECK(bench.broken.get().size() == 1);
  CHECK_THAT(bench.page(), Contains("\ndray_broken_invariants_total 1\n") && !Contains("synced\""));
}

TEST_CASE("a write that waits when an invariant breaks is not sent") {
  Bench bench;
  bench.cluster.hold("ReadPod");
  bench.post_write("p");
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.asked.size() == 1; }));
  bench.post_break();
  REQUIRE(bench.is_broken());
  bench.cluster.let_go("ReadPod");
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.not_permitted == 1; }));
  CHECK(bench.cluster.seen.get().sent.empty());
}

TEST_CASE("calls of kube-scheduler are answered after a broken invariant, with the fault") {
  Bench bench;
  bench.add_pod();
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("LiftGate") == 1; }));
  bench.cluster.hold("ProtectClaim");
  auto waits = bench.loop.start(bench.strand.bind(Bench::bind_request()));
  REQUIRE(bench.cluster.seen.wait(
      [](const auto& all) { return std::ranges::count(all.asked, "ProtectClaim") == 1; }));
  bench.post_break();
  constexpr auto fault = "dray has stopped: it found a fault of its own";
  REQUIRE(waits.wait_for(testing::patience) == std::future_status::ready);
  CHECK(waits.get().error == fault);
  CHECK(bench.loop.run(bench.strand.bind(Bench::bind_request())).error == fault);
  const auto filtered = bench.loop.run(bench.strand.filter(bench.filter_request()));
  CHECK(filtered.error == fault);
  CHECK(filtered.node_names.empty());
  CHECK(bench.loop.run(bench.strand.prioritize(*bench.filter_request())).empty());
  extender::PreemptRequest preempt{make_pod("p", "c", false), {{NodeName("n0"), {{Uid("v")}, 0}}}};
  CHECK(bench.loop.run(bench.strand.preempt(preempt)).victims.empty());
  CHECK_FALSE(bench.loop.run(bench.strand.pod({"default", "p"})));
  bench.cluster.let_go("ProtectClaim");
}

TEST_CASE("after a broken invariant the status is what was last seen, and leads no more") {
  Bench bench;
  bench.add_pod();
  REQUIRE(testing::eventually([&] { return bench.status().nodes == 1; }));
  REQUIRE(testing::eventually([&] { return bench.status().leading; }));
  bench.tell(make_node("n1"));
  bench.post_break();
  const auto status = bench.status();
  CHECK(status.nodes == 1);
  CHECK(status.synced);
  CHECK_FALSE(status.leading);
}

TEST_CASE("an invariant that breaks in a plan stops the engine too") {
  Bench bench(90s, [](const planner::PlanInput& input) -> planner::Plan {
    DRAY_CHECK(input.jobs.empty());
    return {};
  });
  bench.add_pod();
  REQUIRE(bench.is_broken());
  CHECK_THAT(bench.broken.get()[0], Catch::StartsWith("plan: ") && Contains("input.jobs.empty()"));
  CHECK_FALSE(bench.fence.open(bench.clock.now()));
  CHECK_FALSE(bench.status().leading);
}

TEST_CASE("an invariant that breaks while the engine answers a verb stops it") {
  Bench bench;
  bench.strand.post("test",
                    [](engine::Engine&, Time) -> engine::Effects { throw std::bad_alloc(); });
  const auto filtered = bench.loop.run(bench.strand.filter(bench.filter_request()));
  CHECK_FALSE(filtered.error.empty());
}

}  // namespace dray::service::engine_strand_test
