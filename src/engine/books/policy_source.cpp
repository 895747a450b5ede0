#include "engine/books/policy_source.h"

#include <algorithm>
#include <utility>

namespace dray::engine {
namespace {

constexpr std::string_view gpu_resource = "gpu";

/// `amount` in units of 10^`exponent`: KAI counts cpu in thousandths and memory in millions.
Quantity scaled(const Quantity& amount, int exponent) {
  auto text = amount.to_decimal();
  text += 'e';
  text += std::to_string(exponent);
  const auto made = Quantity::parse(text);
  return made ? *made : amount;
}

policy::Bound bound_of(const std::optional<Quantity>& written, int exponent) {
  if (!written) return Quantity(0);
  if (written->sign() < 0) return std::nullopt;
  return scaled(*written, exponent);
}

void add(const std::string& resource, const KaiQueueResource& row, int exponent,
         policy::QueueConfig& into) {
  into.quota[resource] = bound_of(row.quota, exponent);
  into.limit[resource] = bound_of(row.limit, exponent);
  into.over_quota_weight.by_resource[resource] = row.over_quota_weight.value_or(Quantity(0));
}

}  // namespace

policy::QueueConfig queue_config(const KaiQueue& queue, bool counts_gpu) {
  policy::QueueConfig config;
  config.name = policy::QueueName(queue.meta.name);
  if (!queue.parent.empty()) config.parent = policy::QueueName(queue.parent);
  config.priority = queue.priority.value_or(config.priority);
  config.preempt_min_runtime = queue.preempt_min_runtime;
  config.reclaim_min_runtime = queue.reclaim_min_runtime;
  if (counts_gpu) add(std::string(gpu_resource), queue.gpu, 0, config);
  add("cpu", queue.cpu, -3, config);
  add("memory", queue.memory, 6, config);
  return config;
}

PolicySource::PolicySource()
    : policy_(std::make_shared<const policy::Policy>(policy::Policy::open())) {}

void PolicySource::set_config(std::shared_ptr<const policy::PolicyConfig> config) {
  config_ = std::move(config);
  stale_ = true;
}

bool PolicySource::observe(const KubeObject& object) {
  if (const auto* queue = std::get_if<KaiQueue>(&object)) {
    auto& known = queues_[queue->meta.name];
    auto next = *queue;
    next.meta.resource_version = known.meta.resource_version;
    if (known == next) return false;
    known = *queue;
  } else if (const auto* topology = std::get_if<KaiTopology>(&object)) {
    auto& known = topologies_[topology->meta.name];
    if (known.levels == topology->levels) return false;
    known = *topology;
  } else {
    return false;
  }
  stale_ = true;
  return true;
}

bool PolicySource::forget(Kind kind, const std::string& name) {
  const bool gone = (kind == Kind::kai_queue && queues_.erase(name) > 0) ||
                    (kind == Kind::kai_topology && topologies_.erase(name) > 0);
  stale_ = stale_ || gone;
  return gone;
}

bool PolicySource::set_topology_keys(std::set<std::string> keys) {
  if (keys == topology_keys_) return false;
  topology_keys_ = std::move(keys);
  stale_ = true;
  return true;
}

const std::shared_ptr<const policy::Policy>& PolicySource::policy() {
  if (std::exchange(stale_, false)) make();
  return policy_;
}

std::vector<policy::QueueConfig> PolicySource::kai_queues(
    const policy::PolicyConfig& config) const {
  const bool counts_gpu =
      std::ranges::find(config.resources, gpu_resource, &policy::CountedResource::name) !=
      config.resources.end();
  std::vector<policy::QueueConfig> made;
  made.reserve(queues_.size());
  for (const auto& [name, queue] : queues_) made.push_back(queue_config(queue, counts_gpu));
  return made;
}

void PolicySource::make() {
  auto config = config_ ? *config_ : policy::PolicyConfig{};
  const bool kai = config.queues_from == policy::QueueSource::kai;
  if (kai) config.queues = kai_queues(config);
  open_ = !kai && config.queues.empty();
  if (open_) {
    const auto fallback = policy::Policy::open().config;
    config.queues = fallback.queues;
    config.pod_queues = fallback.pod_queues;
  }
  policy::Topologies topologies;
  for (const auto& key : topology_keys_) topologies[key] = {key};
  policy::LevelAliases aliases;
  for (const auto& [name, topology] : topologies_) {
    auto& labels = topologies[name];
    labels.clear();
    for (const auto& level : topology.levels) {
      labels.push_back(level.label);
      if (!level.alias.empty()) aliases[{name, level.alias}] = level.label;
    }
  }
  auto made = policy::compile(std::move(config), std::move(topologies), std::move(aliases));
  if (!made) {
    problem_ = made.error().message;
    return;
  }
  problem_.clear();
  if (kai) {
    for (const auto& [name, queue] : queues_) {
      const auto index = made->queues.find(name);
      if (index && queue.meta.created) made->queues[*index].created = *queue.meta.created;
    }
  }
  policy_ = std::make_shared<const policy::Policy>(*std::move(made));
}

}  // namespace dray::engine
