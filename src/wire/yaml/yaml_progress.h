#pragma once

#include <optional>
#include <string_view>

#include "wire/yaml/config_node.h"

namespace dray::wire {

/// Where yaml-cpp would read one empty document after the other, without end: at a `,`, a `]` or
/// whatever else begins no value, where a document has to begin. Nothing: it comes to an end. Texts
/// that are no YAML for another reason come to an end, too.
[[nodiscard]] std::optional<TextPlace> endless_yaml(std::string_view text);

/// What an error says of such a place.
inline constexpr std::string_view no_document = "a document cannot begin here";

}  // namespace dray::wire
