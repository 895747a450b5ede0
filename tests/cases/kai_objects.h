#pragma once

#include <map>
#include <string>
#include <vector>

#include "dray/model/claim.h"
#include "dray/model/device.h"
#include "dray/model/node.h"
#include "tests/cases/runner.h"

namespace dray::cases {

/// What a case of KAI is about, which decides how its GPUs are devices.
struct KaiTraits {
  bool sharing = false;        ///< tasks ask for parts of GPUs
  bool numa = false;           ///< nodes tell of their zones
  double device_memory = 100;  ///< MiB of the smallest GPU

  static KaiTraits of(const Json& json);
};

struct KaiTask {
  const Json* json = nullptr;
  std::string uid;
  std::string job;
  std::string status;
  std::string node;
  std::vector<std::string> claims;
  std::vector<DeviceId> devices;  ///< that it has, or is promised
  bool shares = false;            ///< asks for parts of devices

  /// The names of its devices of one driver.
  [[nodiscard]] std::vector<std::string> devices_of(const char* driver) const;
};

struct KaiClaim {
  ResourceClaim object;
  bool shared = false;  ///< stands in the case; else made for what its task asks for
};

/// The objects of a recorded scheduling case of KAI: its GPUs, fractions, gpu-memory and MIG
/// profiles are devices of one synthetic slice a node, what its tasks ask for are claims.
struct KaiObjects {
  std::vector<Node> nodes;
  std::vector<ResourceSlice> slices;
  std::vector<DeviceClass> classes;
  std::map<std::string, KaiClaim> claims;
  std::map<std::string, KaiTask> tasks;
  std::map<DeviceId, std::string> groups;  ///< devices shared at the start, as KAI calls them

  KaiObjects(const Json& json, const KaiTraits& traits);
};

/// Nodes with their slices, and the classes of what they have.
void read_nodes(const Json& json, const KaiTraits& traits, KaiObjects& objects);
/// Classes, slices and claims that the case has as Kubernetes' own.
void read_dra(const Json& json, KaiObjects& objects);
/// NUMA zones as shared devices with CPU.
void read_zones(const Json& json, KaiObjects& objects);

/// The claim that stands for what a task asks of KAI's GPUs.
void add_device_claim(const KaiTraits& traits, const Json& job, KaiTask& task, KaiObjects& objects);
/// The claim for what a guaranteed pod asks of its node's zones.
void add_zone_claim(const Json& json, const Json& job, KaiTask& task, KaiObjects& objects);
/// KAI's pods that use MIG devices without saying which.
void add_legacy_mig(const Json& job, KaiTask& task, KaiObjects& objects);
/// Devices for those that run at the start: shared ones by KAI's groups, then the lowest free ones.
void allocate_running(const KaiTraits& traits, KaiObjects& objects);

}  // namespace dray::cases
