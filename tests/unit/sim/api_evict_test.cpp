#include <catch2/catch.hpp>

#include "dray/sim/api_server.h"
#include "tests/objects/pods.h"

namespace dray::sim::api_evict_test {

using namespace testing;

namespace {

PodDisruptionBudget budget(const std::string& name, std::int32_t allowed) {
  PodDisruptionBudget object;
  object.meta.namespace_name = "default";
  object.meta.name = name;
  object.selector = LabelSelector{.match_labels = {{"app", "x"}}, .match_expressions = {}};
  object.disruptions_allowed = allowed;
  return object;
}

/// Two running pods that the budget covers, and one that it does not.
struct Bench {
  ApiServer server;

  Bench() {
    for (const auto* name : {"p0", "p1", "other"}) {
      auto pod = make_pod(name);
      pod.meta.labels["app"] = std::string(name) == "other" ? "y" : "x";
      pod.node_name = NodeName("n0");
      pod.phase = "Running";
      server.restore(pod, at(0));
    }
  }
  ErrorCode evict(const std::string& name, bool dry_run = false) {
    const auto outcome = server.evict({"default", name}, {}, dry_run, at(1));
    return outcome ? ErrorCode{} : outcome.error().code;
  }
  [[nodiscard]] bool leaving(const std::string& name) const {
    return server.find<Pod>("default", name)->meta.deleted.has_value();
  }
};

TEST_CASE("a budget is spent by evictions, not by asking") {
  Bench bench;
  bench.server.restore(budget("b", 1), at(0));
  CHECK(bench.server.evict({"default", "p0"}, {}, true, at(1)));
  CHECK(bench.server.evict({"default", "p1"}, {}, true, at(1)));
  CHECK(bench.server.find<PodDisruptionBudget>("default", "b")->disruptions_allowed == 1);
  CHECK(bench.server.evict({"default", "p0"}, {}, false, at(1)));
  CHECK(bench.leaving("p0"));
  CHECK(bench.evict("p1") == ErrorCode::denied);
  CHECK(bench.evict("p1", true) == ErrorCode::denied);
  CHECK(!bench.leaving("p1"));
  CHECK(bench.server.evict({"default", "other"}, {}, false, at(1)));
}

TEST_CASE("pods that do not run need no budget; two budgets are an error") {
  Bench bench;
  bench.server.restore(budget("b", 0), at(0));
  auto waiting = make_pod("waiting");
  waiting.meta.labels["app"] = "x";
  bench.server.restore(waiting, at(0));
  CHECK(bench.server.evict({"default", "waiting"}, {}, false, at(1)));
  bench.server.restore(budget("c", 5), at(0));
  CHECK(bench.evict("p0") == ErrorCode::unavailable);
}

TEST_CASE("the uid is a condition") {
  Bench bench;
  const auto outcome = bench.server.evict({"default", "p0"}, Uid("another"), false, at(1));
  REQUIRE(!outcome);
  CHECK(outcome.error().code == ErrorCode::conflict);
  CHECK(!bench.leaving("p0"));
  // The real one spends the budget all the same.
  bench.server.restore(budget("b", 1), at(0));
  CHECK(!bench.server.evict({"default", "p0"}, Uid("another"), false, at(1)));
  CHECK(bench.server.find<PodDisruptionBudget>("default", "b")->disruptions_allowed == 0);
  CHECK(bench.evict("p1") == ErrorCode::denied);
}

}  // namespace
}  // namespace dray::sim::api_evict_test
