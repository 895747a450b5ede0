#include "dray/model/pod_marks.h"

#include <chrono>
#include <string>

#include <catch2/catch.hpp>

namespace dray::pod_marks_test {
namespace {

Pod with_condition(Condition condition) {
  Pod pod;
  pod.conditions = {{"Ready", "False", "Unschedulable", "of another type", {}},
                    std::move(condition)};
  return pod;
}

TEST_CASE("a pod is gated by the gates that it has") {
  Pod pod;
  CHECK_FALSE(gated_by(pod, "a"));
  pod.scheduling_gates = {"a", "b"};
  CHECK(gated_by(pod, "b"));
  CHECK_FALSE(gated_by(pod, "c"));
}

TEST_CASE("kube-scheduler calls a pod unschedulable, for reasons that are not dray's") {
  struct Row {
    std::string name;
    Condition condition;
    bool want;
  };
  const auto row = GENERATE(values<Row>({
      {"so it says", {"PodScheduled", "False", "Unschedulable", "0/3 nodes", {}}, true},
      {"for dray's reason",
       {"PodScheduled", "False", "Unschedulable", "0/3 nodes: 3 dray: no devices", {}},
       false},
      {"gated", {"PodScheduled", "False", "SchedulingGated", "", {}}, false},
      {"an error", {"PodScheduled", "False", "SchedulerError", "", {}}, false},
      {"scheduled", {"PodScheduled", "True", "Unschedulable", "", {}}, false},
      {"another condition", {"Initialized", "False", "Unschedulable", "", {}}, false},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK(called_unschedulable(with_condition(row.condition)) == row.want);
  }
}

TEST_CASE("a verdict is another one when anything of it changes") {
  CHECK(scheduling_verdict(Pod()).empty());
  const Condition base{"PodScheduled", "False", "R", "m", {}};
  const auto verdict = [](const Condition& condition) {
    return scheduling_verdict(with_condition(condition));
  };
  CHECK(verdict(base) == "False/R/m");
  auto other = base;
  other.last_transition = Time(std::chrono::microseconds(7));
  CHECK(verdict(other) == "False/R/m/7");
  other.last_transition = Time(std::chrono::microseconds(8));
  CHECK(verdict(other) == "False/R/m/8");
}

}  // namespace
}  // namespace dray::pod_marks_test
