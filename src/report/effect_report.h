#pragma once

#include <string>

#include "dray/simulate/policy_effect.h"

namespace dray::report {

/// Counts by change, queues whose fair share is another, then each job with both sides.
[[nodiscard]] std::string effect_text(const simulate::PolicyEffect& effect);

/// `{"jobs":[…],"shares":[…]}`, every queue's shares included.
[[nodiscard]] std::string effect_json(const simulate::PolicyEffect& effect);

}  // namespace dray::report
