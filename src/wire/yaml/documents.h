#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "wire/yaml/yaml_json.h"

namespace dray::wire {

/// The documents of a file as kubectl takes it: YAML between lines of `---`, or, where it begins
/// with `{`, JSON values one after the other or between such lines.
[[nodiscard]] std::expected<std::vector<YamlDocument>, YamlError> read_documents(
    std::string_view text);

}  // namespace dray::wire
