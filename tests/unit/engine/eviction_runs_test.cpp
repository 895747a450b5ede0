#include "engine/protocol/eviction_runs.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/commands.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::eviction_runs_test {
namespace {

using namespace std::chrono_literals;

const WriteOutcome done = WrittenObject{};
const WriteOutcome refused = fail(ErrorCode::denied, "429");

/// a and b run on n0; r is merely reserved.
struct World {
  cluster::ClusterState cluster;
  bool needed = true;
  EvictionRuns runs{cluster, [this](const auto&) { return needed; }};

  World() {
    for (const auto* name : {"a", "b", "r"}) {
      auto pod = make_pod(name, "");
      if (*name != 'r') pod.node_name = NodeName("n0");
      cluster.apply(cluster::ObjectChanged{pod});
    }
  }
  [[nodiscard]] Engine::EvictionFigures sum() const {
    Engine::EvictionFigures sum;
    for (const auto& [evicted, refusals] : runs.figures()) {
      sum.evicted += evicted;
      sum.refused += refusals;
    }
    return sum;
  }
  static planner::Eviction evict(const std::string& job, const std::vector<std::string>& pods,
                                 std::optional<Uid> beneficiary = Uid("taker")) {
    planner::Eviction eviction;
    eviction.job = Uid(job);
    for (const auto& pod : pods) eviction.pods.emplace_back("uid-" + pod);
    eviction.beneficiary = std::move(beneficiary);
    eviction.detail = "why";
    return eviction;
  }
};

TEST_CASE("all are asked for first; then they go, and each is told why") {
  World world;
  CHECK(words(world.runs.start({World::evict("j", {"a", "b"})}, start)) ==
        "changed uid-a; changed uid-b; EvictPod default/a for eviction; "
        "EvictPod default/b for eviction");
  CHECK(world.runs.evicting(Uid("uid-a")));
  CHECK(world.runs.step(1, 0, done, start).empty());
  CHECK(words(world.runs.step(1, 1, done, start)) ==
        "EvictPod default/a for eviction; EvictPod default/b for eviction");
  CHECK(world.runs.step(1, 0, done, start).empty());
  const auto end = world.runs.step(1, 1, done, start);
  CHECK(words(end) ==
        "evicted j; changed uid-a; RecordEvent default/a; "
        "changed uid-b; RecordEvent default/b; plan");
  const auto event = only_write<RecordEvent>({end[2]});
  CHECK(event.event.type == "Warning");
  CHECK(event.event.reason == "Reclaim");
  CHECK(event.event.action == "Evicting");
  CHECK(event.event.note == "dray: why");
  CHECK(world.sum().evicted == 2);
  CHECK(world.sum().refused == 0);
  // On their way out until they are gone.
  CHECK(world.runs.evicting(Uid("uid-a")));
  world.runs.forget(Uid("uid-a"));
  CHECK(!world.runs.evicting(Uid("uid-a")));
  CHECK(world.runs.evicting(Uid("uid-b")));
}

TEST_CASE("who is spared is not counted as evicted, nor as refused") {
  World world;
  static_cast<void>(world.runs.start({World::evict("j", {"a"}), World::evict("k", {"b"})}, start));
  CHECK(world.runs.step(1, 0, done, start).empty());
  CHECK(!world.runs.step(1, 1, done, start).empty());
  CHECK(world.runs.step(1, 0, done, start).empty());
  CHECK(world.runs.step(1, 1, fail(ErrorCode::unavailable, "lost"), start).empty());
  world.needed = false;
  CHECK(words(world.runs.tick(*world.runs.next_tick())) ==
        "evicted j; changed uid-a; RecordEvent default/a; evicted k; changed uid-b; plan");
  CHECK(world.sum().evicted == 1);
  CHECK(world.sum().refused == 0);
  CHECK(world.runs.evicting(Uid("uid-a")));
  CHECK(!world.runs.evicting(Uid("uid-b")));
}

TEST_CASE("one refusal keeps all, ends what was held for them, and is not asked again so soon") {
  World world;
  static_cast<void>(world.runs.start({World::evict("j", {"a"}), World::evict("k", {"b"})}, start));
  CHECK(world.runs.step(1, 0, done, start).empty());
  const auto end = world.runs.step(1, 1, refused, start);
  CHECK(words(end) ==
        "eviction refused uid-b; changed uid-a; hold ended taker; hold ended j; "
        "changed uid-b; hold ended taker; hold ended k; plan");
  CHECK(std::get<EvictionRefused>(end[0]).until == start + EvictionRuns::refusal_cooldown);
  CHECK(!world.runs.evicting(Uid("uid-a")));
  CHECK(!world.runs.evicting(Uid("uid-b")));
  CHECK(world.sum().evicted == 0);
  CHECK(world.sum().refused == 1);
}

TEST_CASE("without a beneficiary only the victim's own hold ends") {
  World world;
  static_cast<void>(world.runs.start({World::evict("j", {"a"}, std::nullopt)}, start));
  CHECK(words(world.runs.step(1, 0, refused, start)) ==
        "eviction refused uid-a; changed uid-a; hold ended j; plan");
}

TEST_CASE("who is refused after the others went stays, and the others' holds stand") {
  World world;
  static_cast<void>(world.runs.start({World::evict("j", {"a", "b"})}, start));
  static_cast<void>(world.runs.step(1, 0, done, start));
  static_cast<void>(world.runs.step(1, 1, done, start));
  static_cast<void>(world.runs.step(1, 0, done, start));
  static_cast<void>(world.runs.step(1, 1, refused, start));
  CHECK(world.runs.next_tick() == start + 250ms);
  CHECK(world.runs.tick(start + 249ms).empty());
  CHECK(words(world.runs.tick(start + 250ms)) == "EvictPod default/b for eviction");
  CHECK(!world.runs.next_tick());
  CHECK(words(world.runs.step(1, 1, refused, start + 31s)) ==
        "eviction refused uid-b; evicted j; changed uid-a; "
        "RecordEvent default/a; changed uid-b; plan");
  CHECK(world.runs.evicting(Uid("uid-a")));
  CHECK(!world.runs.evicting(Uid("uid-b")));
  CHECK(world.sum().evicted == 1);
  CHECK(world.sum().refused == 1);
}

TEST_CASE("what is merely reserved is given up without a word to the API server") {
  World world;
  CHECK(words(world.runs.start({World::evict("j", {"r"})}, start)) ==
        "changed uid-r; give up uid-r; evicted j; changed uid-r; plan");
  CHECK(world.sum().evicted == 0);
}

TEST_CASE("a reservation is given up once, when the others go") {
  World world;
  CHECK(words(world.runs.start({World::evict("j", {"a", "r"})}, start)) ==
        "changed uid-a; changed uid-r; EvictPod default/a for eviction");
  CHECK(words(world.runs.step(1, 0, done, start)) ==
        "EvictPod default/a for eviction; give up uid-r");
  // By now it may have another place, which is its own.
  CHECK(words(world.runs.step(1, 0, done, start)) ==
        "evicted j; changed uid-a; RecordEvent default/a; changed uid-r; plan");
}

TEST_CASE("sets are apart from one another") {
  World world;
  static_cast<void>(world.runs.start({World::evict("j", {"a"})}, start));
  static_cast<void>(world.runs.start({World::evict("k", {"b"})}, start));
  CHECK(words(world.runs.step(2, 0, done, start)) == "EvictPod default/b for eviction");
}

TEST_CASE("a new leader evicts nobody, and looks at the victims' jobs again") {
  World world;
  static_cast<void>(world.runs.start({World::evict("j", {"a"})}, start));
  static_cast<void>(world.runs.step(1, 0, fail(ErrorCode::unavailable, "no answer"), start));
  CHECK(world.runs.next_tick());
  CHECK(words(world.runs.reset()) == "changed uid-a");
  CHECK(!world.runs.next_tick());
  CHECK(!world.runs.evicting(Uid("uid-a")));
  CHECK(world.runs.step(1, 0, done, start).empty());
  // The number of a set is never used twice.
  static_cast<void>(world.runs.start({World::evict("j", {"a"})}, start));
  CHECK(world.runs.step(1, 0, done, start).empty());
  CHECK(!world.runs.step(2, 0, done, start).empty());
}

}  // namespace
}  // namespace dray::engine::eviction_runs_test
