#include "tests/cases/kai_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/cases/kai_parts.h"

namespace dray::cases {

void Mismatches::differ(const std::string& got, const std::string& want, const std::string& why) {
  outcome_ += got + ", ";
  verdict_.got += got + (why.empty() ? "" : " (" + why + ")") + ", ";
  verdict_.want += want + ", ";
}

void Mismatches::limit(const char* what, std::size_t count, const Json& limits, const char* key) {
  const auto most = get_or(limits, key, count);
  if (count <= most) return;
  differ(fmt::format("{} {}", what, count), fmt::format("{} <= {}", what, most));
}

void Mismatches::task(const KaiWorld& world, const KaiTask& task, const Json& expected) {
  std::string got = task.status;
  std::string want = get_or(expected, "status", task.status);
  if (const auto node = text_of(expected, "node"); !node.empty()) {
    want += "@" + node;
    got += "@" + task.node;
  }
  if (expected.contains("numaZones")) {
    std::set<int> zones;
    for (const auto& id : task.devices_of(zone_driver)) zones.insert(zone_number(id));
    got += fmt::format(" in zones {}", zones);
    want += fmt::format(" in zones {}", expected["numaZones"].get<std::set<int>>());
  }
  if (got == want) return;
  differ(task.uid + " " + got, task.uid + " " + want,
         task.status == "Pending" ? world.reason_of(task.job) : std::string());
}

namespace {

bool counts_as_gpu(const std::string& driver) {
  return driver.contains("gpu");
}

/// The GPUs of a node that nobody has, and those that only such as leave have.
struct GpusLeft {
  double idle = 0;
  double releasing = 0;

  GpusLeft(const KaiObjects& objects, const std::string& node) {
    std::map<DeviceId, bool> leaving;  // of devices in use: whether all users leave
    for (const auto& [name, claim] : objects.claims) {
      if (!claim.object.allocation) continue;
      const bool all = std::ranges::all_of(claim.object.reserved_for, [&](const auto& user) {
        return objects.tasks.at(user.uid.get()).status == "Releasing";
      });
      for (const auto& result : claim.object.allocation->devices) {
        const auto [at, added] = leaving.emplace(result.device, all);
        at->second = at->second && all;
      }
    }
    for (const auto& slice : objects.slices) {
      if (slice.scope.node_name != NodeName(node) || !counts_as_gpu(slice.driver.get())) continue;
      for (const auto& device : slice.devices) {
        const auto used = leaving.find({slice.driver, slice.pool, device.name});
        if (used == leaving.end()) ++idle;
        if (used != leaving.end() && used->second) ++releasing;
      }
    }
  }
};

/// The CPU that each zone of a node has left, in thousandths.
std::map<int, std::int64_t> zones_left(const KaiObjects& objects, const std::string& node) {
  std::map<int, std::int64_t> left;
  for (const auto& slice : objects.slices) {
    if (slice.scope.node_name != NodeName(node) || slice.driver.get() != zone_driver) continue;
    for (const auto& device : slice.devices) {
      left[zone_number(device.name.get())] = device.capacity.at("cpu").value.value();
    }
  }
  for (const auto& [name, claim] : objects.claims) {
    if (!claim.object.allocation) continue;
    for (const auto& result : claim.object.allocation->devices) {
      if (result.device.driver.get() != zone_driver || result.device.pool.get() != node) continue;
      left[zone_number(result.device.device.get())] -= result.consumed_capacity.at("cpu").value();
    }
  }
  return left;
}

}  // namespace

void Mismatches::node(const KaiWorld& world, const std::string& name, const Json& expected) {
  const GpusLeft gpus(world.objects(), name);
  const auto compare = [&](const char* key, const char* what, double got) {
    const auto want = get_or(expected, key, got);
    if (!nearly_equal(got, want)) {
      differ(fmt::format("{} {} GPUs {}", name, what, got),
             fmt::format("{} {} GPUs {}", name, what, want));
    }
  };
  compare("idleGpus", "idle", gpus.idle);
  compare("releasingGpus", "releasing", gpus.releasing);
  const auto wanted = object_of(expected, "numaZonesAvailable");
  const auto left = zones_left(world.objects(), name);
  for (const auto& [zone, amounts] : wanted.items()) {
    const auto at = left.find(std::stoi(zone));
    const auto got = at == left.end() ? 0 : at->second;
    const auto want = cpu_in(amounts).value();
    if (got == want) continue;
    differ(fmt::format("{} zone {} cpu {}m", name, zone, got),
           fmt::format("{} zone {} cpu {}m", name, zone, want));
  }
}

namespace {

/// Who shares a device with whom, as one side names the devices and as the other does.
class Sharing {
 public:
  /// Devices known by both names beforehand.
  void know(const std::string& node, const std::string& group, const std::string& device) {
    pair(node, group, device);
  }
  void add(const std::string& node, const Json& groups, std::vector<std::string> devices) {
    if (groups.size() != devices.size()) {
      agree_ = false;
      return;
    }
    std::vector<std::string> unknown;
    for (const auto& group : groups) {
      const auto name = group.get<std::string>();
      const auto known = device_of_.find({node, name});
      if (known == device_of_.end()) {
        unknown.push_back(name);
      } else if (std::erase(devices, known->second) == 0) {
        agree_ = false;
        return;
      }
    }
    for (std::size_t i = 0; i < unknown.size(); ++i) pair(node, unknown[i], devices[i]);
  }
  [[nodiscard]] bool agree() const { return agree_; }

 private:
  void pair(const std::string& node, const std::string& group, const std::string& device) {
    const bool fresh = device_of_.emplace(std::pair(node, group), device).second &&
                       group_of_.emplace(std::pair(node, device), group).second;
    agree_ = agree_ && fresh;
  }

  bool agree_ = true;
  std::map<std::pair<std::string, std::string>, std::string> device_of_;
  std::map<std::pair<std::string, std::string>, std::string> group_of_;
};

const Json no_json = Json::object();

const Json& member_of(const Json& json, const std::string& key) {
  const auto at = json.find(key);
  return at == json.end() ? no_json : *at;
}

/// Who shares devices, by the groups of KAI that `said_of` a task, and by dray's devices.
template <class SaidOf>
Sharing sharing(const KaiWorld& world, const SaidOf& said_of) {
  Sharing sharing;
  for (const auto& [device, group] : world.objects().groups) {
    sharing.know(device.pool.get(), group, device.device.get());
  }
  for (const auto& [uid, task] : world.objects().tasks) {
    const Json& said = said_of(task);
    if (task.node.empty() || !task.shares || !said.contains("gpuGroups")) continue;
    sharing.add(task.node, said["gpuGroups"], task.devices_of(gpu_driver));
  }
  return sharing;
}

/// Of a task; where a row says the same of the whole job, that.
const Json& expected_of(const Json& json, const KaiTask& task) {
  const auto& expected = json.at("expected");
  const Json& own = member_of(member_of(expected, "tasks"), task.uid);
  return own.empty() ? member_of(member_of(expected, "jobs"), task.job) : own;
}

/// KAI's own test compares groups only where they are equal, so some rows expect what KAI itself
/// does not do: those do not count.
bool kai_shares_so(const KaiWorld& world, const Json& json) {
  if (!json.contains("observed")) return false;
  const Json& observed = json["observed"].at("tasks");
  Sharing sharing;
  for (const auto& [device, group] : world.objects().groups) {
    sharing.know(device.pool.get(), group, group);
  }
  for (const auto& [uid, task] : world.objects().tasks) {
    const Json& said = expected_of(json, task);
    const Json& seen = member_of(observed, uid);
    if (!task.shares || !said.contains("gpuGroups") || !seen.contains("gpuGroups")) continue;
    sharing.add(seen.value("node", ""), said["gpuGroups"],
                seen["gpuGroups"].get<std::vector<std::string>>());
  }
  return sharing.agree();
}

}  // namespace

Mismatches check_expected(const KaiWorld& world, const Json& json) {
  Mismatches mismatches;
  const Json& expected = json.at("expected");
  const Json& jobs = member_of(expected, "jobs");
  const Json& tasks = member_of(expected, "tasks");
  for (const auto& [uid, task] : world.objects().tasks) {
    if (jobs.contains(task.job)) mismatches.task(world, task, jobs[task.job]);
    if (tasks.contains(uid)) mismatches.task(world, task, tasks[uid]);
  }
  for (const auto& [node, said] : member_of(expected, "nodes").items()) {
    mismatches.node(world, node, said);
  }
  if (kai_shares_so(world, json)) {
    const auto said_of = [&](const KaiTask& task) -> const Json& {
      const Json& said = expected_of(json, task);
      return get_or(said, "dontValidateGpuGroup", false) ? no_json : said;
    };
    if (!sharing(world, said_of).agree()) mismatches.differ("devices shared otherwise", "");
  }
  return mismatches;
}

Mismatches check_observed(const KaiWorld& world, const Json& json) {
  Mismatches mismatches;
  const auto& observed = json.at("observed").at("tasks");
  for (const auto& [uid, task] : world.objects().tasks) {
    if (observed.contains(uid)) mismatches.task(world, task, observed[uid]);
  }
  const auto said_of = [&](const KaiTask& task) -> const Json& {
    return member_of(observed, task.uid);
  };
  if (!sharing(world, said_of).agree()) mismatches.differ("devices shared otherwise", "");
  return mismatches;
}

}  // namespace dray::cases
