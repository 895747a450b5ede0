#include "app/simulate/schedulers.h"

#include <fmt/format.h>

#include <utility>

#include "app/common/files.h"
#include "wire/policy/policy_codec.h"

namespace dray::app {

Result<simulate::Scheduler> load_scheduler(const std::string& name,
                                           const simulate::Workload& workload) {
  if (const auto strategy = simulate::find_strategy(name)) {
    return simulate::Scheduler{name, *strategy};
  }
  if (name == "fcfs" || name == "fair") {
    auto made = simulate::policy_of(workload, name == "fair");
    if (!made) return std::unexpected(made.error());
    return simulate::Scheduler{name, std::move(*made)};
  }
  if (!name.ends_with(".yaml") && !name.ends_with(".yml")) {
    return fail(ErrorCode::invalid,
                fmt::format("--policy {}: no such policy, and no FILE.yaml", name));
  }
  const auto text = read_file(name);
  if (!text) return std::unexpected(text.error());
  auto config = wire::decode_policy(*text);
  if (!config) return std::unexpected(std::move(config.error()).within(name));
  if (config->queues.empty()) {
    auto& queue = config->queues.emplace_back();
    queue.name = policy::QueueName(std::string(policy::default_queue));
  }
  auto compiled = policy::compile(std::move(*config));
  if (!compiled) return std::unexpected(std::move(compiled.error()).within(name));
  return simulate::Scheduler{name, std::make_shared<const policy::Policy>(std::move(*compiled))};
}

}  // namespace dray::app
