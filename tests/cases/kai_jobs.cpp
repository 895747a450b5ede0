#include "tests/cases/kai_jobs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/cases/kai_parts.h"
#include "tests/objects/pods.h"

// Pods and jobs of a case, and what kube-scheduler would say of them.

namespace dray::cases {
namespace {

planner::MemberState state_of(const std::string& status) {
  if (status == "Pending") return planner::MemberState::waiting;
  if (status == "Releasing") return planner::MemberState::leaving;
  if (status == "StuckInReleasing") return planner::MemberState::stuck;
  if (status == "Gated") return planner::MemberState::blocked;
  if (holds_room(status)) return planner::MemberState::placed;
  return planner::MemberState::done;
}

policy::TopologyConstraint constraint_of(const Json& group) {
  const auto constraint = object_of(group, "topologyConstraint");
  return {text_of(constraint, "topology"), text_of(constraint, "required"),
          text_of(constraint, "preferred")};
}

constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";

std::optional<NodeSelector> node_affinity_of(const Json& task) {
  const auto wanted = object_of(object_of(object_of(task, "affinity"), "nodeAffinity"), required);
  if (!wanted.contains("nodeSelectorTerms")) return std::nullopt;
  NodeSelector selector;
  for (const auto& term : wanted["nodeSelectorTerms"]) {
    NodeSelectorTerm made;
    for (const auto& rule : list_of(term, "matchExpressions")) {
      made.match_expressions.push_back({rule.at("key").get<std::string>(),
                                        rule.at("operator").get<std::string>(),
                                        get_or(rule, "values", std::vector<std::string>{})});
    }
    selector.terms.push_back(std::move(made));
  }
  return selector;
}

std::shared_ptr<const Pod> pod_of(const KaiTask& task, const Json& job) {
  const auto& requests = task.json->at("requests");
  auto pod = testing::make_pod(
      task.uid, {{"cpu", Quantity::from_milli(std::llround(get_or(requests, "cpu", 0.0)))},
                 {"memory", whole(get_or(requests, "memory", 0.0))}});
  pod.meta.namespace_name = get_or(job, "namespace", std::string("test"));
  pod.meta.uid = Uid(task.uid);
  pod.meta.created = minutes_from_start(job, "createdMin");
  pod.priority = get_or(job, "priority", 0);
  if (task.status == "Succeeded" || task.status == "Failed") pod.phase = task.status;
  if (holds_room(task.status) && !task.node.empty()) {
    pod.node_name = NodeName(task.node);
    pod.phase = "Running";
  }
  for (const auto& claim : task.claims) pod = testing::with_claim(std::move(pod), claim, claim);
  pod.required_node_affinity = node_affinity_of(*task.json);
  return std::make_shared<const Pod>(std::move(pod));
}

/// The tasks of a pod set in the order in which KAI takes them.
std::vector<policy::GangTask> tasks_of(const std::string& pod_set, const Json& job) {
  struct Ranked {
    int priority;
    std::string uid;
    std::uint32_t id;
  };
  std::vector<Ranked> ranked;
  std::uint32_t id = 0;
  for (const auto& task : job.at("tasks")) {
    const auto here = text_of(task, "subGroup");
    const auto order = text_of(task, "taskOrderPriority");
    if ((here.empty() ? "default" : here) == pod_set) {
      ranked.push_back(
          {-std::stoi(order.empty() ? "0" : order), task.at("uid").get<std::string>(), id});
    }
    ++id;
  }
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
    return std::tie(a.priority, a.uid) < std::tie(b.priority, b.uid);
  });
  std::vector<policy::GangTask> tasks;
  for (const auto& each : ranked) tasks.push_back({.id = each.id});
  return tasks;
}

policy::SubGroup gang_of(const Json& gang, const Json& job) {
  policy::SubGroup group;
  group.name = text_of(gang, "name");
  if (gang.contains("minSubGroup") && !gang["minSubGroup"].is_null()) {
    group.min_sub_group = gang["minSubGroup"].get<std::int32_t>();
  }
  group.topology = constraint_of(gang);
  for (const auto& json : list_of(gang, "podSets")) {
    policy::PodSet set;
    set.name = json.at("name").get<std::string>();
    set.min_member = get_or(json, "minMember", 1);
    set.topology = constraint_of(json);
    set.tasks = tasks_of(set.name, job);
    group.pod_sets.push_back(std::move(set));
  }
  for (const auto& sub : list_of(gang, "subGroups")) group.sub_groups.push_back(gang_of(sub, job));
  return group;
}

}  // namespace

std::shared_ptr<const planner::Job> kai_job(const Json& json, const KaiObjects& objects, Time now,
                                            std::optional<Time> stale_since) {
  planner::Job job;
  job.name = json.at("name").get<std::string>();
  job.lineage = job.name;
  job.uid = Uid(job.name);
  job.queue = policy::QueueName(json.at("queue").get<std::string>());
  job.priority = get_or(json, "priority", 0);
  job.preemptible = text_of(json, "preemptibility") != "non-preemptible";
  job.created = minutes_from_start(json, "createdMin");
  job.queued = now;
  if (json.contains("lastStartMin")) job.started = minutes_from_start(json, "lastStartMin");
  if (json.contains("preemptionDelaySec")) job.evict_delay = seconds_of(json["preemptionDelaySec"]);
  if (json.contains("stalenessGraceSec")) job.stale_after = seconds_of(json["stalenessGraceSec"]);
  if (json.contains("staleForSec")) job.stale_since = test_start - seconds_of(json["staleForSec"]);
  if (stale_since) job.stale_since = stale_since;
  for (const auto& each : json.at("tasks")) {
    const auto& task = objects.tasks.at(each.at("uid").get<std::string>());
    planner::Member member{.pod = pod_of(task, json), .state = state_of(task.status), .node = {}};
    if (holds_room(task.status) && !task.node.empty()) member.node = NodeName(task.node);
    job.members.push_back(std::move(member));
  }
  job.gang = gang_of(json.at("gang"), json);
  return std::make_shared<const planner::Job>(std::move(job));
}

namespace {

/// Required inter-pod affinity among the tasks of a case.
class PodAffinity {
 public:
  explicit PodAffinity(const KaiObjects& objects) : objects_(objects) {}

  [[nodiscard]] bool allows(const KaiTask& task, const Node& node) const {
    const auto affinity = object_of(*task.json, "affinity");
    const auto found = [&](const Json& term) { return has_match(term, node, task.uid); };
    return std::ranges::all_of(list_of(object_of(affinity, "podAffinity"), required), found) &&
           std::ranges::none_of(list_of(object_of(affinity, "podAntiAffinity"), required), found);
  }

 private:
  static bool matches(const Json& term, const KaiTask& other) {
    const auto want = object_of(object_of(term, "labelSelector"), "matchLabels");
    const auto labels = object_of(*other.json, "labels");
    for (const auto& [key, value] : want.items()) {
      if (text_of(labels, key.c_str()) != value.get<std::string>()) return false;
    }
    return true;
  }
  [[nodiscard]] std::string domain_of(const std::string& node, const std::string& key) const {
    const auto at =
        std::ranges::find(objects_.nodes, node, [](const Node& each) { return each.meta.name; });
    const auto label = at->meta.labels.find(key);
    return label == at->meta.labels.end() ? std::string() : label->second;
  }
  [[nodiscard]] bool has_match(const Json& term, const Node& node, const std::string& self) const {
    const auto key = term.at("topologyKey").get<std::string>();
    return std::ranges::any_of(objects_.tasks, [&](const auto& entry) {
      const auto& other = entry.second;
      return entry.first != self && holds_room(other.status) && !other.node.empty() &&
             matches(term, other) && domain_of(other.node, key) == domain_of(node.meta.name, key);
    });
  }

  const KaiObjects& objects_;
};

}  // namespace

std::vector<planner::RefusedNode> refused_by_pods(const KaiObjects& objects) {
  std::vector<planner::RefusedNode> refused;
  const PodAffinity affinity(objects);
  for (const auto& [uid, task] : objects.tasks) {
    for (const auto& node : objects.nodes) {
      if (!affinity.allows(task, node)) refused.push_back({Uid(uid), NodeName(node.meta.name)});
    }
  }
  std::ranges::sort(refused);
  return refused;
}

}  // namespace dray::cases
