#include "dray/policy/min_runtime.h"

#include <catch2/catch.hpp>

#include "trees.h"

namespace dray::policy::min_runtime_test {

namespace {

using namespace std::chrono_literals;

QueueSpec timed(QueueSpec spec, std::optional<Duration> preempt, std::optional<Duration> reclaim) {
  spec.preempt_min_runtime = preempt;
  spec.reclaim_min_runtime = reclaim;
  return spec;
}

QueueTree organisation() {
  return tree_of({timed(spec("dev"), 5s, 10s), timed(spec("dev-a", "dev"), std::nullopt, 8s),
                  spec("dev-b", "dev"), spec("dev-b-1", "dev-b"), spec("free"),
                  timed(spec("free-a", "free"), 7s, 7s), timed(spec("lost", "gone"), 6s, 6s)});
}

}  // namespace

TEST_CASE("preemption: the first value from the victim's leaf upwards") {
  const auto tree = organisation();
  CHECK(preempt_min_runtime(tree, at(tree, "dev-a"), 2s) == 5s);
  CHECK(preempt_min_runtime(tree, at(tree, "dev-b-1"), 2s) == 5s);
  CHECK(preempt_min_runtime(tree, at(tree, "free-a"), 2s) == 7s);
  CHECK(preempt_min_runtime(tree, at(tree, "free"), 2s) == 2s);
  CHECK(preempt_min_runtime(tree, std::nullopt, 2s) == 2s);
}

TEST_CASE("reclaim: the branch below the lowest common ancestor, or the victim's leaf") {
  struct Row {
    std::string taker, victim;
    Duration lca, queue;
  };
  const auto tree = organisation();
  const auto row = GENERATE(values<Row>({
      {"dev-b-1", "dev-a", 8s, 8s},
      {"dev-a", "dev-b-1", 10s, 10s},
      {"free-a", "dev-a", 10s, 8s},
      {"dev-a", "free-a", 1s, 7s},
      {"dev-a", "dev-a", 8s, 8s},
      {"dev", "dev-a", 8s, 8s},
      {"dev-a", "lost", 6s, 6s},
  }));
  DYNAMIC_SECTION(row.taker << " takes from " << row.victim) {
    const auto taker = at(tree, row.taker);
    const auto victim = at(tree, row.victim);
    CHECK(reclaim_min_runtime(tree, taker, victim, ReclaimResolution::lca, 1s) == row.lca);
    CHECK(reclaim_min_runtime(tree, taker, victim, ReclaimResolution::queue, 1s) == row.queue);
  }
  CHECK(reclaim_min_runtime(tree, at(tree, "dev"), std::nullopt, ReclaimResolution::lca, 1s) == 1s);
}

}  // namespace dray::policy::min_runtime_test
