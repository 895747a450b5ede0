#include "tests/dst/room.h"

#include <algorithm>
#include <set>

#include "tests/objects/devices.h"

namespace dray::dst {
namespace {

/// A pod's claims that are not allocated yet, and where those are that are; nothing: it lacks one.
struct Needs {
  std::map<std::string, std::int64_t> amount;  ///< by driver
  std::optional<std::string> pinned;
};

std::int64_t taken(const AllocatedDevice& device) {
  const auto used = device.consumed_capacity.find("memory");
  return used == device.consumed_capacity.end() ? 1 : used->second.value();
}

/// The model of GPU that its selector names.
std::optional<std::string> model_of(const DeviceRequest& request) {
  for (const auto& selector : request.exactly->selectors) {
    for (const auto* model : {large_model, small_model}) {
      if (selector.cel.value_or("").find(model) != std::string::npos) return model;
    }
  }
  return std::nullopt;
}

std::optional<Needs> needs_of(const Pod& pod, const sim::ApiServer& server) {
  Needs needs;
  for (const auto* claim : claims_of(pod, server)) {
    if (claim == nullptr || claim->meta.deleted || !claim->spec.unreadable.empty()) {
      return std::nullopt;
    }
    if (claim->allocation) {
      const auto& first = claim->allocation->devices.front().device;
      if (first.driver.get() != fabric_driver) needs.pinned = first.pool.get();
      continue;
    }
    for (const auto& request : claim->spec.requests) {
      needs.amount[request.exactly->device_class.get()] += wanted(request);
      if (const auto model = model_of(request)) needs.amount[*model] += wanted(request);
    }
  }
  return needs;
}

}  // namespace

std::int64_t wanted(const DeviceRequest& request) {
  const auto part = request.exactly->capacity_requests.find("memory");
  return part == request.exactly->capacity_requests.end() ? request.exactly->count
                                                          : part->second.value();
}

std::optional<std::string> queue_of(const Pod& pod) {
  const auto label = pod.meta.labels.find(queue_label);
  return label == pod.meta.labels.end() ? std::nullopt : std::optional(label->second);
}

std::string queue_name(const Pod& pod) {
  return queue_of(pod).value_or("b");
}

std::map<std::string, std::int64_t> gpus_of_replaced_claims(const sim::ApiServer& server) {
  std::map<std::string, std::int64_t> gpus;
  std::set<std::pair<std::string, Uid>> counted;
  for (const auto& item : server.list(Kind::pod).items) {
    const auto& pod = std::get<Pod>(*item);
    if (!pod.node_name || pod.finished()) continue;
    const auto queue = queue_name(pod);
    for (const auto* claim : claims_of(pod, server)) {
      if (claim == nullptr || claim->allocation) continue;
      if (!counted.emplace(queue, claim->meta.uid).second) continue;
      for (const auto& request : claim->spec.requests) {
        const bool is_gpu =
            request.exactly && request.exactly->device_class.get() == testing::gpu_driver;
        if (is_gpu) gpus[queue] += request.exactly->count;
      }
    }
  }
  return gpus;
}

Room::Place Room::place_of(const DeviceId& device) const {
  const bool everywhere = device.driver.get() == fabric_driver;
  return {everywhere ? "" : device.pool.get(), device.driver.get()};
}

Room::Room(const World& world, const sim::ApiServer& server) {
  for (int i = 0; i < world.nodes; ++i) {
    const auto node = node_name(i);
    nodes_.push_back(node);
    free_[{node, testing::gpu_driver}] = world.devices;
    if (world.parts) free_[{node, parts_driver}] = parts_of_device;
    if (world.counters) free_[{node, counters_driver}] = counters_of_node;
    if (world.conditions) free_[{node, attached_driver}] = 1;
  }
  if (world.fabric) free_[{"", fabric_driver}] = 2;
  if (const auto policy = policy_of(world, 0)) {
    for (const auto& queue : policy->queues) {
      const auto limit = queue.limit.find("gpu");
      if (limit != queue.limit.end()) left_[queue.name.get()] = limit->second->value();
    }
  }
  for (const auto& [queue, gpus] : gpus_of_replaced_claims(server)) {
    if (left_.contains(queue)) left_[queue] -= gpus;
  }
  if (world.models) count_models(server);
  for (const auto& item : server.list(Kind::resource_claim).items) {
    const auto& claim = std::get<ResourceClaim>(*item);
    if (!claim.allocation) continue;
    for (const auto& device : claim.allocation->devices) {
      if (is_admin(device)) continue;
      free_[place_of(device.device)] -= taken(device);
      const auto model = models_.find(device.device);
      if (model != models_.end()) --free_[{device.device.pool.get(), model->second}];
      if (device.device.driver.get() != testing::gpu_driver || claim.reserved_for.empty()) continue;
      const auto* pod = server.find<Pod>("default", claim.reserved_for.front().name);
      const auto queue = pod == nullptr ? std::nullopt : queue_of(*pod);
      if (queue && left_.contains(*queue)) --left_[*queue];
    }
  }
}

void Room::count_models(const sim::ApiServer& server) {
  for (const auto& item : server.list(Kind::resource_slice).items) {
    const auto& slice = std::get<ResourceSlice>(*item);
    if (slice.driver.get() != testing::gpu_driver) continue;
    for (const auto& device : slice.devices) {
      const auto found = device.attributes.find(model_attribute);
      const auto* model =
          found == device.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
      if (model == nullptr) continue;
      models_[{slice.driver, slice.pool, device.name}] = *model;
      ++free_[{slice.pool.get(), *model}];
    }
  }
}

bool Room::has_its_claims(const Pod& pod, const sim::ApiServer& server) {
  return needs_of(pod, server).has_value();
}

std::string Room::text() const {
  std::string text;
  for (const auto& [place, amount] : free_) {
    if (amount != 0) text += place.first + "/" + place.second + "=" + std::to_string(amount) + " ";
  }
  return text;
}

std::int64_t Room::gpus() const {
  std::int64_t sum = 0;
  for (const auto& [place, amount] : free_) {
    if (place.second == testing::gpu_driver) sum += amount;
  }
  return sum;
}

std::int64_t Room::gpus_for(const std::optional<std::string>& queue) const {
  const auto left = queue ? left_.find(*queue) : left_.end();
  return left == left_.end() ? gpus() : std::min(gpus(), left->second);
}

bool Room::fits(const Pod& pod, const sim::ApiServer& server) const {
  const auto needs = needs_of(pod, server);
  if (!needs) return false;
  const auto gpus = needs->amount.find(testing::gpu_driver);
  if (gpus != needs->amount.end() && gpus->second > gpus_for(queue_of(pod))) return false;
  return std::ranges::any_of(nodes_, [&](const std::string& node) {
    if (needs->pinned && *needs->pinned != node) return false;
    return std::ranges::all_of(needs->amount, [&](const auto& need) {
      const auto& [driver, amount] = need;
      const auto found = free_.find({driver == fabric_driver ? "" : node, driver});
      return found != free_.end() && found->second >= amount;
    });
  });
}

}  // namespace dray::dst
