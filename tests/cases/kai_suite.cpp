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

planner::Actions actions_of(const Json& json) {
  planner::Actions actions{false, false, false, false, false};
  for (const auto& action : json.at("actions")) {
    actions.place = actions.place || action == "allocate";
    actions.consolidate = actions.consolidate || action == "consolidation";
    actions.reclaim = actions.reclaim || action == "reclaim";
    actions.preempt = actions.preempt || action == "preempt";
    actions.end_stale_gangs = actions.end_stale_gangs || action == "stalegangeviction";
  }
  return actions;
}

/// Who shares a device with whom, as one side names the devices and as the other does.
class Sharing {
 public:
  /// Devices known by both names beforehand.
  void know(const std::string& node, const std::string& group, const std::string& device) {
    pair(node, group, device);
  }
  void add(const std::string& node, const Json& groups, std::vector<std::string> devices) {
    if (groups.size() != devices.size()) {
      agree_ = false;
      return;
    }
    std::vector<std::string> unknown;
    for (const auto& group : groups) {
      const auto name = group.get<std::string>();
      const auto known = device_of_.find({node, name});
      if (known == device_of_.end()) {
        unknown.push_back(name);
      } else if (std::erase(devices, known->second) == 0) {
        agree_ = false;
        return;
      }
    }
    for (std::size_t i = 0; i < unknown.size(); ++i) pair(node, unknown[i], devices[i]);
  }
  [[nodiscard]] bool agree() const { return agree_; }

 private:
  void pair(const std::string& node, const std::string& group, const std::string& device) {
    const bool fresh = device_of_.emplace(std::pair(node, group), device).second &&
                       group_of_.emplace(std::pair(node, device), group).second;
    agree_ = agree_ && fresh;
  }

  bool agree_ = true;
  std::map<std::pair<std::string, std::string>, std::string> device_of_;
  std::map<std::pair<std::string, std::string>, std::string> group_of_;
};

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
  void sharing(const Sharing& sharing) {
    if (sharing.agree()) return;
    verdict_.got += "devices shared otherwise, ";
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

const Json no_json = Json::object();

const Json& member_of(const Json& json, const std::string& key) {
  const auto at = json.find(key);
  return at == json.end() ? no_json : *at;
}

/// Who shares devices, by the groups of KAI that `said_of` a task, and by dray's devices.
template <class SaidOf>
Sharing sharing(const KaiWorld& world, const SaidOf& said_of) {
  Sharing sharing;
  for (const auto& [device, group] : world.groups()) {
    sharing.know(device.pool.get(), group, device.device.get());
  }
  for (const auto& [uid, task] : world.tasks()) {
    const Json& said = said_of(task);
    if (task.gone || task.node.empty() || !task.shares || !said.contains("gpuGroups")) continue;
    std::vector<std::string> devices;
    for (const auto& device : task.devices) devices.push_back(device.device.get());
    sharing.add(task.node, said["gpuGroups"], std::move(devices));
  }
  return sharing;
}

/// Of a task; where a row says the same of the whole job, that.
const Json& expected_of(const Json& json, const KaiWorld::Task& task) {
  const auto& expected = json.at("expected");
  const Json& own = member_of(member_of(expected, "tasks"), task.uid);
  return own.empty() ? member_of(member_of(expected, "jobs"), task.job) : own;
}

/// KAI's own test compares groups only where they are equal, so some rows expect what KAI itself
/// does not do: those do not count.
bool kai_shares_so(const KaiWorld& world, const Json& json) {
  if (!json.contains("observed")) return false;
  const Json& observed = json["observed"].at("tasks");
  Sharing sharing;
  for (const auto& [device, group] : world.groups()) {
    sharing.know(device.pool.get(), group, group);
  }
  for (const auto& [uid, task] : world.tasks()) {
    const Json& said = expected_of(json, task);
    const Json& seen = member_of(observed, uid);
    if (!task.shares || !said.contains("gpuGroups") || !seen.contains("gpuGroups")) continue;
    sharing.add(seen.value("node", ""), said["gpuGroups"],
                seen["gpuGroups"].get<std::vector<std::string>>());
  }
  return sharing.agree();
}

Mismatches check(const KaiWorld& world, const Json& json) {
  Mismatches mismatches;
  const Json& expected = json.at("expected");
  const Json& jobs = member_of(expected, "jobs");
  const Json& tasks = member_of(expected, "tasks");
  for (const auto& [uid, task] : world.tasks()) {
    if (task.gone) continue;
    if (jobs.contains(task.job)) mismatches.compare(world, task, jobs[task.job]);
    if (tasks.contains(uid)) mismatches.compare(world, task, tasks[uid]);
  }
  if (kai_shares_so(world, json)) {
    mismatches.sharing(sharing(world, [&](const KaiWorld::Task& task) -> const Json& {
      const Json& said = expected_of(json, task);
      return said.value("dontValidateGpuGroup", false) ? no_json : said;
    }));
  }
  return mismatches;
}

/// Where the end is another than KAI's was.
Mismatches check_observed(const KaiWorld& world, const Json& json) {
  Mismatches mismatches;
  const auto& observed = json.at("observed").at("tasks");
  for (const auto& [uid, task] : world.tasks()) {
    if (!task.gone && observed.contains(uid)) mismatches.compare(world, task, observed[uid]);
  }
  mismatches.sharing(sharing(world, [&](const KaiWorld::Task& task) -> const Json& {
    return member_of(observed, task.uid);
  }));
  return mismatches;
}

Verdict run_case(const Json& json, bool strict) {
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
  planner::Planner planner(options);
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
  if (strict && json.contains("observed")) mismatches = check_observed(world, json);
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
  report_case(one, report, [&](const Json& json) {
    auto verdict = run_case(json, report.strict());
    const auto why = why_different(json.value("id", ""));
    if (!verdict.got.empty() && !why.empty()) verdict.want += "(on purpose: " + why + ")";
    return verdict;
  });
});

}  // namespace
}  // namespace dray::cases
