#pragma once

#include <string>
#include <string_view>

namespace dray::wire {

/// A JSON text as block YAML, in the same order; an invalid one is returned as it is. Strings that
/// YAML could take for something else are quoted.
[[nodiscard]] std::string json_to_yaml(std::string_view json);

}  // namespace dray::wire
