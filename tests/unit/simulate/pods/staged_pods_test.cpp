#include "simulate/pods/staged_pods.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dray/sim/owned_pods.h"
#include "tests/objects/pods.h"

namespace dray::simulate::staged_pods_test {
namespace {

using namespace dray::testing;
using Type = sim::WatchEvent::Type;

Pod in_step(const std::string& name, const std::string& step) {
  auto pod = make_pod(name);
  pod.meta.uid = Uid(name);
  pod.meta.annotations = {{sim::step_annotation, step}};
  return pod;
}

PodWorkload::Arrival after(const std::string& name, const std::string& others) {
  auto pod = make_pod(name);
  pod.meta.annotations = {{sim::after_annotation, others}};
  return {.pod = pod, .at = Duration(0), .later = false, .staged = true};
}

sim::WatchEvent event(Pod pod, Type type = Type::modified) {
  return {.type = type,
          .kind = Kind::pod,
          .revision = 1,
          .object = std::make_shared<const KubeObject>(std::move(pod))};
}

Pod scheduled(Pod pod) {
  pod.node_name = NodeName("n");
  return pod;
}
Pod ready(Pod pod) {
  pod.conditions = {
      {.type = "Ready", .status = "True", .reason = "", .message = "", .last_transition = {}}};
  return scheduled(std::move(pod));
}
Pod complete(Pod pod) {
  pod.phase = "Succeeded";
  return scheduled(std::move(pod));
}

}  // namespace

TEST_CASE("a pod comes when enough others are scheduled, ready or complete") {
  struct Row {
    std::string state;
    std::vector<Pod> before;
    Pod last;
  };
  const auto a = in_step("a", "s");
  const auto b = in_step("b", "s other");
  const auto row = GENERATE_COPY(Row{"scheduled", {a, scheduled(a), b}, scheduled(b)},
                                 Row{"ready", {ready(a), scheduled(b)}, ready(b)},
                                 Row{"ready", {ready(a)}, complete(b)},
                                 Row{"complete", {complete(a), ready(b)}, complete(b)});
  DYNAMIC_SECTION(row.state) {
    const auto next = after("next", "s " + row.state + " 2");
    CHECK(StagedPods::is_staged(next.pod));
    CHECK_FALSE(StagedPods::is_staged(a));
    StagedPods staged;
    staged.add(next);
    for (const auto& pod : row.before) CHECK(staged.next_after(event(pod)).empty());
    CHECK(staged.count() == 1);
    CHECK(staged.next_after(event(row.last)) == std::vector{&next});
    CHECK(staged.count() == 0);
    CHECK(staged.next_after(event(row.last)).empty());
  }
}

TEST_CASE("all that others wait for has to be there") {
  const auto one = after("one", "s complete 1; t ready 1");
  const auto two = after("two", "s complete 1; t ready 1");
  const auto other = after("other", "t ready 1");
  StagedPods staged;
  for (const auto* each : {&one, &two, &other}) staged.add(*each);
  CHECK(staged.next_after(event(ready(in_step("b", "t")))) == std::vector{&other});
  CHECK(staged.next_after(event(complete(in_step("a", "s")))) == std::vector{&one, &two});
}

TEST_CASE("a pod that is gone counts only if it was complete") {
  const auto next = after("next", "s ready 2");
  StagedPods staged;
  staged.add(next);
  CHECK(staged.next_after(event(ready(in_step("a", "s")))).empty());
  CHECK(staged.next_after(event(ready(in_step("a", "s")), Type::deleted)).empty());
  CHECK(staged.next_after(event(ready(in_step("b", "s")))).empty());
  CHECK(staged.next_after(event(complete(in_step("c", "s")), Type::deleted)) == std::vector{&next});
}

}  // namespace dray::simulate::staged_pods_test
