#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "dray/policy/capacity.h"
#include "dray/policy/gang.h"
#include "dray/policy/min_runtime.h"
#include "dray/policy/queue_order.h"
#include "dray/policy/reclaim.h"
#include "tests/cases/policy_case.h"

namespace dray::cases {

namespace {

template <class T>
Verdict compare(const char* what, const T& expected, const T& got) {
  if (expected == got) return {};
  return {fmt::format("{} {}", what, got), fmt::format("{} {}", what, expected)};
}

policy::QueueIndex index_of(const policy::QueueTree& tree, const Json& name) {
  const auto index = tree.find(name.get<std::string>());
  if (!index) throw std::runtime_error("no queue " + name.dump());
  return *index;
}

Verdict run_reclaim(const Json& line, const std::string& fn) {
  const auto tree = read_tree(line.at("queues"), "key");
  const auto& job = line.at("reclaimer");
  const policy::Reclaimer reclaimer{index_of(tree, job.at("queue")),
                                    read_amounts(job.at("required")),
                                    job.at("preemptible").get<bool>()};
  bool got = false;
  if (fn == "CanReclaimResources") {
    got = policy::may_reclaim(tree, reclaimer);
  } else if (fn == "FilterVictim") {
    got = policy::may_give(tree, reclaimer, index_of(tree, line.at("victimQueue")));
  } else {
    std::vector<policy::Taking> takings;
    for (const auto& [queue, chunks] : line.at("victimsByQueue").items()) {
      policy::Taking taking{index_of(tree, queue), {}};
      for (const auto& chunk : chunks) taking.chunks.push_back(read_amounts(chunk));
      takings.push_back(std::move(taking));
    }
    got = policy::reclaim_holds(tree, reclaimer, takings,
                                line.at("saturationMultiplier").get<double>());
  }
  return compare("result", line.at("result").get<bool>(), got);
}

Verdict run_strategy(const Json& line) {
  const auto taker = read_queue(line.at("reclaimer"), "name");
  const auto giver = read_queue(line.at("reclaimee"), "name");
  const auto remains = read_amounts(line.at("reclaimeeRemaining"));
  const auto strategy = line.at("strategy").get<std::string>();
  const bool got = strategy == "MaintainFairShare"
                       ? policy::maintains_fair_share(giver, remains)
                       : policy::guarantees_quota(taker, read_amounts(line.at("reclaimerRequired")),
                                                  giver, remains);
  return compare("result", line.at("result").get<bool>(), got);
}

Verdict run_queue_order(const Json& line) {
  auto left = read_queue(line.at("left"), "name");
  auto right = read_queue(line.at("right"), "name");
  left.created = Time(std::chrono::seconds(line.at("creationCompare").get<int>()));
  right.created = Time();
  const auto left_next = read_amounts(line.at("leftJob"));
  const auto right_next = read_amounts(line.at("rightJob"));
  std::vector<policy::Amounts> left_taken;
  std::vector<policy::Amounts> right_taken;
  for (const auto& victim : line.at("leftVictims")) left_taken.push_back(read_amounts(victim));
  for (const auto& victim : line.at("rightVictims")) right_taken.push_back(read_amounts(victim));
  const auto order =
      policy::compare_turns({left, &left_next, left_taken}, {right, &right_next, right_taken},
                            read_amounts(line.at("total")));
  // The table has no tie: a queue that is not younger goes second.
  return compare("result", line.at("result").get<int>(), order < 0 ? -1 : 1);
}

Verdict run_capacity(const Json& line) {
  const auto tree = read_tree(line.at("queues"), "key");
  const auto leaf = index_of(tree, line.at("jobQueue"));
  const auto requested = read_amounts(line.at("requested"));
  std::optional<policy::CapacityRefusal> refusal;
  if (line.at("check") == "limit") {
    refusal = policy::over_limit(tree, leaf, requested);
  } else if (!line.at("preemptible").get<bool>()) {
    refusal = policy::over_quota(tree, leaf, requested);
  }
  std::string reason;
  if (refusal) {
    reason = refusal->rule == policy::CapacityRule::limit ? "OverLimit" : "NonPreemptibleOverQuota";
  }
  auto verdict = compare("schedulable", line.at("schedulable").get<bool>(), !refusal.has_value());
  if (verdict.want.empty()) {
    verdict = compare("reason", line.at("reason").get<std::string>(), reason);
  }
  if (!verdict.want.empty()) return verdict;
  return compare("message", line.at("message").get<std::string>(),
                 refusal ? policy::message(*refusal, tree, kai_resources()) : "");
}

Verdict run_min_runtime(const Json& line, const std::string& fn) {
  const auto tree = read_tree(line.at("queues"), "name");
  const auto named = [&](const char* key) -> std::optional<std::string> {
    const auto it = line.find(key);
    if (it == line.end() || it->is_null()) return std::nullopt;
    return it->get<std::string>();
  };
  const auto default_of = [&](const char* key) {
    return Duration(std::chrono::seconds(line.at("defaults").at(key).get<int>()));
  };
  const auto index = [&](const char* key) -> std::optional<policy::QueueIndex> {
    const auto name = named(key);
    return name ? tree.find(*name) : std::nullopt;
  };
  const bool preempt = fn == "preempt";
  const auto victim = index("victimQueue");
  auto got = default_of(preempt ? "preemptSec" : "reclaimSec");
  if (preempt) {
    got = policy::preempt_min_runtime(tree, victim, got);
  } else if (const auto taker = index("preemptorQueue")) {
    const auto resolution = line.at("method") == "queue" ? policy::ReclaimResolution::queue
                                                         : policy::ReclaimResolution::lca;
    got = policy::reclaim_min_runtime(tree, *taker, victim, resolution, got);
  }
  return compare("seconds", line.at("expectedSec").get<double>(),
                 std::chrono::duration<double>(got).count());
}

policy::TaskState read_state(const std::string& status) {
  if (status == "Pending") return policy::TaskState::pending;
  for (const auto* placed : {"Allocated", "Pipelined", "Binding", "Bound", "Running"}) {
    if (status == placed) return policy::TaskState::placed;
  }
  return policy::TaskState::other;
}

policy::PodSet read_pod_set(const Json& json, std::vector<std::string>& uids) {
  policy::PodSet set;
  set.name = json.at("name").get<std::string>();
  set.min_member = json.at("minMember").get<int>();
  auto tasks = json.at("tasks").get<std::vector<Json>>();
  std::ranges::sort(tasks, {}, [](const Json& task) { return task.at("uid").get<std::string>(); });
  for (const auto& task : tasks) {
    set.tasks.push_back({static_cast<std::uint32_t>(uids.size()),
                         read_state(task.at("status").get<std::string>())});
    uids.push_back(task.at("uid").get<std::string>());
  }
  return set;
}

policy::SubGroup read_group(const Json& json, std::vector<std::string>& uids) {
  policy::SubGroup group;
  group.name = json.at("name").get<std::string>();
  if (json.contains("minSubGroup") && !json["minSubGroup"].is_null()) {
    group.min_sub_group = json["minSubGroup"].get<int>();
  }
  for (const auto& set : json.at("podSets")) group.pod_sets.push_back(read_pod_set(set, uids));
  for (const auto& sub : json.at("subGroups")) group.sub_groups.push_back(read_group(sub, uids));
  return group;
}

Verdict run_gang_pick(const Json& line, const std::string& fn) {
  std::vector<std::string> uids;
  const auto root = read_group(line.at("root"), uids);
  // The tables were recorded with members in the order of their names.
  const auto by_name = [](const policy::MemberProgress& a, const policy::MemberProgress& b) {
    return std::weak_ordering(a.name <=> b.name);
  };
  std::vector<std::uint32_t> ids;
  Verdict verdict;
  if (fn == "tasksToEvict") {
    auto eviction = policy::next_to_evict(root, by_name);
    ids = std::move(eviction.tasks);
    verdict = compare("hasMore", line.at("hasMore").get<bool>(), eviction.more);
  } else {
    ids = policy::next_to_place(root, by_name, !line.at("realAllocation").get<bool>());
  }
  if (!verdict.want.empty()) return verdict;
  std::vector<std::string> got;
  for (const auto id : ids) got.push_back(uids[id]);
  auto expected = line.at("expected").get<std::vector<std::string>>();
  // KAI leaves the order of a gang's eviction open.
  std::ranges::sort(got);
  std::ranges::sort(expected);
  return compare("tasks", fmt::format("{}", expected), fmt::format("{}", got));
}

Verdict run_rule(const Json& line) {
  if (line.contains("strategy")) return run_strategy(line);
  if (line.contains("check")) return run_capacity(line);
  if (line.contains("creationCompare")) return run_queue_order(line);
  const auto fn = line.at("fn").get<std::string>();
  if (fn == "CanReclaimResources" || fn == "FilterVictim" || fn == "Reclaimable") {
    return run_reclaim(line, fn);
  }
  if (fn == "preempt" || fn == "reclaim") return run_min_runtime(line, fn);
  if (fn == "tasksToAllocate" || fn == "tasksToEvict") return run_gang_pick(line, fn);
  return {"no such rule: " + fn, "a rule"};
}

/// Told apart by their fields.
bool is_rule(const Json& line) {
  const auto has = [&](const char* key) { return line.contains(key); };
  return has("strategy") || has("check") || has("creationCompare") || has("fn");
}

const Register rules("rules", [](const Case& one, Report& report) {
  if (!is_rule(one.json)) return report.skip("no rule");
  report_case(one, report, run_rule);
});

}  // namespace

}  // namespace dray::cases
