#pragma once

#include <string_view>

#include "dray/base/error.h"
#include "dray/model/disruption.h"

namespace dray::service {

/// A label selector as kubectl takes it: `pool=blue`, `zone in (a, b)`, `!spot`, several by commas,
/// all of which must hold; an empty text selects everything.
[[nodiscard]] Result<LabelSelector> parse_label_selector(std::string_view text);

}  // namespace dray::service
