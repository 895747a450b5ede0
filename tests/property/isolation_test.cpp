#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>

#include "tests/property/tenants.h"

// What one tenant asks for never decides whether another one is served: jobs that their queue is
// owed, and that fit, start within a bounded time, whatever other tenants submit.

namespace dray::property::isolation_test {
namespace {

using std::chrono::seconds;

/// Of tenant b's pods, where they end.
constexpr int longest_run = 30;

int total(const std::vector<int>& gpus) {
  return std::accumulate(gpus.begin(), gpus.end(), 0);
}

Burst any_burst(const std::vector<int>& nodes) {
  Burst burst;
  burst.trick =
      *rc::gen::element(Trick::plain, Trick::gang, Trick::partial_gang, Trick::too_many_for_gang,
                        Trick::too_many_for_pod, Trick::no_such_device, Trick::no_such_node,
                        Trick::no_such_class, Trick::no_such_claim, Trick::incomplete_gang,
                        Trick::subgroups, Trick::one_rack, Trick::costly_selector);
  burst.gpus = *rc::gen::element(1, 1, 1, 2, 4);
  burst.copies = *rc::gen::element(1, 1, 2, 5, 12);
  switch (burst.trick) {
    case Trick::plain:
    case Trick::no_such_device:
    case Trick::no_such_node:
    case Trick::no_such_class:
    case Trick::no_such_claim:
    case Trick::too_many_for_pod:
    case Trick::costly_selector:
      break;
    case Trick::too_many_for_gang:
      burst.pods = total(nodes) + 1;
      burst.copies = *rc::gen::inRange(1, 4);
      break;
    case Trick::all_devices:
    case Trick::list_up:
      burst.copies = *rc::gen::inRange(1, 5);
      break;
    default:
      burst.pods = *rc::gen::inRange(2, 7);
  }
  burst.priority = *rc::gen::element(0, 0, 10, 1000);
  burst.at = *rc::gen::element(0, 0, 0, 5, 20, 40, 70);
  burst.runs = *rc::gen::element(0, 0, 0, 15, 60);
  return burst;
}

policy::Budgets any_budgets() {
  policy::Budgets budgets;
  budgets.victim_cooldown = seconds(*rc::gen::element(0, 5, 30));
  return budgets;
}

Tenants any_tenants() {
  Tenants t;
  t.nodes = *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 5),
                                                  rc::gen::inRange(1, 9));
  t.parents = *rc::gen::inRange(0, 3) == 0;
  t.weight_a = *rc::gen::element(0, 1, 1, 5);
  t.priority_a = *rc::gen::element(100, 100, 50, 200);
  t.budgets = any_budgets();
  t.reserve_after = *rc::gen::element(5, 30, 600);
  t.preemption = *rc::gen::inRange(0, 2) == 0;
  const auto bursts = *rc::gen::inRange(1, 6);
  for (int i = 0; i < bursts; ++i) t.bursts.push_back(any_burst(t.nodes));
  return t;
}

/// Tenant b's jobs are of one GPU a pod, all of them together within its quota: they fit wherever
/// the others' quotas leave them room.
Tenants any_sharers() {
  auto t = any_tenants();
  const auto gpus = total(t.nodes);
  t.quota_b = *rc::gen::inRange(1, gpus + 1);
  t.quota_a = *rc::gen::inRange(0, gpus - t.quota_b + 1);
  for (int left = t.quota_b; left > 0 && t.owed.size() < 4;) {
    const auto pods = *rc::gen::inRange(1, left + 1);
    t.owed.push_back({.pods = pods, .gpus = 1, .at = *rc::gen::element(0, 10, 30, 90)});
    left -= pods;
  }
  return t;
}

/// The same where nobody reclaims, and tenant a has no more than its limit. Room that is kept for a
/// job of it is complete when tenant b's pods that run there have ended.
Tenants any_limited() {
  auto t = any_sharers();
  t.limited = true;
  for (auto& job : t.owed) job.runs = longest_run;
  return t;
}

/// The cluster is owed to tenant b, whose job needs whole parts of it.
Tenants any_owner() {
  auto t = any_tenants();
  t.quota_b = total(t.nodes);
  OwedJob job{.pods = 1, .gpus = *rc::gen::inRange(1, 9), .at = *rc::gen::element(10, 30, 90)};
  int fit = 0;
  for (const auto gpus : t.nodes) fit += gpus / job.gpus;
  RC_PRE(fit > 0);
  job.pods = *rc::gen::inRange(1, fit + 1);
  t.owed.push_back(job);
  return t;
}

/// What plans may take at most until everybody has had their turn: each bound of a plan, as often
/// as it takes to go through all that there is.
Duration bound_of(const Tenants& t) {
  std::int64_t jobs = 0;
  std::int64_t pods = 0;
  for (const auto& burst : t.bursts) {
    jobs += burst.copies;
    pods += std::int64_t{burst.copies} * burst.pods;
  }
  for (const auto& owed : t.owed) {
    ++jobs;
    pods += owed.pods;
  }
  const auto pairs = pods * static_cast<std::int64_t>(t.nodes.size());
  const auto rounds =
      jobs / t.budgets.jobs + pairs / t.budgets.nodes_tried +
      pods / std::min(t.budgets.evictions, t.budgets.evictions_per_queue.value_or(64));
  const auto kept = t.limited ? seconds(t.reserve_after + longest_run) : seconds(0);
  return seconds(60 + 4 * rounds) + 2 * t.budgets.victim_cooldown + kept;
}

simulate::PodsRun play(const Tenants& t, bool hostile) {
  TenantObjects objects(t);
  simulate::PodsOptions options;
  options.until = seconds(90) + bound_of(t) + seconds(10);
  auto run =
      simulate::run_pods(objects.cluster(), objects.workload(hostile), objects.policy(), options);
  RC_ASSERT(run.has_value());
  return std::move(*run);
}

/// Each of tenant b's pods started in time, and none of them had to go.
void expect_served(const Tenants& t, bool hostile) {
  const auto bound = bound_of(t);
  for (const auto& pod : play(t, hostile).pods) {
    if (pod.pod.namespace_name != "b") continue;
    const auto say = [&](const char* what) {
      return (hostile ? "beside tenant a: " : "alone: ") + pod.pod.to_string() + " " + what + " " +
             std::string(text(pod.reason)) + ": " + pod.detail;
    };
    if (!pod.bound) RC_FAIL(say("was not bound"));
    if (*pod.bound - pod.created > bound) RC_FAIL(say("was bound too late"));
    if (pod.evicted) RC_FAIL(say("was evicted"));
  }
}

void check(const char* name, Tenants (*draw)()) {
  CHECK(rc::check(name, [draw] {
    const auto t = draw();
    RC_LOG() << t;
    expect_served(t, false);
    expect_served(t, true);
  }));
}

TEST_CASE("what a queue is owed starts in time, whatever another tenant asks for") {
  check("shares of a cluster", any_sharers);
}

TEST_CASE("what a tenant's limit leaves to others is theirs in time, whatever it asks for") {
  check("limits of a cluster", any_limited);
}

TEST_CASE("who owns the cluster gets whole parts of it back in time") {
  check("a cluster with one owner", any_owner);
}

}  // namespace
}  // namespace dray::property::isolation_test
