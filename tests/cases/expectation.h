#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/alloc/features.h"
#include "dray/model/claim.h"
#include "dray/model/device.h"
#include "tests/cases/runner.h"

// What an expect.yaml means, and the words in which something of it is not met. tests/cluster reads
// the same files in Go (harness/expectation.go); tests/cases/scenarios/README.md defines them, and
// its examples.yaml holds both to the same answers.

namespace dray::cases {

/// The devices of the newest generation of each pool.
class Inventory {
 public:
  void add(const ResourceSlice& slice);
  [[nodiscard]] const Device* find(const DeviceId& id) const;
  /// A value of a device in view; null if it lacks it. A driver's own attributes need no domain, in
  /// the name asked for as in the slice.
  [[nodiscard]] const AttributeValue* attribute(const DeviceId& id, std::string_view name) const;

 private:
  struct Pool {
    std::int64_t generation = -1;
    std::map<DeviceName, Device> devices;
  };
  std::map<std::pair<DriverName, PoolName>, Pool> pools_;
};

/// What has become of a pod.
struct Observed {
  std::string node;     ///< empty: it was not placed
  std::string refusal;  ///< why it was not
  std::vector<AllocatedDevice> devices;
  std::size_t extended = 0;  ///< of the devices: those behind extended resources
  std::vector<std::string> warnings;
};

/// What of the expectation of one pod is not met.
[[nodiscard]] std::vector<std::string> unmet(const Json& expectation, const Observed& observed,
                                             const Inventory& inventory);

/// What is not met of a scenario's `pods`, by name; each text begins with its pod.
[[nodiscard]] std::vector<std::string> unmet_of_pods(const Json& pods,
                                                     const std::map<std::string, Observed>& all,
                                                     const Inventory& inventory);

/// Turns a scenario's feature gates on; an error text for each that a scenario cannot ask for.
[[nodiscard]] std::vector<std::string> switch_gates_on(const std::vector<std::string>& gates,
                                                       alloc::Features& features);

}  // namespace dray::cases
