#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/cel/explain.h"
#include "dray/model/object.h"

namespace dray::app {

/// A published device, of the newest generation of its pool.
struct OfferedDevice {
  std::string node;  ///< empty: not of one node
  std::string driver;
  std::string pool;
  std::string name;
  cel::DeviceShapeHandle shape;

  /// `gpu.nvidia.com/node-0/gpu-3`
  [[nodiscard]] std::string id() const { return driver + "/" + pool + "/" + name; }
};

/// By node, driver, pool and name. Shapes come from `interner`.
[[nodiscard]] std::vector<OfferedDevice> offered_devices(const std::vector<KubeObject>& objects,
                                                         cel::Interner& interner);

/// The device of that name: `gpu-3`, `node-0/gpu-3` or the whole id. An Error if there is none, or
/// if several go by it.
[[nodiscard]] Result<const OfferedDevice*> find_device(const std::vector<OfferedDevice>& devices,
                                                       const std::string& name);

/// A selector and where it is from: `class gpu.nvidia.com: selector 0`; empty for the one that was
/// asked for.
struct NamedSelector {
  std::string name;
  cel::Explainer explainer;
};

/// The class's selectors (if a class is named), then the expression (if there is one). Errors are
/// those that Kubernetes gives.
[[nodiscard]] Result<std::vector<NamedSelector>> selectors_for(
    const std::vector<KubeObject>& objects, const std::string& class_name,
    const std::string& expression);

/// What the selectors say of one device, tried in order as the scheduler does: the first that does
/// not accept it ends the matter.
struct DeviceMatch {
  const OfferedDevice* device = nullptr;
  cel::Verdict verdict = cel::Verdict::yes;
  std::string selector;  ///< the one that did not accept
  std::string why;       ///< the sub-expression that decided, with values
};

/// In the order of the devices; `asked` is told of each that is done.
[[nodiscard]] std::vector<DeviceMatch> match_devices(const std::vector<OfferedDevice>& devices,
                                                     std::vector<NamedSelector>& selectors,
                                                     const std::function<void()>& asked = {});

}  // namespace dray::app
