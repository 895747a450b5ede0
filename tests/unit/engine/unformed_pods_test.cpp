#include "engine/books/unformed_pods.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "engine/plan_cycle.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::unformed_pods_test {
namespace {

const planner::NotReady missing{Reason::planning, "it is not there"};

JobKey group(const std::string& name) {
  return {.source = GroupSource::pod_group, .namespace_name = "default", .name = name, .part = {}};
}

std::string names(const std::vector<UnformedPods::Lacks>& pods) {
  std::string all;
  for (const auto& [uid, why] : pods) all += (all.empty() ? "" : " ") + uid.get();
  return all;
}

/// Of group b a and d, of group a b and c.
UnformedPods two_groups() {
  UnformedPods pods;
  pods.put(group("b"), {Uid("a"), Uid("d")}, missing);
  pods.put(group("a"), {Uid("b"), Uid("c")}, missing);
  return pods;
}

TEST_CASE("pods in no job are read page by page, in the order of their uids") {
  auto pods = two_groups();
  CHECK(names(pods.after(std::nullopt, 3)) == "a b c");
  CHECK(names(pods.after(Uid("c"), 3)) == "d");
  CHECK(names(pods.after(Uid("bb"), 1)) == "c");
  pods.add(group("a"), Uid("ba"));
  pods.add(group("other"), Uid("e"));
  pods.erase(Uid("c"));
  CHECK(names(pods.after(Uid("a"), 9)) == "b ba d");
  CHECK(pods.find(Uid("ba"))->detail == missing.detail);
  CHECK(pods.find(Uid("c")) == nullptr);
  pods.erase(group("a"));
  CHECK(names(pods.after(std::nullopt, 9)) == "a d");
  pods.put(group("b"), {Uid("a"), Uid("d")}, {Reason::queue_missing, "no queue"});
  CHECK(pods.find(Uid("a"))->reason == Reason::queue_missing);
  pods.erase(Uid("a"));
  pods.erase(Uid("d"));
  CHECK(pods.empty());
}

TEST_CASE("pods in no job are told bit by bit, each once, group by group") {
  auto pods = two_groups();
  CHECK(pods.take_told(9).empty());
  pods.begin_telling(start);
  CHECK(pods.next_tick() == start);
  CHECK(names(pods.take_told(3)) == "b c a");
  SECTION("the rest") {
    CHECK(names(pods.take_told(3)) == "d");
    CHECK_FALSE(pods.next_tick());
  }
  SECTION("who comes behind is told, who comes before is not, who goes is not") {
    pods.add(group("a"), Uid("x"));
    pods.add(group("b"), Uid("y"));
    pods.erase(Uid("d"));
    CHECK(names(pods.take_told(3)) == "y");
  }
  SECTION("what has become a job is not told") {
    pods.erase(group("b"));
    CHECK(pods.take_told(3).empty());
    CHECK_FALSE(pods.next_tick());
  }
  SECTION("asked for again meanwhile, all are told once more") {
    pods.begin_telling(start);
    CHECK(names(pods.take_told(3)) == "d");
    CHECK(names(pods.take_told(9)) == "b c a d");
    CHECK_FALSE(pods.next_tick());
  }
  SECTION("it ends") {
    pods.begin_telling(start);
    pods.end_telling();
    CHECK(pods.take_told(9).empty());
    CHECK_FALSE(pods.next_tick());
  }
}

/// Many pods of a group that is not there.
struct Many : Bench {
  static constexpr int count = 3 * static_cast<int>(PlanCycle::slice_pods);

  Many() : Bench({}, true) {
    apply(LeadershipChanged{false, 3});
    add_nodes(1, 1);
    for (int i = 0; i < count; ++i) {
      auto pod = make_pod(name(i), "");
      pod.pod_group = "g";
      tell(pod);
    }
    apply(LeadershipChanged{true, 4});
  }
  static std::string name(int i) { return fmt::format("p{:04}", i); }
  /// How many know what they wait for.
  int told() {
    int found = 0;
    for (int i = 0; i < count; ++i) {
      if (!engine.pod({"default", name(i)})->detail.empty()) ++found;
    }
    return found;
  }
  /// All steps that are due now.
  void go_on() {
    while (engine.next_tick() && *engine.next_tick() <= now) tick();
  }
};

TEST_CASE("one step tells some of the pods whose group is missing, and the next ones the rest") {
  Many bench;
  CHECK(bench.told() == static_cast<int>(PlanCycle::slice_pods));
  SECTION("each of them") {
    bench.go_on();
    CHECK(bench.told() == Many::count);
  }
  SECTION("the group is there meanwhile: they wait for a plan, like all jobs") {
    bench.tell(testing::make_group("g", 2));
    bench.go_on();
    CHECK(bench.told() == static_cast<int>(PlanCycle::slice_pods));
    CHECK_FALSE(bench.wanted.empty());
  }
  SECTION("leadership is lost meanwhile: nobody is told by one that does not lead") {
    bench.apply(LeadershipChanged{false, 4});
    const auto before = bench.told();
    bench.go_on();
    CHECK(bench.told() == before);
    bench.apply(LeadershipChanged{true, 6});
    bench.go_on();
    CHECK(bench.told() == Many::count);
  }
}

TEST_CASE("pods in no job are shown page by page") {
  Many bench;
  const auto first = bench.engine.unformed(std::nullopt, 100);
  REQUIRE(first.size() == 100);
  const auto rest = bench.engine.unformed(first.back().uid, 1000);
  CHECK(rest.size() == Many::count - 100);
  CHECK(rest.front().pod.name == Many::name(100));
}

}  // namespace
}  // namespace dray::engine::unformed_pods_test
