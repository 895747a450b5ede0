#pragma once

#include "dray/model/ids.h"
#include "dray/model/meta.h"

namespace dray {

using ConfigMapKey = ObjectKey<struct ConfigMapKeyTag>;

/// core/v1 ConfigMap: where dray keeps what no other object holds (the usage of queues).
struct ConfigMap {
  ObjectMeta meta;
  Labels data;

  bool operator==(const ConfigMap&) const = default;
};

}  // namespace dray
