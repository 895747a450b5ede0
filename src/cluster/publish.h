#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/equivalence_classes.h"
#include "cluster/sharing.h"
#include "dray/cel/device_shape.h"
#include "dray/cluster/devices.h"
#include "dray/cluster/node_facts.h"
#include "dray/model/device.h"
#include "dray/model/node.h"

namespace dray::cluster {

/// Turns slices and nodes into what dray keeps of them, sharing what is equal. One owner.
class Publisher {
 public:
  explicit Publisher(EquivalenceClasses& equivalence) : equivalence_(equivalence) {}

  [[nodiscard]] std::shared_ptr<const PublishedSlice> publish(const ResourceSlice& slice,
                                                              std::uint64_t arrival);
  [[nodiscard]] std::shared_ptr<const NodeFacts> publish(const Node& node);

 private:
  struct TextRules {
    static std::size_t hash(const std::string& text) { return std::hash<std::string>{}(text); }
    static bool equal(const std::string& a, const std::string& b) { return a == b; }
  };
  struct TraitsRules {
    static std::size_t hash(const DeviceTraits& traits);
    static bool equal(const DeviceTraits& a, const DeviceTraits& b);
  };
  struct LabelRules {
    static std::size_t hash(const LabelSet& labels);
    static bool equal(const LabelSet& a, const LabelSet& b) { return a == b; }
  };
  struct TaintRules {
    static std::size_t hash(const std::vector<NodeTaint>& taints);
    static bool equal(const std::vector<NodeTaint>& a, const std::vector<NodeTaint>& b) {
      return a == b;
    }
  };
  struct AmountRules {
    static std::size_t hash(const NodeAmounts& amounts);
    static bool equal(const NodeAmounts& a, const NodeAmounts& b) { return a == b; }
  };
  struct TextListRules {
    static std::size_t hash(const std::vector<std::string>& texts);
    static bool equal(const std::vector<std::string>& a, const std::vector<std::string>& b) {
      return a == b;
    }
  };

  /// The parts of a device are shared already, so that equal ones are the same.
  struct DeviceRules {
    static std::size_t hash(const std::vector<PublishedDevice>& devices);
    static bool equal(const std::vector<PublishedDevice>& a, const std::vector<PublishedDevice>& b);
  };

  /// Devices as they were given, and what was made of them.
  struct Repeated {
    std::vector<Device> given;
    std::shared_ptr<const std::vector<PublishedDevice>> made;
  };

  [[nodiscard]] PublishedDevice publish(const ResourceSlice& slice, const Device& device);
  [[nodiscard]] PublishedDevices publish_devices(const ResourceSlice& slice);

  EquivalenceClasses& equivalence_;
  cel::Interner interner_;
  Sharing<std::string, TextRules> names_;
  Sharing<DeviceTraits, TraitsRules> traits_;
  Sharing<std::vector<PublishedDevice>, DeviceRules> devices_;
  /// By driver, the last devices that another slice had before: of thousands of like nodes each is
  /// compared, and not interned.
  std::unordered_map<std::string, Repeated> repeated_;
  Sharing<LabelSet, LabelRules> labels_;
  Sharing<std::vector<NodeTaint>, TaintRules> taints_;
  Sharing<NodeAmounts, AmountRules> amounts_;
  Sharing<std::vector<std::string>, TextListRules> features_;
};

}  // namespace dray::cluster
