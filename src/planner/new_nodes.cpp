#include "dray/planner/new_nodes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dray/planner/plan.h"
#include "dray/planner/pod_claims.h"
#include "planner/template_nodes.h"

namespace dray::planner {
namespace {

/// The node without what is its own.
Node look_of(const Node& node) {
  Node look = node;
  look.meta = {};
  look.meta.labels = node.meta.labels;
  look.meta.labels.erase(label_hostname);
  return look;
}

bool is_of(const Node& node, const TemplateNodes::Group& group) {
  const auto& labels = group.node.meta.labels;
  return group.problem.empty() && !labels.empty() &&
         std::ranges::all_of(labels, [&](const auto& label) {
           const auto found = node.meta.labels.find(label.first);
           return found != node.meta.labels.end() && found->second == label.second;
         });
}

/// The pod with its claims, in a cluster that knows neither.
void bring(const cluster::Snapshot& real, const Pod& pod, cluster::ClusterState& cluster) {
  if (const auto space = real.name_space(NamespaceName(pod.meta.namespace_name))) {
    cluster.apply(*space);
  }
  if (const auto claims = claims_of(real, pod)) {
    for (const auto& claim : *claims) cluster.apply(*claim);
  }
  cluster.apply(pod);
}

}  // namespace

std::vector<Reason> verdicts_of_new_nodes(const cluster::Snapshot& real,
                                          const policy::PolicyConfig& config,
                                          const alloc::AllocatorOptions& options, const Pod& pod,
                                          std::span<const Node* const> nodes, Time now) {
  TemplateNodes templates(real, config);
  auto& cluster = templates.cluster();
  bring(real, pod, cluster);
  std::vector<Node> looks;
  std::vector<NodeName> names;       // of the first node of each look
  std::vector<std::size_t> look_at;  // by node
  for (const auto* node : nodes) {
    auto look = look_of(*node);
    const auto known = std::ranges::find(looks, look);
    look_at.push_back(static_cast<std::size_t>(known - looks.begin()));
    if (known != looks.end()) continue;
    looks.push_back(std::move(look));
    names.emplace_back(node->meta.name);
    cluster.apply(*node);
    const auto group = std::ranges::find_if(templates.groups(),
                                            [&](const auto& each) { return is_of(*node, each); });
    if (group != templates.groups().end()) templates.publish(names.back(), group->slices);
  }
  PlanInput input;
  input.snapshot = cluster.snapshot();
  input.only = names;
  input.budget = PlanBudget::unbounded();
  input.now = now;
  const auto job = std::make_shared<const Job>(single_pod_job(
      cluster.pod(pod.key()), policy::QueueName(std::string(policy::default_queue)), now));
  input.jobs.put(job);
  auto own = options;
  own.next_share_id = nullptr;  // share ids of what is only tried are nobody's
  const auto said = Planner(own).verdicts(input, job->uid);
  std::vector<Reason> verdicts;
  verdicts.reserve(nodes.size());
  for (const auto at : look_at) verdicts.push_back(said[at]);
  return verdicts;
}

}  // namespace dray::planner
