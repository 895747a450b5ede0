#include "planner/node_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dray/base/check.h"
#include "dray/model/reason.h"
#include "planner/place/domains.h"

namespace dray::planner {
namespace {

constexpr std::size_t most_groups_named = 3;

alloc::AllocatorOptions as_kube_scheduler(alloc::AllocatorOptions options) {
  options.mode = alloc::Mode::first_fit;
  return options;
}

alloc::AllocatorOptions on_its_own(alloc::AllocatorOptions options) {
  // Share ids of what is only tried are nobody's.
  options.next_share_id = nullptr;
  return options;
}

PlanInput input_for(TemplateNodes& nodes, std::span<const NodeName> only, Time now) {
  PlanInput input;
  input.snapshot = nodes.cluster().snapshot();
  input.only = only;
  input.budget = PlanBudget::unbounded();
  input.now = now;
  return input;
}

const policy::QueueName& only_queue() {
  static const policy::QueueName queue{std::string(policy::default_queue)};
  return queue;
}

/// The open policy, with the levels of topology that jobs may name.
std::shared_ptr<const policy::Policy> without_queues(const policy::Policy& policy) {
  auto config = policy::Policy::open().config;
  config.topology = policy.config.topology;
  auto made = policy::compile(std::move(config), policy.topologies, policy.level_aliases);
  DRAY_CHECK(made.has_value());
  return std::make_shared<const policy::Policy>(std::move(*made));
}

}  // namespace

bool wants_domain(const policy::SubGroup& group) {
  return !Domains::anywhere(group.topology) ||
         std::ranges::any_of(
             group.pod_sets,
             [](const policy::PodSet& set) { return !Domains::anywhere(set.topology); }) ||
         std::ranges::any_of(group.sub_groups, wants_domain);
}

NodeGrowth::NodeGrowth(const PlanContext& context, const alloc::AllocatorOptions& options)
    : context_(context),
      options_(on_its_own(options)),
      planner_(as_kube_scheduler(options_)),
      templates_(*context.input.snapshot, context.policy.config) {}

NodeGrowth::Verdict NodeGrowth::judge(const PlanJob& job, std::span<const Task* const> tasks) {
  Trial trial{.nodes = templates_.nodes().size(), .starts = starts_, .placed = {}, .claims = {}};
  for (const auto* task : tasks) bring(*task, templates_);
  for (const auto* task : tasks) {
    if (place(*task, trial)) continue;
    undo(trial);
    return {.groups = {}, .why_not = why_not(*task)};
  }
  if (!suits_policy(job, tasks, trial)) {
    undo(trial);
    return {.groups = {},
            .why_not =
                "new nodes would have room, but not as the policy and the job want it: "
                "aligned devices, or one domain"};
  }
  std::set<std::string> groups;
  for (const auto& placement : trial.placed) {
    const auto at =
        std::ranges::find(templates_.nodes(), placement.node, &TemplateNodes::Added::name);
    groups.insert(templates_.groups()[at->group].config->name);
  }
  return {.groups = {groups.begin(), groups.end()}, .why_not = {}};
}

/// The pod and its claims, as far as they are not there yet.
void NodeGrowth::bring(const Task& task, TemplateNodes& into) const {
  auto& cluster = into.cluster();
  const auto& pod = task.pod();
  if (cluster.pod(pod.key())) return;
  const NamespaceName space(pod.meta.namespace_name);
  if (const auto found = context_.input.snapshot->name_space(space)) {
    cluster.apply(cluster::ObjectChanged{*found});
  }
  for (const auto& claim : task.claims) {
    if (!cluster.claim(claim->key())) cluster.apply(cluster::ObjectChanged{*claim});
  }
  cluster.apply(cluster::ObjectChanged{pod});
}

bool NodeGrowth::place(const Task& task, Trial& trial) {
  const bool alone = task.shape->singular;
  const auto known = starts_.find(task.shape->number);
  const auto from = alone || known == starts_.end() ? 0 : known->second;
  for (auto i = from; i < templates_.nodes().size(); ++i) {
    if (!place_on(task, NodeName(templates_.nodes()[i].name), trial)) continue;
    if (!alone) starts_.insert_or_assign(task.shape->number, i);
    return true;
  }
  if (!place_on_new(task, trial)) return false;
  if (!alone) starts_.insert_or_assign(task.shape->number, templates_.nodes().size() - 1);
  return true;
}

bool NodeGrowth::place_on_new(const Task& task, Trial& trial) {
  for (std::size_t group = 0; group < templates_.groups().size(); ++group) {
    const auto& each = templates_.groups()[group];
    const std::pair key(task.shape->number, group);
    if (!each.problem.empty() || each.left == 0 || refusals_.contains(key)) continue;
    const auto node = templates_.add(group);
    if (place_on(task, node, trial)) return true;
    templates_.remove_last();
    // What a pod shares with others tells of these others' nodes as well.
    refusals_.insert_or_assign(key, last_refusal_);
  }
  return false;
}

bool NodeGrowth::place_on(const Task& task, const NodeName& node, Trial& trial) {
  auto input = input_for(templates_, std::span(&node, 1), context_.input.now);
  input.jobs.put(std::make_shared<const Job>(
      single_pod_job(task.member->pod, only_queue(), context_.input.now)));
  auto made = planner_.plan(input);
  auto& outcome = made.jobs.front();
  if (outcome.placements.empty()) {
    last_refusal_ =
        outcome.detail.empty() ? std::string(plain_text(outcome.reason)) : outcome.detail;
    return false;
  }
  auto& placement = outcome.placements.front();
  auto& cluster = templates_.cluster();
  cluster.assume(placement);
  for (const auto& part : placement.claims) {
    const auto known = cluster.claim(part.claim);
    if (!known) continue;
    trial.claims.push_back(known);
    auto claim = *known;
    claim.reserved_for.push_back({.api_group = {},
                                  .resource = "pods",
                                  .name = placement.pod.name,
                                  .uid = placement.pod_uid});
    cluster.apply(cluster::ObjectChanged{std::move(claim)});
  }
  trial.placed.push_back(std::move(placement));
  return true;
}

void NodeGrowth::undo(const Trial& trial) {
  auto& cluster = templates_.cluster();
  for (const auto& placement : trial.placed) cluster.forget(placement.pod_uid);
  for (auto at = trial.claims.rbegin(); at != trial.claims.rend(); ++at) {
    cluster.apply(cluster::ObjectChanged{**at});
  }
  while (templates_.nodes().size() > trial.nodes) templates_.remove_last();
  starts_ = trial.starts;
}

/// Whether the planner finds room for the job on as many nodes of these groups, by its own choice
/// of devices; it is only asked where it may say no.
bool NodeGrowth::suits_policy(const PlanJob& job, std::span<const Task* const> tasks,
                              const Trial& trial) {
  const bool domain = wants_domain(job.job->gang);
  if (!domain && context_.policy.config.alignment.require.empty()) return true;
  TemplateNodes fresh(*context_.input.snapshot, context_.policy.config);
  std::map<NodeName, bool> used;
  for (const auto& placement : trial.placed) used[placement.node] = true;
  std::vector<NodeName> nodes;
  for (const auto& node : templates_.nodes()) {
    if (used.contains(node.name)) nodes.push_back(fresh.add(node.group));
  }
  auto wanted = *job.job;
  wanted.queue = only_queue();
  std::set<const Member*> asked;
  for (const auto* task : tasks) {
    bring(*task, fresh);
    asked.insert(task->member);
  }
  for (std::size_t i = 0; i < wanted.members.size(); ++i) {
    auto& member = wanted.members[i];
    if (!asked.contains(&job.job->members[i])) member.state = MemberState::done;
  }
  if (!domain) {
    std::erase_if(wanted.members,
                  [](const Member& member) { return member.state == MemberState::done; });
    wanted.gang = plain_gang(wanted.members.size(), static_cast<std::int32_t>(tasks.size()));
  }
  auto input = input_for(fresh, nodes, context_.input.now);
  input.policy = without_queues(context_.policy);
  input.jobs.put(std::make_shared<const Job>(std::move(wanted)));
  Planner planner(options_);
  const auto made = planner.plan(input);
  return !made.jobs.empty() && made.jobs.front().placements.size() >= tasks.size();
}

std::string NodeGrowth::why_not(const Task& task) const {
  std::string text;
  std::size_t named = 0;
  for (std::size_t group = 0; group < templates_.groups().size(); ++group) {
    const auto& each = templates_.groups()[group];
    const auto refusal = refusals_.find({task.shape->number, group});
    if (named++ == most_groups_named) {
      return text + fmt::format("; and so {} more", templates_.groups().size() - most_groups_named);
    }
    const auto why = !each.problem.empty()        ? each.problem
                     : refusal != refusals_.end() ? refusal->second
                                                  : fmt::format("it may have {} nodes at most",
                                                                each.config->max_nodes.value_or(0));
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", each.config->name, why);
  }
  return text;
}

}  // namespace dray::planner
