#include "engine/protocol/gang_runs.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/commands.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::gang_runs_test {
namespace {

using namespace std::chrono_literals;

planner::Job job_of(std::int32_t minimum, const std::vector<std::string>& pods,
                    const std::string& uid = "g") {
  planner::Job job;
  job.uid = Uid(uid);
  job.gang = planner::plain_gang(pods.size(), minimum);
  for (const auto& name : pods) {
    Pod pod;
    pod.meta.uid = Uid(name);
    job.members.push_back(
        {std::make_shared<const Pod>(pod), planner::MemberState::placed, NodeName("n0")});
  }
  return job;
}

/// Carries the commands' GangStepped out as the router does.
struct Gangs {
  GangRuns runs;

  std::string join(const planner::Job& job, const std::string& pod, std::uint64_t request,
                   Time now = start, std::set<Uid> bound = {}) {
    return settle(runs.join(job, std::move(bound), Uid(pod), RequestId(request), now));
  }
  std::string settle(const Commands& commands) {
    auto text = words(commands);
    for (const auto& command : commands) {
      const auto* stepped = std::get_if<GangStepped>(&command);
      if (stepped == nullptr) continue;
      const auto end = words(runs.settle(stepped->job));
      if (!end.empty()) text += "; " + end;
    }
    return text;
  }
};

const std::string no_time = "dray: too few pods of the gang came to be bound in time";

TEST_CASE("a member whose group is made anew while it waits joins the new one") {
  Gangs gangs;
  gangs.join(job_of(2, {"a", "b"}), "a", 1);
  const auto again = job_of(2, {"a", "b"}, "g2");
  const auto text = gangs.join(again, "a", 2);
  CHECK_THAT(text, Catch::StartsWith("answer 1: dray: the pod left its gang"));
  CHECK_FALSE(gangs.runs.contains(Uid("g")));
  CHECK(gangs.runs.contains(Uid("g2")));
  CHECK_THAT(gangs.join(again, "b", 3), Catch::Contains("start bind a #2 when told"));
}

TEST_CASE("a gang that is made anew does not wait for ever") {
  Gangs gangs;
  gangs.join(job_of(2, {"a", "b"}), "a", 1);
  gangs.join(job_of(2, {"a", "b"}, "g2"), "a", 2);
  REQUIRE(gangs.runs.next_tick());
  CHECK_THAT(gangs.settle(gangs.runs.tick(*gangs.runs.next_tick())),
             Catch::StartsWith("answer 2: " + no_time));
  CHECK(gangs.runs.size() == 0);
}

TEST_CASE("calls wait for the minimum, then all begin, then all are bound") {
  Gangs gangs;
  const auto job = job_of(2, {"a", "b"});
  CHECK(gangs.join(job, "a", 1) == "stepped g");
  CHECK(gangs.runs.contains(Uid("g")));
  CHECK(gangs.runs.has_member(Uid("a")));
  CHECK(!gangs.runs.has_member(Uid("b")));
  CHECK(gangs.runs.next_tick() == start + 5s + 100ms);
  CHECK(gangs.join(job, "a", 2).empty());  // asked again: joins the first
  CHECK(gangs.join(job, "b", 3) ==
        "start bind a #1 #2 when told; start bind b #3 when told; stepped g");
  CHECK(!gangs.runs.next_tick());
  CHECK(gangs.settle(gangs.runs.claims_written(Uid("a"))) == "stepped g");
  CHECK(gangs.settle(gangs.runs.claims_written(Uid("b"))) == "proceed a; proceed b; stepped g");
  CHECK(gangs.settle(gangs.runs.ended(Uid("a"), true, "")) == "stepped g");
  CHECK(gangs.settle(gangs.runs.ended(Uid("b"), true, "")) == "stepped g; gang ended g");
  CHECK(gangs.runs.size() == 0);
  CHECK(!gangs.runs.has_member(Uid("b")));
  CHECK(gangs.runs.refused() == 0);
}

TEST_CASE("members that are bound already count for the calls of the others") {
  Gangs gangs;
  CHECK(gangs.join(job_of(2, {"a", "b"}), "b", 1, start, {Uid("a")}) ==
        "start bind b #1 when told; stepped g");
}

TEST_CASE("a gang whose others do not come in time is refused, and waits longer the next time") {
  Gangs gangs;
  const auto job = job_of(2, {"a", "b"});
  static_cast<void>(gangs.join(job, "a", 1));
  const auto end = start + GangCommit::first_patience + 2 * GangCommit::patience_per_member;
  CHECK(gangs.runs.tick(end - 1us).empty());
  CHECK(gangs.settle(gangs.runs.tick(end)) ==
        "answer 1: " + no_time + "; bind refused a: " + no_time + "; stepped g; gang ended g");
  CHECK(gangs.runs.refused() == 1);
  CHECK(!gangs.runs.has_member(Uid("a")));
  CHECK(!gangs.runs.contains(Uid("g")));

  static_cast<void>(gangs.join(job, "a", 2, end));
  CHECK(gangs.runs.next_tick() ==
        end + GangCommit::next_patience + 2 * GangCommit::patience_per_member);
  SECTION("until it was bound once") {
    static_cast<void>(gangs.join(job, "b", 3, end));
    for (const auto* pod : {"a", "b"}) {
      static_cast<void>(gangs.settle(gangs.runs.claims_written(Uid(pod))));
    }
    for (const auto* pod : {"a", "b"}) {
      static_cast<void>(gangs.settle(gangs.runs.ended(Uid(pod), true, "")));
    }
    static_cast<void>(gangs.join(job, "a", 4, end));
    CHECK(gangs.runs.next_tick() ==
          end + GangCommit::first_patience + 2 * GangCommit::patience_per_member);
  }
  SECTION("or the job is gone") {
    gangs.runs.forget_jobs([](const Uid&) { return false; });
    static_cast<void>(gangs.settle(gangs.runs.left(Uid("a"))));
    static_cast<void>(gangs.join(job, "a", 4, end));
    CHECK(gangs.runs.next_tick() ==
          end + GangCommit::first_patience + 2 * GangCommit::patience_per_member);
  }
  SECTION("not if the job is there") {
    gangs.runs.forget_jobs([](const Uid& uid) { return uid == Uid("g"); });
    static_cast<void>(gangs.settle(gangs.runs.tick(end + 1h)));
    static_cast<void>(gangs.join(job, "a", 4, end));
    CHECK(gangs.runs.next_tick() ==
          end + GangCommit::next_patience + 2 * GangCommit::patience_per_member);
  }
}

TEST_CASE("a claim that fails undoes the others', and who came late hears it") {
  Gangs gangs;
  const auto job = job_of(2, {"a", "b", "c"});
  static_cast<void>(gangs.join(job, "a", 1));
  static_cast<void>(gangs.join(job, "b", 2));
  CHECK(gangs.join(job, "c", 3) == "stepped g");
  CHECK(gangs.settle(gangs.runs.ended(Uid("a"), false, "422")) == "abort b: 422; stepped g");
  CHECK(gangs.settle(gangs.runs.ended(Uid("b"), false, "422")) ==
        "answer 3: 422; bind refused c: 422; stepped g; gang ended g");
  CHECK(gangs.runs.refused() == 1);
  CHECK(!gangs.runs.has_member(Uid("c")));
}

TEST_CASE("a member beyond the minimum is bound by itself afterwards") {
  Gangs gangs;
  const auto job = job_of(1, {"a", "b"});
  static_cast<void>(gangs.join(job, "a", 1));
  static_cast<void>(gangs.join(job, "b", 2));
  static_cast<void>(gangs.settle(gangs.runs.claims_written(Uid("a"))));
  CHECK(gangs.settle(gangs.runs.ended(Uid("a"), true, "")) ==
        "start bind b #2 at once; stepped g; gang ended g");
  CHECK(!gangs.runs.has_member(Uid("b")));
}

TEST_CASE("a pod that goes while the others gather is answered, and the last one ends it") {
  Gangs gangs;
  const auto job = job_of(3, {"a", "b", "c"});
  static_cast<void>(gangs.join(job, "a", 1));
  static_cast<void>(gangs.join(job, "b", 2));
  CHECK(gangs.settle(gangs.runs.left(Uid("a"))) ==
        "answer 1: dray: the pod left its gang; stepped g");
  CHECK(gangs.runs.contains(Uid("g")));
  CHECK(gangs.settle(gangs.runs.left(Uid("b"))) ==
        "answer 2: dray: the pod left its gang; stepped g; gang ended g");
  CHECK(!gangs.runs.contains(Uid("g")));
}

TEST_CASE("gangs are apart from one another, and their time-outs come one a tick") {
  Gangs gangs;
  static_cast<void>(gangs.join(job_of(2, {"a", "b"}, "g"), "a", 1));
  static_cast<void>(gangs.join(job_of(2, {"x", "y"}, "h"), "x", 2));
  CHECK(gangs.runs.size() == 2);
  const auto end = *gangs.runs.next_tick();
  CHECK(gangs.settle(gangs.runs.tick(end)).find("answer 1") == 0);
  CHECK(gangs.runs.next_tick() == end);
  CHECK(gangs.settle(gangs.runs.tick(end)).find("answer 2") == 0);
}

TEST_CASE("a new leader answers every call of a gang, and forgets what was under way") {
  Gangs gangs;
  const auto job = job_of(3, {"a", "b", "c"});
  static_cast<void>(gangs.join(job, "a", 1));
  static_cast<void>(gangs.join(job, "b", 2));
  const auto no = std::string(text(Reason::not_leader));
  CHECK(words(gangs.runs.reset()) == "answer 1: " + no + "; answer 2: " + no);
  CHECK(gangs.runs.size() == 0);
  CHECK(!gangs.runs.has_member(Uid("a")));
  CHECK(!gangs.runs.next_tick());
}

TEST_CASE("what is in no gang has no next step") {
  Gangs gangs;
  CHECK(gangs.runs.claims_written(Uid("x")).empty());
  CHECK(gangs.runs.ended(Uid("x"), true, "").empty());
  CHECK(gangs.runs.left(Uid("x")).empty());
  CHECK(gangs.runs.settle(Uid("x")).empty());
  CHECK(gangs.runs.tick(start).empty());
}

}  // namespace
}  // namespace dray::engine::gang_runs_test
