#pragma once

#include <string>

#include "app/policy/policy_effect.h"

namespace dray::app {

/// Counts by change, queues whose fair share is another, then each job with both sides.
[[nodiscard]] std::string effect_text(const PolicyEffect& effect);

/// `{"jobs":[…],"shares":[…]}`, every queue's shares included.
[[nodiscard]] std::string effect_json(const PolicyEffect& effect);

}  // namespace dray::app
