#pragma once

#include "dray/model/ids.h"
#include "dray/model/meta.h"

namespace dray {

/// Namespace and name of a ConfigMap.
using ConfigMapKey = ObjectKey<struct ConfigMapKeyTag>;

/// core/v1 ConfigMap: where dray keeps what no other object holds (the usage of queues).
struct ConfigMap {
  ObjectMeta meta;
  Labels data;

  bool operator==(const ConfigMap&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& map) { io.field("data", map.data); }
};

}  // namespace dray
