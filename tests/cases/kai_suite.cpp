#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "tests/cases/kai_world.h"
#include "tests/cases/policy_case.h"

namespace dray::cases {
namespace {

engine::Actions actions_of(const Json& json) {
  engine::Actions actions{false, false, false, false, false};
  for (const auto& action : json.at("actions")) {
    actions.place = actions.place || action == "allocate";
    actions.consolidate = actions.consolidate || action == "consolidation";
    actions.reclaim = actions.reclaim || action == "reclaim";
    actions.preempt = actions.preempt || action == "preempt";
    actions.end_stale_gangs = actions.end_stale_gangs || action == "stalegangeviction";
  }
  return actions;
}

/// Collects where the world is not as the table expects it.
class Mismatches {
 public:
  void compare(const KaiWorld& world, const KaiWorld::Task& task, const Json& expected) {
    std::string got = task.status;
    std::string want = expected.value("status", task.status);
    if (expected.contains("node") && !expected["node"].get<std::string>().empty()) {
      want += "@" + expected["node"].get<std::string>();
      got += "@" + task.node;
    }
    if (got == want) return;
    verdict_.got += task.uid + " " + got;
    if (task.status == "Pending") verdict_.got += " (" + world.reason_of(task.job) + ")";
    verdict_.got += ", ";
    verdict_.want += task.uid + " " + want + ", ";
  }
  void limit(const char* what, std::size_t count, const Json& limits, const char* key) {
    const auto it = limits.find(key);
    if (it == limits.end() || it->is_null() || count <= it->get<std::size_t>()) return;
    verdict_.got += fmt::format("{} {}, ", what, count);
    verdict_.want += fmt::format("{} <= {}, ", what, it->get<std::size_t>());
  }
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }
  [[nodiscard]] bool none() const { return verdict_.got.empty() && verdict_.want.empty(); }

 private:
  Verdict verdict_;
};

Mismatches check(const KaiWorld& world, const Json& json) {
  Mismatches mismatches;
  const auto& expected = json.at("expected");
  const auto jobs = expected.value("jobs", Json::object());
  for (const auto& [uid, task] : world.tasks()) {
    if (task.gone) continue;
    if (jobs.contains(task.job)) mismatches.compare(world, task, jobs[task.job]);
    const auto tasks = expected.value("tasks", Json::object());
    if (tasks.contains(uid)) mismatches.compare(world, task, tasks[uid]);
  }
  return mismatches;
}

Verdict run_case(const Json& json) {
  KaiWorld world(json);
  const auto actions = actions_of(json);
  const auto& rounds = json.at("rounds");
  const auto pause = std::chrono::milliseconds(rounds.value("delayMs", 0));
  const auto until = rounds.value("untilMatch", 2);
  const auto after = rounds.value("afterMatch", 5);
  const auto limits = json.value("callLimits", Json::object());
  Mismatches mismatches;
  alloc::AllocatorOptions options;
  options.mode = alloc::Mode::best;
  engine::Planner planner(options);
  // A single action is judged by what it decided, a cycle by what became of it.
  const bool cycle = json.at("suite") == "cycle";
  for (int round = 1; round <= until + after; ++round) {
    world.apply(planner.plan(world.input(actions)));
    if (cycle) world.settle(pause);
    mismatches = {};
    if (round >= until) mismatches = check(world, json);
    // KAI's tests bound the calls of each session.
    mismatches.limit("binds", std::exchange(world.binds, 0), limits, "maxBinds");
    mismatches.limit("evictions", std::exchange(world.evictions, 0), limits, "maxEvictions");
    mismatches.limit("pipelines", std::exchange(world.pipelines, 0), limits, "maxPipelines");
    if (!mismatches.none()) {
      auto verdict = mismatches.verdict();
      verdict.got = fmt::format("round {}: {}{}", round, verdict.got, world.log());
      return verdict;
    }
  }
  return mismatches.verdict();
}

/// Where dray means to differ, and why.
std::string why_different(const std::string& id) {
  static const std::map<std::string, std::string> reasons{
      {"allocateMIG/03", "MIG devices are given out whoever else runs on the node"},
      {"allocateMIG/04", "a pod without devices runs on any node, cut cards or not"},
      {"reclaim_elastic/09", "there is room beside the victims: nobody is evicted"},
      {"action/reclaim/reclaim/05", "there is room beside the victims: nobody is evicted"},
      {"allocate_dra/08",
       "a shared claim needs no queue label: it counts once, for its first user"},
      {"allocate_dra/09",
       "a shared claim needs no queue label: it counts once, for its first user"},
      {"allocateFractionalGpu/14", "nobody waits for a promised device while another is free"},
      {"consolidation_subgroups/03", "a pod of one GPU is moved in place of one of three"},
      {"cycle/reclaim/reclaim/09", "a queue below its fair share gets it back, once"},
      {"cycle/reclaim/reclaim/07",
       "a queue below its quota gets it back; the room is held for it, so nothing loops"}};
  for (const auto& [end, reason] : reasons) {
    if (id.ends_with(end)) return reason;
  }
  return {};
}

const Register kai("kai", [](const Case& one, Report& report) {
  if (!one.json.contains("suite") || !one.json.contains("rounds")) {
    return report.skip("no scheduling case");
  }
  report_case(one, report, [](const Json& json) {
    auto verdict = run_case(json);
    const auto why = why_different(json.value("id", ""));
    if (!verdict.got.empty() && !why.empty()) verdict.want += "(on purpose: " + why + ")";
    return verdict;
  });
});

}  // namespace
}  // namespace dray::cases
