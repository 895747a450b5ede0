#pragma once

#include <compare>
#include <functional>
#include <string>

#include "dray/base/strong.h"

namespace dray {

using Uid = Strong<std::string, struct UidTag>;
using ResourceVersion = Strong<std::string, struct ResourceVersionTag>;

using NodeName = Strong<std::string, struct NodeNameTag>;
using NamespaceName = Strong<std::string, struct NamespaceNameTag>;
using ClassName = Strong<std::string, struct ClassNameTag>;
using DriverName = Strong<std::string, struct DriverNameTag>;
using PoolName = Strong<std::string, struct PoolNameTag>;
using DeviceName = Strong<std::string, struct DeviceNameTag>;
using SliceName = Strong<std::string, struct SliceNameTag>;
using TaintRuleName = Strong<std::string, struct TaintRuleNameTag>;

/// A namespaced object's key; prints as namespace/name.
template <class Tag>
struct ObjectKey {
  std::string namespace_name;
  std::string name;

  [[nodiscard]] std::string to_string() const {
    return namespace_name.empty() ? name : namespace_name + "/" + name;
  }
  auto operator<=>(const ObjectKey&) const = default;
  bool operator==(const ObjectKey&) const = default;
};
using PodKey = ObjectKey<struct PodKeyTag>;
using ClaimKey = ObjectKey<struct ClaimKeyTag>;
using ClaimTemplateKey = ObjectKey<struct ClaimTemplateKeyTag>;
using LeaseKey = ObjectKey<struct LeaseKeyTag>;

/// What makes a device unique in a cluster; prints as driver/pool/device.
struct DeviceId {
  DriverName driver;
  PoolName pool;
  DeviceName device;

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
