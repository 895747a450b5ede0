#pragma once

#include <string>

#include "dray/policy/config.h"

namespace dray::wire {

/// The policy as a file in JSON (which is YAML), with every key that has a value:
/// decode_policy() reads it back as it was.
[[nodiscard]] std::string encode_policy(const policy::PolicyConfig& config);

}  // namespace dray::wire
