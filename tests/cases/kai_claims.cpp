#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/cases/kai_objects.h"
#include "tests/cases/kai_parts.h"

// What KAI's tasks ask for, as claims.

namespace dray::cases {
namespace {

void use(KaiTask& task, const Json& job, const std::string& prefix, ResourceClaim claim,
         KaiObjects& objects) {
  claim.meta = testing::default_meta(prefix + task.uid);
  claim.meta.namespace_name = get_or(job, "namespace", std::string("test"));
  claim.meta.owners = {{.api_version = "v1",
                        .kind = "Pod",
                        .name = task.uid,
                        .uid = Uid(task.uid),
                        .controller = true}};
  task.claims.push_back(claim.meta.name);
  const auto name = claim.meta.name;
  objects.claims.emplace(name, KaiClaim{.object = std::move(claim), .shared = false});
}

void require_different(const char* driver, ResourceClaim& claim) {
  claim.spec.constraints.push_back({.requests = {},
                                    .kind = ConstraintKind::distinct_attribute,
                                    .attribute = std::string(driver) + "/index"});
}

void ask(ResourceClaim& claim, const std::string& device_class, std::int64_t count,
         std::optional<double> memory = {}) {
  auto spec = testing::exactly(count, device_class);
  if (memory) {
    spec.has_capacity = true;
    spec.capacity_requests["memory"] = whole(*memory * 1000);
  }
  const auto name = "r" + std::to_string(claim.spec.requests.size());
  claim.spec.requests.push_back(testing::request(name, std::move(spec)));
}

}  // namespace

void add_device_claim(const KaiTraits& traits, const Json& job, KaiTask& task,
                      KaiObjects& objects) {
  ResourceClaim claim;
  const auto& gpu = task.json->at("gpu");
  const auto type = text_of(gpu, "type");
  const auto devices = std::max<std::int64_t>(get_or(gpu, "devices", std::int64_t{1}), 1);
  if (type == "Regular" && get_or(gpu, "gpus", 0.0) > 0) {
    ask(claim, "gpu", std::llround(gpu.at("gpus").get<double>()));
  } else if (type == "Fraction") {
    ask(claim, "gpu", devices, gpu.at("portion").get<double>() * traits.device_memory);
  } else if (type == "GpuMemory") {
    ask(claim, "gpu", devices, gpu.at("memoryMiB").get<double>());
  } else if (type == "MigInstance") {
    for (const auto& [profile, count] : gpu.at("mig").items()) {
      ask(claim, profile, std::llround(count.get<double>()));
    }
  }
  task.shares = type == "Fraction" || type == "GpuMemory";
  if (claim.spec.requests.empty()) return;
  if (devices > 1) require_different(gpu_driver, claim);
  use(task, job, "c-", std::move(claim), objects);
}

/// Under the kubelet's policies restricted and single-numa-node: one zone, or as many as it cannot
/// do without. Any other policy, or none, binds a pod to no zone.
void add_zone_claim(const Json& json, const Json& job, KaiTask& task, KaiObjects& objects) {
  if (text_of(*task.json, "qosClass") != "Guaranteed") return;
  const auto numa = object_of(json.at("nodes").front(), "numa");
  constexpr int restricted = 2;
  constexpr int single = 3;
  const auto policy = get_or(numa, "policy", 0);
  if (policy != restricted && policy != single) return;
  const auto cpu = get_or(task.json->at("requests"), "cpu", 0.0);
  const auto zone = get_or(numa.at("zones").front().at("allocatable"), "cpu", 1.0);
  const auto zones =
      policy == single ? 1 : std::max(1LL, static_cast<long long>(std::ceil(cpu / zone)));
  auto spec = testing::exactly(zones, "zone");
  spec.has_capacity = true;
  spec.capacity_requests["cpu"] = whole(cpu / static_cast<double>(zones));
  ResourceClaim claim;
  claim.spec.requests.push_back(testing::request("zone", std::move(spec)));
  if (zones > 1) require_different(zone_driver, claim);
  const auto seen = text_of(object_of(*task.json, "annotations"), zones_annotation);
  if (!seen.empty() && holds_room(task.status)) {
    AllocationResult result;
    for (const auto& part : Json::parse(seen)) {
      auto taken = testing::allocated(
          testing::device_id(task.node, part.at("zone").get<std::string>(), zone_driver), "zone");
      taken.share_id = task.uid + taken.device.device.get();
      taken.consumed_capacity["cpu"] = cpu_in(part.at("amount"));
      task.devices.push_back(taken.device);
      result.devices.push_back(std::move(taken));
    }
    claim.allocation = std::move(result);
    claim.reserved_for.push_back(testing::consumer(task.uid, Uid(task.uid)));
  }
  use(task, job, "z-", std::move(claim), objects);
}

/// Which of a node's MIG instances such a pod uses, nobody says. Where one runs, none of them can
/// be given out: a taint, as an operator would set it. One that waits asks for what no driver
/// offers.
void add_legacy_mig(const Json& job, KaiTask& task, KaiObjects& objects) {
  if (holds_room(task.status)) {
    for (auto& slice : objects.slices) {
      const bool of_node = slice.scope.node_name == NodeName(task.node);
      if (!of_node || !slice.driver.get().contains("mig")) continue;
      for (auto& device : slice.devices) {
        device.taints.push_back(
            {.key = "legacy-mig", .value = {}, .effect = "NoSchedule", .time_added = {}});
      }
    }
    return;
  }
  constexpr const char* offered_by_nobody = "legacy-mig";
  objects.classes.push_back(testing::make_driver_class(offered_by_nobody, offered_by_nobody));
  ResourceClaim claim;
  ask(claim, offered_by_nobody, 1);
  use(task, job, "l-", std::move(claim), objects);
}

namespace {

/// Gives out the lowest devices, those of one group of KAI's once.
class Counter {
 public:
  Counter(const KaiTraits& traits, KaiObjects& objects) : traits_(traits), objects_(objects) {}

  void allocate(KaiTask& task, ResourceClaim& claim) {
    const auto& request = claim.spec.requests.front();
    const auto& spec = *request.exactly;
    const std::string driver =
        spec.device_class.get() == "gpu" ? gpu_driver : spec.device_class.get();
    const auto names = list_of(*task.json, "gpuGroups");
    AllocationResult result;
    for (std::int64_t i = 0; i < spec.count; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const auto group = spec.has_capacity && place < names.size() ? names[place].get<std::string>()
                                                                   : std::string();
      auto taken = testing::allocated(device(driver, task.node, group), request.name);
      if (traits_.sharing && driver == gpu_driver) {
        taken.share_id = task.uid + std::to_string(i);
        taken.consumed_capacity["memory"] = spec.has_capacity ? spec.capacity_requests.at("memory")
                                                              : whole(traits_.device_memory * 1000);
      }
      task.devices.push_back(taken.device);
      result.devices.push_back(std::move(taken));
    }
    claim.allocation = std::move(result);
    claim.reserved_for.push_back(testing::consumer(task.uid, Uid(task.uid)));
  }

 private:
  DeviceId device(const std::string& driver, const std::string& node, const std::string& group) {
    auto& free = next_[driver + "/" + node];
    const auto id = [&](std::int64_t index) {
      return testing::device_id(node, std::to_string(index), driver);
    };
    if (group.empty()) return id(free++);
    const auto [at, added] = groups_.try_emplace(node + "/" + group, free);
    if (added) ++free;
    objects_.groups[id(at->second)] = group;
    return id(at->second);
  }

  const KaiTraits& traits_;
  KaiObjects& objects_;
  std::map<std::string, std::int64_t> next_;
  std::map<std::string, std::int64_t> groups_;
};

}  // namespace

void allocate_running(const KaiTraits& traits, KaiObjects& objects) {
  Counter counter(traits, objects);
  for (const bool shared : {true, false}) {
    for (auto& [uid, task] : objects.tasks) {
      if (!holds_room(task.status) || task.node.empty()) continue;
      for (const auto& name : task.claims) {
        auto& claim = objects.claims.at(name);
        const auto& request = claim.object.spec.requests.front();
        if (claim.shared || request.name == "zone") continue;
        if (shared != request.exactly->has_capacity) continue;
        counter.allocate(task, claim.object);
      }
    }
  }
}

}  // namespace dray::cases
