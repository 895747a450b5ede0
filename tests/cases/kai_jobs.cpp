#include "tests/cases/kai_world.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/cases/kai_parts.h"

// Pods and jobs of a case, and what kube-scheduler would say of them.

namespace dray::cases {

std::shared_ptr<const Pod> KaiWorld::pod_of(const Task& task, const Json& job) const {
  Pod pod;
  pod.meta.namespace_name = job.value("namespace", "test");
  pod.meta.name = task.uid;
  pod.meta.uid = Uid(task.uid);
  pod.meta.created = minutes_from_start(job, "createdMin");
  pod.priority = job.value("priority", 0);
  pod.phase = task.status == "Succeeded" || task.status == "Failed" ? task.status : "Pending";
  if (holds_room(task.status) && !task.node.empty()) {
    pod.node_name = NodeName(task.node);
    pod.phase = "Running";
  }
  Container container;
  const auto& requests = task.json->at("requests");
  container.requests["cpu"] = Quantity::from_milli(std::llround(requests.value("cpu", 0.0)));
  container.requests["memory"] = Quantity(std::llround(requests.value("memory", 0.0)));
  pod.containers.push_back(std::move(container));
  for (const auto& claim : task.claims) {
    pod.resource_claims.push_back({.name = claim, .claim_name = claim, .template_name = {}});
  }
  const auto affinity = task.json->value("affinity", Json::object());
  const auto node_affinity =
      affinity.value("nodeAffinity", Json::object())
          .value("requiredDuringSchedulingIgnoredDuringExecution", Json::object());
  if (node_affinity.contains("nodeSelectorTerms")) {
    NodeSelector selector;
    for (const auto& term : node_affinity["nodeSelectorTerms"]) {
      NodeSelectorTerm made;
      for (const auto& rule : term.value("matchExpressions", Json::array())) {
        made.match_expressions.push_back({rule.at("key").get<std::string>(),
                                          rule.at("operator").get<std::string>(),
                                          rule.value("values", std::vector<std::string>{})});
      }
      selector.terms.push_back(std::move(made));
    }
    pod.required_node_affinity = std::move(selector);
  }
  return std::make_shared<const Pod>(std::move(pod));
}

policy::SubGroup KaiWorld::gang_of(const Json& gang, const Json& job) const {
  policy::SubGroup group;
  group.name = gang.value("name", "");
  if (gang.contains("minSubGroup") && !gang["minSubGroup"].is_null()) {
    group.min_sub_group = gang["minSubGroup"].get<std::int32_t>();
  }
  group.topology = constraint_of(gang);
  for (const auto& json : gang.value("podSets", Json::array())) {
    policy::PodSet set;
    set.name = json.at("name").get<std::string>();
    set.min_member = json.value("minMember", 1);
    set.topology = constraint_of(json);
    struct Ranked {
      int priority;
      std::string uid;
      std::uint32_t id;
    };
    std::vector<Ranked> ranked;
    std::uint32_t id = 0;
    for (const auto& task : job.at("tasks")) {
      const auto here = task.value("subGroup", "default");
      const auto order = task.value("taskOrderPriority", "0");
      if ((here.empty() ? "default" : here) == set.name) {
        ranked.push_back(
            {-std::stoi(order.empty() ? "0" : order), task.at("uid").get<std::string>(), id});
      }
      ++id;
    }
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
      return std::tie(a.priority, a.uid) < std::tie(b.priority, b.uid);
    });
    for (const auto& each : ranked) set.tasks.push_back({.id = each.id});
    group.pod_sets.push_back(std::move(set));
  }
  for (const auto& sub : gang.value("subGroups", Json::array())) {
    group.sub_groups.push_back(gang_of(sub, job));
  }
  return group;
}

std::shared_ptr<const planner::Job> KaiWorld::job_of(const Json& json) const {
  planner::Job job;
  job.name = json.at("name").get<std::string>();
  job.lineage = job.name;
  job.uid = Uid(job.name);
  job.queue = policy::QueueName(json.at("queue").get<std::string>());
  job.priority = json.value("priority", 0);
  job.preemptible = json.value("preemptibility", "preemptible") != "non-preemptible";
  job.created = minutes_from_start(json, "createdMin");
  job.queued = now_;
  if (json.contains("lastStartMin")) job.started = minutes_from_start(json, "lastStartMin");
  if (json.contains("preemptionDelaySec")) job.evict_delay = seconds_of(json["preemptionDelaySec"]);
  if (json.contains("stalenessGraceSec")) job.stale_after = seconds_of(json["stalenessGraceSec"]);
  if (json.contains("staleForSec")) job.stale_since = test_start - seconds_of(json["staleForSec"]);
  if (const auto at = stale_.find(job.name); at != stale_.end()) job.stale_since = at->second;
  for (const auto& task : json.at("tasks")) {
    const auto& known = tasks_.at(task.at("uid").get<std::string>());
    planner::Member member{
        .pod = pod_of(known, json),
        .state = known.gone ? planner::MemberState::done : state_of(known.status),
        .node = {}};
    if (holds_room(known.status) && !known.node.empty()) member.node = NodeName(known.node);
    job.members.push_back(std::move(member));
  }
  job.gang = gang_of(json.at("gang"), json);
  return std::make_shared<const planner::Job>(std::move(job));
}

/// Where kube-scheduler would not have a pod for the pods that are there: required inter-pod
/// affinity is its business, and it says so of each node.
std::vector<planner::RefusedNode> KaiWorld::refused_by_pods() const {
  std::vector<planner::RefusedNode> refused;
  const auto matches = [&](const Json& term, const Task& other) {
    const auto want =
        term.value("labelSelector", Json::object()).value("matchLabels", Json::object());
    const auto labels = other.json->value("labels", Json::object());
    for (const auto& [key, value] : want.items()) {
      if (labels.value(key, "") != value.get<std::string>()) return false;
    }
    return true;
  };
  const auto domain_of = [&](const std::string& node, const std::string& key) {
    const auto at = std::ranges::find(nodes_, node, [](const Node& n) { return n.meta.name; });
    const auto label = at->meta.labels.find(key);
    return label == at->meta.labels.end() ? std::string() : label->second;
  };
  const auto has_match = [&](const Json& term, const Node& node, const std::string& self) {
    const auto key = term.at("topologyKey").get<std::string>();
    return std::ranges::any_of(tasks_, [&](const auto& entry) {
      const auto& other = entry.second;
      return entry.first != self && holds_room(other.status) && !other.node.empty() &&
             matches(term, other) && domain_of(other.node, key) == domain_of(node.meta.name, key);
    });
  };
  constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
  for (const auto& [uid, task] : tasks_) {
    const auto affinity = task.json->value("affinity", Json::object());
    const auto near = affinity.value("podAffinity", Json::object()).value(required, Json::array());
    const auto far =
        affinity.value("podAntiAffinity", Json::object()).value(required, Json::array());
    for (const auto& node : nodes_) {
      const auto found = [&](const Json& term) { return has_match(term, node, uid); };
      if (std::ranges::all_of(near, found) && std::ranges::none_of(far, found)) continue;
      refused.push_back({Uid(uid), NodeName(node.meta.name)});
    }
  }
  std::ranges::sort(refused);
  return refused;
}

}  // namespace dray::cases
