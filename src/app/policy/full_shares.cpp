#include "app/policy/full_shares.h"

#include <memory>
#include <utility>

#include "app/common/cluster_source.h"
#include "dray/planner/plan.h"
#include "dray/policy/fair_share.h"
#include "dray/policy/policy.h"

namespace dray::app {

Result<std::vector<FullShare>> full_shares(const std::vector<KubeObject>& objects,
                                           const policy::PolicyConfig& config, Time now) {
  auto compiled = policy::compile(config);
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  const auto made = std::make_shared<const policy::Policy>(*std::move(compiled));
  planner::PlanInput input;
  input.snapshot = snapshot_of(objects);
  input.policy = made;
  input.now = now;
  const auto total = planner::Planner().plan(input).total;
  auto tree = made->queues;
  for (std::uint32_t i = 0; i < tree.queues().size(); ++i) {
    const policy::QueueIndex index(i);
    if (tree[index].children.empty()) tree.add_requested(index, total);
  }
  policy::divide(tree, total, 0);
  std::vector<FullShare> shares;
  const auto& resources = made->counting.resources();
  for (const auto& queue : tree.queues()) {
    for (std::size_t r = 0; r < resources.size(); ++r) {
      const auto unit = resources[r].unit == policy::ResourceUnit::millicores ? 1000.0 : 1.0;
      shares.push_back(
          {queue.name.get(), resources[r].name, queue.fair_share[r] / unit, total[r] / unit});
    }
  }
  return shares;
}

}  // namespace dray::app
