#pragma once

#include <cstddef>
#include <optional>

#include "dray/engine/engine.h"
#include "dray/model/extender_api.h"
#include "service/record/record_input.h"

namespace dray::service {

/// About how many bytes of memory a step takes while it waits to be recorded: what may be large is
/// counted (lists of nodes, labels and annotations, devices, the data of ConfigMaps), the rest is
/// taken as an average. Its cost grows with the step alone.
[[nodiscard]] std::size_t noted_size(const RecordInput& input, const engine::Effects& effects,
                                     const std::optional<extender::FilterResponse>& answer);

}  // namespace dray::service
