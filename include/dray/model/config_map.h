#pragma once

#include "dray/model/meta.h"

namespace dray {

/// core/v1 ConfigMap: where dray keeps what no other object holds (the usage of queues).
struct ConfigMap {
  ObjectMeta meta;
  Labels data;

  bool operator==(const ConfigMap&) const = default;
};

}  // namespace dray
