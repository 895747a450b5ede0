#pragma once

#include <cstdint>
#include <string>

#include "dray/model/pod_group.h"
#include "tests/objects/meta.h"

namespace dray::testing {

/// A gang: at least `minimum` pods or none.
inline PodGroup make_group(const std::string& name, std::int32_t minimum) {
  PodGroup group;
  group.meta = default_meta(name);
  group.min_count = minimum;
  return group;
}

}  // namespace dray::testing
