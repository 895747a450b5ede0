#include "dray/policy/policy.h"

#include <utility>

#include "dray/base/check.h"

namespace dray::policy {

Result<Policy> compile(PolicyConfig config, Topologies topologies, LevelAliases aliases) {
  auto tree = make_tree(config);
  if (!tree) return std::unexpected(std::move(tree.error()));
  Counting counting(config);
  if (!config.topology.empty()) topologies.insert_or_assign("", config.topology);
  return Policy{.config = std::move(config),
                .queues = std::move(*tree),
                .counting = std::move(counting),
                .topologies = std::move(topologies),
                .level_aliases = std::move(aliases)};
}

Policy Policy::open() {
  PolicyConfig config;
  QueueConfig queue;
  queue.name = QueueName(std::string(default_queue));
  config.queues.push_back(std::move(queue));
  config.pod_queues.otherwise = QueueName(std::string(default_queue));
  auto made = compile(std::move(config));
  DRAY_CHECK(made.has_value());
  return std::move(*made);
}

}  // namespace dray::policy
