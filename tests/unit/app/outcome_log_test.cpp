#include "app/demo/outcome_log.h"

#include <array>
#include <catch2/catch.hpp>
#include <chrono>

#include "dray/model/reason.h"

namespace dray::app::outcome_log_test {
namespace {

using namespace std::chrono_literals;

constexpr Time begin{1000s};

Pod make_pod(const std::string& name, const std::string& group = "") {
  Pod pod;
  pod.meta.namespace_name = "demo";
  pod.meta.name = name;
  if (!group.empty()) pod.pod_group = group;
  return pod;
}

Pod told(Pod pod, Reason reason) {
  pod.conditions = {{.type = "DrayAdmitted",
                     .status = "False",
                     .reason = std::string(name(reason)),
                     .message = std::string(text(reason)) + ": details",
                     .last_transition = {}}};
  return pod;
}

Pod bound(Pod pod, const std::string& node) {
  pod.node_name = NodeName(node);
  return pod;
}

Pod leaving(Pod pod, const std::string& reason) {
  pod.conditions.push_back({.type = "DisruptionTarget",
                            .status = "True",
                            .reason = reason,
                            .message = "the condition's words",
                            .last_transition = {}});
  return pod;
}

sim::RecordedEvent event(const Pod& pod, const std::string& reason, const std::string& action,
                         const std::string& note) {
  return {pod.key(), pod.meta.uid, {"Normal", reason, action, note}, begin};
}
sim::RecordedEvent scheduled(const Pod& pod) {
  return event(pod, "Scheduled", "Binding", "Successfully assigned");
}

std::vector<std::string> lines(const std::vector<Outcome>& outcomes) {
  static constexpr std::array kinds{"waits", "evicted", "placed"};
  std::vector<std::string> out;
  for (const auto& each : outcomes) {
    out.push_back(each.pod.name + " " + kinds.at(static_cast<std::size_t>(each.kind)));
  }
  return out;
}

}  // namespace

TEST_CASE("a pod is placed once its bind call is answered, at the time when it was bound") {
  OutcomeLog log;
  const auto pod = make_pod("p");
  log.created(pod, begin);
  CHECK(!log.take_first(pod.key()));
  log.saw(bound(pod, "n0"), begin + 3ms);
  CHECK(!log.take_first(pod.key()));
  CHECK(log.under_way());
  log.saw(bound(pod, "n0"), begin + 7ms);
  log.saw(scheduled(pod));
  CHECK(!log.under_way());
  const auto first = log.take_first(pod.key());
  REQUIRE(first);
  CHECK(first->kind == Outcome::Kind::placed);
  CHECK(first->node == "n0");
  CHECK(first->at == begin + 3ms);
  CHECK(log.take_rest().empty());
}

TEST_CASE("the answer may be told before the binding is seen") {
  OutcomeLog log;
  const auto pod = make_pod("p");
  log.created(pod, begin);
  log.saw(scheduled(pod));
  CHECK(!log.take_first(pod.key()));
  log.saw(bound(pod, "n0"), begin);
  CHECK(log.take_first(pod.key()));
}

TEST_CASE("what a pod was told first is not what it is told later") {
  OutcomeLog log;
  const auto pod = make_pod("p");
  log.created(pod, begin);
  log.saw(told(pod, Reason::devices_in_use), begin + 1ms);
  log.saw(told(pod, Reason::counters), begin + 2ms);
  log.saw(bound(pod, "n0"), begin + 3ms);
  log.saw(scheduled(pod));
  const auto first = log.take_first(pod.key());
  REQUIRE(first);
  CHECK(first->kind == Outcome::Kind::waits);
  CHECK(first->note == "dray: too few matching devices are free: details");
  CHECK(lines(log.take_rest()) == std::vector<std::string>{"p placed"});
}

TEST_CASE("an eviction is explained by its own Event, not by an older one") {
  OutcomeLog log;
  const auto pod = make_pod("p");
  log.created(pod, begin);
  log.saw(bound(pod, "n0"), begin);
  log.saw(scheduled(pod));
  REQUIRE(log.take_first(pod.key()));
  log.saw(event(pod, "DeviceShared", "Binding", "a warning from when it was bound"));
  log.saw(leaving(bound(pod, "n0"), "EvictionByEvictionAPI"), begin);
  CHECK(log.under_way());
  CHECK(log.take_rest().empty());
  log.saw(event(pod, "Reclaim", "Evicting", "dray: p makes room for q"));
  CHECK(!log.under_way());
  const auto rest = log.take_rest();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].kind == Outcome::Kind::evicted);
  CHECK(rest[0].note == "dray: p makes room for q");
}

TEST_CASE("a victim of kube-scheduler's preemption is explained by its condition") {
  OutcomeLog log;
  const auto pod = make_pod("p");
  log.created(pod, begin);
  log.saw(bound(pod, "n0"), begin);
  log.saw(scheduled(pod));
  log.saw(leaving(bound(pod, "n0"), "PreemptionByScheduler"), begin + 1ms);
  REQUIRE(log.take_first(pod.key()));
  const auto rest = log.take_rest();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].note == "the condition's words");
}

TEST_CASE("evictions come before bindings, each as the pods were created") {
  OutcomeLog log;
  const std::vector pods{make_pod("d"), make_pod("a"), make_pod("c"), make_pod("b")};
  for (const auto& pod : pods) log.created(pod, begin);
  log.saw(bound(pods[1], "n"), begin);
  log.saw(scheduled(pods[1]));
  for (const auto& i : {3U, 0U}) {
    log.saw(leaving(pods[i], "EvictionByEvictionAPI"), begin + 1ms);
    log.saw(event(pods[i], "Reclaim", "Evicting", "why"));
  }
  log.saw(bound(pods[2], "n"), begin);
  log.saw(scheduled(pods[2]));
  CHECK(lines(log.take_rest()) ==
        std::vector<std::string>{"d evicted", "b evicted", "a placed", "c placed"});
  CHECK(log.take_rest().empty());
}

TEST_CASE("room that is being freed, and a gang that is bound in part, are under way") {
  OutcomeLog log;
  const auto a = make_pod("a", "g");
  const auto b = make_pod("b", "g");
  const auto other = make_pod("other", "h");
  for (const auto& pod : {a, b, other}) log.created(pod, begin);
  log.saw(told(a, Reason::gang_incomplete), begin);
  CHECK(!log.under_way());
  log.saw(told(a, Reason::room_freed), begin);
  CHECK(log.under_way());
  log.saw(bound(a, "n0"), begin);
  log.saw(scheduled(a));
  CHECK(log.under_way());  // b is next
  SECTION("until all are bound") {
    log.saw(bound(b, "n1"), begin);
    log.saw(scheduled(b));
  }
  SECTION("until the others are told why they wait") {
    log.saw(told(b, Reason::devices_in_use), begin);
  }
  CHECK(!log.under_way());
}

TEST_CASE("what is not told in time is shown without it") {
  OutcomeLog log;
  const auto pod = make_pod("p");
  log.created(pod, begin);
  log.saw(leaving(bound(pod, "n0"), "EvictionByEvictionAPI"), begin);
  CHECK(log.take_rest().empty());
  log.complete_all();
  CHECK(lines(log.take_rest()) == std::vector<std::string>{"p evicted", "p placed"});
}

TEST_CASE("a pod that comes with its node is placed") {
  OutcomeLog log;
  const auto pod = bound(make_pod("p"), "n0");
  log.created(pod, begin);
  log.saw(pod, begin);
  CHECK(log.take_first(pod.key()));
}

TEST_CASE("pods of others are not followed") {
  OutcomeLog log;
  log.saw(bound(make_pod("p"), "n0"), begin);
  log.saw(scheduled(make_pod("p")));
  CHECK(log.take_rest().empty());
}

}  // namespace dray::app::outcome_log_test
