#include "tests/cases/kai_objects.h"

#include "tests/cases/kai_parts.h"

namespace dray::cases {

KaiTraits KaiTraits::of(const Json& json) {
  KaiTraits traits;
  for (const auto& job : json.at("jobs")) {
    for (const auto& task : job.at("tasks")) {
      const auto type = text_of(task.at("gpu"), "type");
      traits.sharing = traits.sharing || type == "Fraction" || type == "GpuMemory";
    }
  }
  for (const auto& node : json.at("nodes")) {
    traits.numa = traits.numa || object_of(node, "numa").contains("zones");
  }
  traits.device_memory = get_or(json.at("config"), "minNodeGpuMemoryMiB", 100.0);
  return traits;
}

std::vector<std::string> KaiTask::devices_of(const char* driver) const {
  std::vector<std::string> names;
  for (const auto& device : devices) {
    if (device.driver.get() == driver) names.push_back(device.device.get());
  }
  return names;
}

KaiObjects::KaiObjects(const Json& json, const KaiTraits& traits) {
  read_nodes(json, traits, *this);
  read_dra(json, *this);
  if (traits.numa) read_zones(json, *this);
  for (const auto& job : json.at("jobs")) {
    for (const auto& each : job.at("tasks")) {
      KaiTask task;
      task.json = &each;
      task.uid = each.at("uid").get<std::string>();
      task.job = job.at("name").get<std::string>();
      task.status = each.at("status").get<std::string>();
      task.node = text_of(each, "node");
      for (const auto& claim : list_of(each, "resourceClaims")) {
        task.claims.push_back(claim.at("resourceClaimName").get<std::string>());
      }
      add_device_claim(traits, job, task, *this);
      if (traits.numa) add_zone_claim(json, job, task, *this);
      if (get_or(each, "legacyMig", false)) add_legacy_mig(job, task, *this);
      tasks.emplace(task.uid, std::move(task));
    }
  }
  allocate_running(traits, *this);
}

}  // namespace dray::cases
