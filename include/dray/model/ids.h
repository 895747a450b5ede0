#pragma once

#include <compare>
#include <functional>
#include <string>

#include "dray/base/strong.h"

namespace dray {

/// metadata.uid: of one object for ever.
using Uid = Strong<std::string, struct UidTag>;
/// metadata.resourceVersion: opaque; only equality means something.
using ResourceVersion = Strong<std::string, struct ResourceVersionTag>;

/// Name of a Node.
using NodeName = Strong<std::string, struct NodeNameTag>;
/// Name of a Namespace.
using NamespaceName = Strong<std::string, struct NamespaceNameTag>;
/// Name of a DeviceClass.
using ClassName = Strong<std::string, struct ClassNameTag>;
/// Name of a DRA driver: gpu.nvidia.com.
using DriverName = Strong<std::string, struct DriverNameTag>;
/// Name of a pool of a driver.
using PoolName = Strong<std::string, struct PoolNameTag>;
/// Name of a device in its pool.
using DeviceName = Strong<std::string, struct DeviceNameTag>;
/// Name of a ResourceSlice.
using SliceName = Strong<std::string, struct SliceNameTag>;
/// Name of a DeviceTaintRule.
using TaintRuleName = Strong<std::string, struct TaintRuleNameTag>;

/// A namespaced object's key; prints as namespace/name.
template <class Tag>
struct ObjectKey {
  std::string namespace_name;
  std::string name;

  /// How messages write it.
  [[nodiscard]] std::string to_string() const {
    return namespace_name.empty() ? name : namespace_name + "/" + name;
  }
  auto operator<=>(const ObjectKey&) const = default;
  bool operator==(const ObjectKey&) const = default;
};
/// Namespace and name of a Pod.
using PodKey = ObjectKey<struct PodKeyTag>;
/// Namespace and name of a ResourceClaim.
using ClaimKey = ObjectKey<struct ClaimKeyTag>;
/// Namespace and name of a ResourceClaimTemplate.
using ClaimTemplateKey = ObjectKey<struct ClaimTemplateKeyTag>;
/// Namespace and name of a ProvisioningRequest.
using ProvisioningKey = ObjectKey<struct ProvisioningKeyTag>;
/// Namespace and name of a Lease.
using LeaseKey = ObjectKey<struct LeaseKeyTag>;

/// What makes a device unique in a cluster; prints as driver/pool/device.
struct DeviceId {
  DriverName driver;
  PoolName pool;
  DeviceName device;

  /// `gpu.example.com/node-1/gpu-0`
  [[nodiscard]] std::string to_string() const {
    return driver.get() + "/" + pool.get() + "/" + device.get();
  }
  auto operator<=>(const DeviceId&) const = default;
  bool operator==(const DeviceId&) const = default;
};

}  // namespace dray

template <class Tag>
struct std::hash<dray::ObjectKey<Tag>> {
  std::size_t operator()(const dray::ObjectKey<Tag>& key) const noexcept {
    return std::hash<std::string>{}(key.namespace_name) * 31 + std::hash<std::string>{}(key.name);
  }
};

template <>
struct std::hash<dray::DeviceId> {
  std::size_t operator()(const dray::DeviceId& id) const noexcept {
    const std::hash<std::string> one;
    return (one(id.driver.get()) * 31 + one(id.pool.get())) * 31 + one(id.device.get());
  }
};
