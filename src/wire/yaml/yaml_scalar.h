#pragma once

#include <string>
#include <string_view>

namespace dray::wire {

/// A plain (unquoted) YAML scalar as JSON, by the rules of the go-yaml v2 that Kubernetes uses; a
/// text that is nothing else is a string.
[[nodiscard]] std::string plain_scalar_to_json(std::string_view text);

}  // namespace dray::wire
