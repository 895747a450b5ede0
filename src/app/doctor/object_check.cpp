#include "app/doctor/object_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "app/repair/repair_plan.h"
#include "dray/model/pod_marks.h"

namespace dray::app {
namespace {

using PoolKey = std::pair<std::string, std::string>;
using Slices = std::vector<const ResourceSlice*>;

std::string names_of(const Slices& slices) {
  constexpr std::size_t most = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, slices.size()); ++i) {
    if (i > 0) names += ", ";
    names += slices[i]->meta.name;
  }
  if (slices.size() > most) names += fmt::format(" and {} more", slices.size() - most);
  return names;
}

void check_pool(const PoolKey& key, const Slices& slices, Findings& findings) {
  const auto newest = (*std::ranges::max_element(slices, {}, &ResourceSlice::pool_generation));
  Slices now;
  Slices old;
  for (const auto* slice : slices) {
    (slice->pool_generation == newest->pool_generation ? now : old).push_back(slice);
  }
  const auto object = fmt::format("pool {} of {}", key.second, key.first);
  const auto driver = fmt::format("restart the driver {} of the pool's node", key.first);
  if (std::cmp_not_equal(now.size(), newest->pool_slice_count)) {
    findings.push_back({Fault::pool_incomplete, object,
                        fmt::format("{} of {} slices of generation {}", now.size(),
                                    newest->pool_slice_count, newest->pool_generation),
                        driver + " if it stays so"});
  }
  if (!old.empty()) {
    findings.push_back(
        {Fault::pool_old_slices, object,
         fmt::format("{} of an older generation than {}", names_of(old), newest->pool_generation),
         fmt::format("delete ResourceSlice {} if the driver does not", names_of(old))});
  }
  std::set<std::string_view> devices;
  for (const auto* slice : now) {
    for (const auto& device : slice->devices) {
      if (devices.insert(device.name.get()).second) continue;
      findings.push_back({Fault::pool_device_twice, object,
                          fmt::format("two devices are called {}", device.name.get()), driver});
      return;
    }
  }
}

void check_pools(const std::vector<KubeObject>& objects, Findings& findings) {
  std::map<PoolKey, Slices> pools;
  for (const auto& object : objects) {
    if (const auto* slice = std::get_if<ResourceSlice>(&object)) {
      pools[{slice->driver.get(), slice->pool.get()}].push_back(slice);
    }
  }
  for (const auto& [key, slices] : pools) check_pool(key, slices, findings);
}

/// Of each driver: the schedulers of the pods that use its devices, and a claim of each.
using DriverUse = std::map<std::string, std::map<std::string, std::string>>;

DriverUse driver_use(const std::vector<KubeObject>& objects) {
  std::map<std::string, const Pod*> pods;  // by uid
  for (const auto& object : objects) {
    if (const auto* pod = std::get_if<Pod>(&object)) pods[pod->meta.uid.get()] = pod;
  }
  DriverUse use;
  for (const auto& object : objects) {
    const auto* claim = std::get_if<ResourceClaim>(&object);
    if (claim == nullptr || !claim->allocation) continue;
    for (const auto& user : claim->reserved_for) {
      const auto pod = pods.find(user.uid.get());
      if (pod == pods.end() || pod->second->finished()) continue;
      for (const auto& each : claim->allocation->devices) {
        // Admin access takes no device from anybody.
        if (each.admin_access.value_or(false)) continue;
        use[each.device.driver.get()].try_emplace(pod->second->scheduler_name,
                                                  claim->key().to_string());
      }
    }
  }
  return use;
}

void check_drivers(const std::vector<KubeObject>& objects, const ObjectContext& context,
                   Findings& findings) {
  for (const auto& [driver, schedulers] : driver_use(objects)) {
    const auto ours = schedulers.find(context.scheduler_name);
    if (ours == schedulers.end()) continue;
    const auto& exclusive = context.exclusive_drivers;
    const auto covers = [&](const std::string& line) { return line == driver || line == "*"; };
    if (exclusive && std::ranges::none_of(*exclusive, covers)) {
      findings.push_back(
          {Fault::driver_open, "driver " + driver,
           fmt::format(
               "dray allocates it (claim {}), and ConfigMap dray-exclusion does not name it",
               ours->second),
           fmt::format("add the line {} to data.drivers of {}", driver, context.exclusion)});
    }
    for (const auto& [scheduler, claim] : schedulers) {
      if (scheduler == context.scheduler_name) continue;
      findings.push_back(
          {Fault::driver_shared, "driver " + driver,
           fmt::format("claim {} is of a pod of scheduler {}, claim {} of one of {}", claim,
                       scheduler, ours->second, context.scheduler_name),
           fmt::format("give pods with claims of {} schedulerName: {}, and name the driver in {}",
                       driver, context.scheduler_name, context.exclusion)});
    }
  }
}

void check_gates(const std::vector<KubeObject>& objects, const ObjectContext& context,
                 Findings& findings) {
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || pod->finished() || !gated_by(*pod, context.gate)) continue;
    if (pod->scheduler_name == context.scheduler_name) continue;
    const auto& others = context.other_schedulers;
    if (std::ranges::find(others, pod->scheduler_name) != others.end()) continue;
    findings.push_back(
        {Fault::gate_foreign, describe(object),
         fmt::format("it has the gate {} and schedulerName {}", context.gate, pod->scheduler_name),
         fmt::format("make it anew with schedulerName: {}, or without the gate",
                     context.scheduler_name)});
  }
}

}  // namespace

Findings check_objects(const std::vector<KubeObject>& objects, const ObjectContext& context) {
  Findings findings;
  check_pools(objects, findings);
  check_drivers(objects, context, findings);
  check_gates(objects, context, findings);
  for (const auto& error : context.unreadable) {
    const auto colon = std::min(error.find(": "), error.size());
    findings.push_back({Fault::object_unreadable, error.substr(0, colon),
                        colon < error.size() ? error.substr(colon + 2) : "it cannot be read",
                        "write what the message asks for, or delete the object"});
  }
  for (const auto& finding : plan_repair(objects, context.scheduler_name)) {
    findings.push_back({Fault::claim_repair, "ResourceClaim " + finding.claim.to_string(),
                        fmt::format("{}: {}", text(finding.kind), finding.what),
                        finding.mendable() ? "dray repair" : finding.advice});
  }
  return findings;
}

}  // namespace dray::app
