#include <catch2/catch.hpp>

#include "tests/unit/engine/benches.h"

// Taking a plan's evictions: victims are asked for, go, and their room is held. Plans are made by
// hand.

namespace dray::engine::planning_evictions_test {
namespace {

using namespace std::chrono_literals;

/// What came of the evictions of the plans here, which reclaim.
Engine::EvictionFigures reclaimed(const Bench& bench) {
  return bench.engine.status().evictions.at(
      static_cast<std::size_t>(planner::EvictionCause::reclaim));
}

TEST_CASE("victims are asked for first; then they go, and their room is held") {
  EvictionBench bench;
  const auto asked = bench.take_write<EvictPod>();
  REQUIRE(asked);
  CHECK(asked->second.dry_run);
  CHECK(!bench.take_write<EvictPod>());
  bench.done(asked->first);
  const auto evicted = bench.take_write<EvictPod>();
  REQUIRE(evicted);
  CHECK(!evicted->second.dry_run);
  bench.done(evicted->first);
  CHECK(reclaimed(bench).evicted == 1);
  const auto event = bench.take_write<RecordEvent>();
  REQUIRE(event);
  CHECK(event->second.event.reason == "Reclaim");
  CHECK(event->second.event.note == "dray: old makes room for new");
  bench.planned({});
  const auto& input = bench.input();
  REQUIRE(input.holds.size() == 1);
  CHECK(input.holds[0].job == Uid("uid-new"));
  const auto old = std::ranges::find(input.jobs, Uid("uid-old"), &planner::Job::uid);
  REQUIRE(old != input.jobs.end());
  CHECK((*old)->members[0].state == planner::MemberState::leaving);
  CHECK((*old)->evicted == bench.now);
}

TEST_CASE("why a pod was evicted is told although it is gone already") {
  EvictionBench bench;
  bench.done(bench.take_write<EvictPod>().value().first);
  const auto evicted = bench.take_write<EvictPod>();
  REQUIRE(evicted);
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
  bench.done(evicted->first);
  const auto event = bench.take_write<RecordEvent>();
  REQUIRE(event);
  CHECK(event->second.pod == PodKey{"default", "old"});
  CHECK(event->second.uid == Uid("uid-old"));
  CHECK(event->second.event.note == "dray: old makes room for new");
}

TEST_CASE("nobody goes for a job that has its place by the time that the victim may go") {
  EvictionBench bench;
  const auto asked = bench.take_write<EvictPod>();
  REQUIRE(asked);
  bench.tell(running("new", "n0"));
  bench.done(asked->first);
  CHECK_FALSE(bench.take_write<EvictPod>());
  CHECK(reclaimed(bench).evicted == 0);
  CHECK(reclaimed(bench).refused == 0);
}

TEST_CASE("an eviction that came to nothing is not sent again for a job that has its place") {
  EvictionBench bench;
  bench.done(bench.take_write<EvictPod>().value().first);
  bench.done(bench.take_write<EvictPod>().value().first, fail(ErrorCode::unavailable, "lost"));
  bench.tell(running("new", "n0"));
  bench.now += 10s;
  bench.tick();
  CHECK_FALSE(bench.take_write<EvictPod>());
}

TEST_CASE("a victim that has finished is not evicted: that would delete what is left of it") {
  EvictionBench bench;
  bench.done(bench.take_write<EvictPod>().value().first);
  bench.done(bench.take_write<EvictPod>().value().first, fail(ErrorCode::unavailable, "lost"));
  auto finished = running("old", "n0");
  finished.phase = "Succeeded";
  bench.tell(finished);
  bench.now += 10s;
  bench.tick();
  CHECK_FALSE(bench.take_write<EvictPod>());
}

TEST_CASE("devices of a pod that has finished are about to be free: nobody is evicted for more") {
  EvictionBench bench;
  bench.planned({});
  auto finished = running("old", "n0");
  finished.phase = "Succeeded";
  bench.tell(finished);
  bench.planned({});
  bench.now += 1s;
  bench.tick();
  CHECK(bench.input().leaving ==
        std::vector{planner::LeavingClaim{{"default", "c-old"}, NodeName("n0")}});
}

TEST_CASE("a disruption budget in the way keeps the victim, and is not asked again at once") {
  EvictionBench bench;
  const auto asked = bench.take_write<EvictPod>();
  REQUIRE(asked);
  bench.done(asked->first, fail(ErrorCode::denied, "429"));
  CHECK(!bench.take_write<EvictPod>());
  CHECK(reclaimed(bench).refused == 1);
  bench.planned({});
  const auto& input = bench.input();
  CHECK(input.holds.empty());
  REQUIRE(input.disruption_budgets.size() == 1);
  CHECK(input.disruption_budgets[0].pods == std::vector{Uid("uid-old")});
  CHECK(input.disruption_budgets[0].allowed == 0);
  const auto old = std::ranges::find(input.jobs, Uid("uid-old"), &planner::Job::uid);
  REQUIRE(old != input.jobs.end());
  CHECK((*old)->members[0].state == planner::MemberState::placed);
}

TEST_CASE("a victim that is not what the plan saw spoils its set") {
  struct Row {
    std::string name;
    void (*change)(Bench&);
  };
  const auto row =
      GENERATE(Row{"gone",
                   [](Bench& bench) {
                     bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
                   }},
               Row{"being deleted",
                   [](Bench& bench) {
                     auto pod = running("old", "n0");
                     pod.meta.deleted = start;
                     bench.tell(pod);
                   }},
               Row{"finished",
                   [](Bench& bench) {
                     auto pod = running("old", "n0");
                     pod.phase = "Succeeded";
                     bench.tell(pod);
                   }},
               Row{"its beneficiary is gone", [](Bench& bench) {
                     bench.apply(cluster::ObjectGone{Kind::pod, "default", "new", Uid("uid-new")});
                   }});
  DYNAMIC_SECTION(row.name) {
    Bench bench({}, true);
    bench.add_nodes(1, 1);
    bench.tell(running("old", "n0"));
    bench.tell(claim_of("new"));
    bench.tell(make_pod("new", "c-new"));
    bench.tell(claim_of("third"));
    bench.tell(make_pod("third", "c-third"));
    bench.planned({});
    row.change(bench);
    bench.planned(EvictionBench::evict());
    CHECK_FALSE(bench.take_write<EvictPod>());
  }
}

TEST_CASE("a pod that is being evicted is not asked for twice") {
  EvictionBench bench;
  REQUIRE(bench.take_write<EvictPod>());
  bench.tell(make_node("n7"));
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
  CHECK(bench.engine.next_tick() == start + 100ms);
}

TEST_CASE("a pod that is being bound is not evicted") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  bench.tell(claim_of("new"));
  bench.tell(make_pod("new", "c-new"));
  auto victim = make_pod("old", "c-old", false);
  bench.tell(claim_of("old"));
  bench.tell(victim);
  bench.planned({});
  planner::Plan plan;
  plan.jobs.push_back(placed("old", "n0"));
  bench.planned(plan);
  bench.bind(victim, "n0", 1);
  bench.tell(make_node("n7"));
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
  // The whole set waits for a plan that knows of the bind.
  CHECK(bench.engine.next_tick() == start + 100ms);
  CHECK(bench.engine.status().binds_in_flight == 1);
}

TEST_CASE("a reservation is taken back without a word to the API server") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  bench.tell(claim_of("new"));
  bench.tell(make_pod("new", "c-new"));
  bench.tell(claim_of("old"));
  bench.tell(make_pod("old", "c-old"));
  bench.planned({});
  bench.planned(plan_of({placed("old", "n0")}));
  REQUIRE(bench.engine.pod({"default", "old"})->placement);
  bench.tell(make_node("n7"));
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
  CHECK_FALSE(bench.engine.pod({"default", "old"})->placement);
  CHECK(reclaimed(bench).evicted == 0);
}

/// For new, a bound pod is asked for together with one that only holds a reservation.
struct MixedVictims : Bench {
  explicit MixedVictims(Options options = {}) : Bench(std::move(options), true) {
    add_nodes(1, 2);
    tell(running("bound", "n0"));
    for (const auto* name : {"new", "reserved"}) {
      tell(claim_of(name));
      tell(make_pod(name, "c-" + std::string(name)));
    }
    planned({});
    planned(plan_of({placed("reserved", "n0")}));
    tell(make_node("n7"));
    auto plan = EvictionBench::evict();
    plan.evictions[0].job = Uid("uid-bound");
    plan.evictions[0].pods = {Uid("uid-bound")};
    plan.evictions.push_back(plan.evictions[0]);
    plan.evictions[1].job = Uid("uid-reserved");
    plan.evictions[1].pods = {Uid("uid-reserved")};
    planned(plan);
    asked = take_write<EvictPod>();
    REQUIRE(asked);
    CHECK(asked->second.pod.name == "bound");
  }
  planner::MemberState state_of(const std::string& pod) {
    planned({});
    tell(make_node("n8"));
    planned({});
    const auto& jobs = wanted.back().input->jobs;
    const auto job = std::ranges::find(jobs, Uid("uid-" + pod), &planner::Job::uid);
    REQUIRE(job != jobs.end());
    return (*job)->members[0].state;
  }

  std::optional<std::pair<WriteId, EvictPod>> asked;
};

TEST_CASE("while room is asked for that a reservation holds, that pod is not bound") {
  MixedVictims bench;
  const auto reserved = make_pod("reserved", "c-reserved");
  bench.bind(reserved, "n0", 1);
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error.find(text(Reason::room_kept)) != std::string::npos);
  CHECK(bench.engine.status().binds_in_flight == 0);
  bench.done(bench.asked->first);
  CHECK(!bench.engine.pod({"default", "reserved"})->placement);
  CHECK(bench.state_of("reserved") == planner::MemberState::waiting);
}

TEST_CASE("in mode advise that pod is told no node, and keeps its place until the others may go") {
  Options advise;
  advise.mode = Mode::advise;
  MixedVictims bench(advise);
  const auto reserved = make_pod("reserved", "c-reserved", false);
  CHECK(refusal(Reason::room_kept, bench.filter(reserved, {"n0"})) == "n0 ");
  CHECK(bench.engine.pod({"default", "reserved"})->placement);
}

TEST_CASE("a victim that was bound by somebody while its room was asked for stays") {
  MixedVictims bench;
  bench.tell(running("reserved", "n0"));
  bench.done(bench.asked->first);
  CHECK(bench.state_of("reserved") == planner::MemberState::placed);
  CHECK(bench.state_of("bound") == planner::MemberState::leaving);
}

TEST_CASE("victims of one beneficiary are one set, those of another another") {
  Bench bench({}, true);
  bench.add_nodes(1, 2);
  for (const auto* name : {"old", "older", "stale"}) bench.tell(running(name, "n0"));
  for (const auto* name : {"new", "newer"}) {
    bench.tell(claim_of(name));
    bench.tell(make_pod(name, "c-" + std::string(name)));
  }
  const auto evict = [](const std::string& victim, std::optional<Uid> beneficiary) {
    auto eviction = EvictionBench::evict().evictions[0];
    eviction.job = Uid("uid-" + victim);
    eviction.pods = {eviction.job};
    eviction.beneficiary = std::move(beneficiary);
    return eviction;
  };
  planner::Plan plan;
  plan.evictions = {evict("old", Uid("uid-new")), evict("stale", std::nullopt),
                    evict("older", Uid("uid-newer"))};
  bench.planned({});
  bench.planned(plan);
  std::map<std::string, WriteId> asked;
  while (const auto write = bench.take_write<EvictPod>()) {
    asked.emplace(write->second.pod.name, write->first);
  }
  REQUIRE(asked.size() == 3);
  // Each goes on without the others.
  bench.done(asked.at("stale"));
  const auto first = bench.take_write<EvictPod>();
  REQUIRE(first);
  CHECK(first->second.pod.name == "stale");
  CHECK_FALSE(bench.take_write<EvictPod>());
}

TEST_CASE("a job that is moved gets the room that is meant for it when its pods are made anew") {
  EvictionBench bench;
  auto plan = EvictionBench::evict();
  bench.done(bench.take_write<EvictPod>()->first, fail(ErrorCode::denied, "429"));
  plan.evictions[0].beneficiary.reset();
  plan.evictions[0].moved = {place("old", "n0")};
  bench.now += 61s;
  bench.planned(plan);
  bench.done(bench.take_write<EvictPod>()->first);
  bench.done(bench.take_write<EvictPod>()->first);
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
  auto anew = make_pod("old", "c-old");
  anew.meta.uid = Uid("uid-old-2");
  bench.tell(anew);
  bench.planned({});
  const auto& holds = bench.input().holds;
  CHECK(std::ranges::any_of(holds, [](const planner::Hold& hold) {
    return hold.job == Uid("uid-old-2") && hold.placements.size() == 1;
  }));
  // It was only moved: whoever it made room for does not owe it anything.
  const auto job = std::ranges::find(bench.input().jobs, Uid("uid-old-2"), &planner::Job::uid);
  REQUIRE(job != bench.input().jobs.end());
  CHECK((*job)->evicted);
  CHECK((*job)->evicted_for.empty());
}

TEST_CASE("who had to make room does not take it back from the one that it was for") {
  EvictionBench bench;
  bench.done(bench.take_write<EvictPod>()->first);
  bench.done(bench.take_write<EvictPod>()->first);
  bench.planned({});
  const auto& jobs = bench.input().jobs;
  const auto old = std::ranges::find(jobs, Uid("uid-old"), &planner::Job::uid);
  REQUIRE(old != jobs.end());
  REQUIRE((*old)->evicted_for.size() == 1);
  CHECK((*old)->evicted_for[0].beneficiary == "default/new");
}

}  // namespace
}  // namespace dray::engine::planning_evictions_test
