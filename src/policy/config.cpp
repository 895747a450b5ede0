#include "dray/policy/config.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dray::policy {

namespace {

/// Every resource that a queue names in its quota, limit or weights.
std::set<std::string, std::less<>> named_resources(const PolicyConfig& config) {
  std::set<std::string, std::less<>> names;
  for (const auto& queue : config.queues) {
    for (const auto& [name, bound] : queue.quota) names.insert(name);
    for (const auto& [name, bound] : queue.limit) names.insert(name);
    for (const auto& [name, weight] : queue.over_quota_weight.by_resource) names.insert(name);
  }
  return names;
}

double bound_of(const Bounds& bounds, const Resource& resource, double absent) {
  const auto it = bounds.find(resource.name);
  if (it == bounds.end()) return absent;
  return it->second ? amount_of(*it->second, resource.unit) : unlimited;
}

double weight_of(const Weights& weights, const Resource& resource) {
  const auto it = weights.by_resource.find(resource.name);
  return (it == weights.by_resource.end() ? weights.all : it->second).as_approximate_double();
}

QueueSpec spec_of(const QueueConfig& queue, const ResourceTable& resources) {
  QueueSpec spec;
  spec.name = queue.name;
  spec.parent = queue.parent;
  spec.priority = queue.priority;
  spec.quota = spec.limit = spec.over_quota_weight = Amounts(resources.size());
  for (std::size_t r = 0; r < resources.size(); ++r) {
    spec.quota[r] = bound_of(queue.quota, resources[r], 0);
    spec.limit[r] = bound_of(queue.limit, resources[r], unlimited);
    spec.over_quota_weight[r] = weight_of(queue.over_quota_weight, resources[r]);
  }
  spec.preempt_min_runtime = queue.preempt_min_runtime;
  spec.reclaim_min_runtime = queue.reclaim_min_runtime;
  return spec;
}

}  // namespace

ResourceTable counted_resources(const PolicyConfig& config) {
  const auto named = named_resources(config);
  const bool kai = config.queues_from == QueueSource::kai;
  ResourceTable table;
  if (kai || named.contains("cpu")) table.push_back({"cpu", ResourceUnit::millicores});
  if (kai || named.contains("memory")) table.push_back({"memory", ResourceUnit::bytes});
  for (const auto& resource : config.resources) {
    table.push_back({resource.name, ResourceUnit::devices});
  }
  for (const auto& name : named) {
    if (name.ends_with(class_resource_suffix)) table.push_back({name, ResourceUnit::devices});
  }
  return table;
}

std::vector<std::vector<CountingRule>> counting_rules(const PolicyConfig& config) {
  std::vector<std::vector<CountingRule>> all;
  for (const auto& resource : counted_resources(config)) {
    auto& rules = all.emplace_back();
    const auto it = std::ranges::find(config.resources, resource.name, &CountedResource::name);
    if (it != config.resources.end()) {
      rules = it->rules;
    } else if (resource.name.ends_with(class_resource_suffix)) {
      const auto length = resource.name.size() - class_resource_suffix.size();
      rules.emplace_back().device_class = ClassName(resource.name.substr(0, length));
    }
  }
  return all;
}

double amount_of(const Quantity& quantity, ResourceUnit unit) {
  if (unit == ResourceUnit::millicores) {
    const auto milli = quantity.exact_milli();
    return milli ? static_cast<double>(*milli) : quantity.as_approximate_double() * 1000;
  }
  const auto units = quantity.exact_units();
  return units ? static_cast<double>(*units) : quantity.as_approximate_double();
}

Result<QueueTree> make_tree(const PolicyConfig& config) {
  const auto resources = counted_resources(config);
  if (resources.size() > max_resources) {
    return fail(ErrorCode::invalid, "more counted resources than a policy may have");
  }
  std::vector<QueueSpec> specs;
  specs.reserve(config.queues.size());
  for (const auto& queue : config.queues) specs.push_back(spec_of(queue, resources));
  return QueueTree::make(std::move(specs), resources.size());
}

PlacementStrategy placement_of(const PolicyConfig& config, std::string_view queue,
                               std::string_view resource) {
  std::string at(queue);
  // As many steps as there are queues: a cycle, which validate() refuses, ends too.
  for (std::size_t steps = 0; steps <= config.queues.size(); ++steps) {
    const auto it = std::ranges::find(config.queues, QueueName(at), &QueueConfig::name);
    if (it == config.queues.end()) break;
    if (const auto own = it->placement.find(resource); own != it->placement.end()) {
      return own->second;
    }
    if (!it->parent) break;
    at = it->parent->get();
  }
  const auto it = config.placement.find(resource);
  return it == config.placement.end() ? PlacementStrategy::pack : it->second;
}

}  // namespace dray::policy
