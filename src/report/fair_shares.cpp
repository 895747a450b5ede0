#include "report/fair_shares.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "dray/policy/fair_share.h"
#include "dray/policy/resource.h"

namespace dray::report {
namespace {

constexpr std::string_view gpu_resource_name = "gpu";

/// Where the policy counts GPUs, if it names each of these queues, and jobs may be in them.
std::optional<std::size_t> resource_of(const policy::Policy& policy,
                                       const std::vector<simulate::Curve>& curves) {
  const auto known = [&](const simulate::Curve& curve) {
    if (curve.name.empty()) return true;  // of pods that are in none
    const auto index = policy.queues.find(curve.name);
    return index && policy.queues[*index].children.empty() && !policy.queues[*index].orphan;
  };
  if (!std::ranges::all_of(curves, known)) return std::nullopt;
  return policy::find_resource(policy::counted_resources(policy.config), gpu_resource_name);
}

policy::QueueTree equal_queues(const std::vector<simulate::Curve>& curves) {
  std::vector<policy::QueueSpec> specs;
  for (const auto& curve : curves) {
    auto& spec = specs.emplace_back();
    spec.name = policy::QueueName(curve.name);
    spec.quota = policy::Amounts(1);
    spec.limit = policy::Amounts(1, policy::unlimited);
    spec.over_quota_weight = policy::Amounts(1, 1);
  }
  // Of different names, without parents: nothing that could be refused.
  return policy::QueueTree::make(std::move(specs), 1).value();
}

}  // namespace

ShareRule share_rule(const std::vector<simulate::Scheduler>& schedulers,
                     const std::vector<simulate::Curve>& curves) {
  for (const auto& scheduler : schedulers) {
    const auto* policy = std::get_if<std::shared_ptr<const policy::Policy>>(&scheduler.how);
    if (policy == nullptr) continue;
    if (const auto resource = resource_of(**policy, curves)) {
      return {scheduler.name, (*policy)->queues, *resource};
    }
  }
  return {"", equal_queues(curves), 0};
}

std::vector<std::vector<double>> fair_shares(const ShareRule& rule, const simulate::JobsRun& run) {
  std::vector<std::vector<double>> shares(run.curves.size());
  policy::Amounts total(rule.tree.resources());
  total[rule.resource] = run.gpus;
  const auto parts = run.curves.empty() ? 0 : run.curves.front().held.size();
  for (std::size_t part = 0; part < parts; ++part) {
    auto tree = rule.tree;
    for (const auto& curve : run.curves) {
      policy::Amounts asked(rule.tree.resources());
      asked[rule.resource] = curve.held[part] + curve.waiting[part];
      if (const auto queue = tree.find(curve.name)) tree.add_requested(*queue, asked);
    }
    policy::divide(tree, total, 0);
    for (std::size_t i = 0; i < run.curves.size(); ++i) {
      const auto queue = tree.find(run.curves[i].name);
      shares[i].push_back(queue ? tree[*queue].fair_share[rule.resource] : 0);
    }
  }
  return shares;
}

void add_shares(std::vector<MeasuredRun>& runs,
                const std::vector<simulate::Scheduler>& schedulers) {
  if (runs.empty()) return;
  const auto rule = share_rule(schedulers, runs.front().run.curves);
  for (auto& [run, measures, shares] : runs) {
    shares = {rule.policy, fair_shares(rule, run)};
    for (std::size_t i = 0; i < run.curves.size(); ++i) {
      auto& queue = measures.queues[i];
      const auto& share = shares.of_queues[i];
      const auto parts = static_cast<double>(std::max<std::size_t>(share.size(), 1));
      for (std::size_t part = 0; part < share.size(); ++part) {
        queue.fair_share += share[part] / parts;
        queue.owed += std::max(0.0, share[part] - run.curves[i].held[part]) / parts;
      }
      measures.all.fair_share += queue.fair_share;
      measures.all.owed += queue.owed;
    }
  }
}

}  // namespace dray::report
