#pragma once

#include <cstddef>
#include <string_view>

#include "wire/yaml/config_node.h"

namespace dray::wire {

/// Where character `index` (in code points) of a scalar's value stands in the YAML or JSON text
/// that it was read from: plain, quoted and block scalars, escapes and folded lines included. Where
/// the text does not say (an alias, an escape that gives several characters) the nearest place
/// before it.
[[nodiscard]] TextPlace place_in_scalar(std::string_view text, const ConfigNode& scalar,
                                        std::size_t index);

}  // namespace dray::wire
