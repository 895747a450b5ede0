#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "wire/json/json_reader.h"

namespace dray::wire {

/// One document of a YAML text as JSON. Lines count from 1.
struct YamlDocument {
  std::size_t index = 0;  ///< among all documents, empty ones included
  int line = 0;
  std::string json;
  std::vector<int> item_lines;  ///< of the members of a top-level `items` list
};

struct YamlError {
  int line = 0;
  std::string text;
};

/// All documents that are not empty, with the types that Kubernetes gives to scalars: quoted ones
/// are strings; plain `yes`, `on`, `0x10`, `~` are booleans, numbers, null.
[[nodiscard]] std::expected<std::vector<YamlDocument>, YamlError> read_yaml(std::string_view text);

/// One document; none is null. Errors say the line: `line 3: key "a" is set twice`.
[[nodiscard]] Result<std::string> yaml_to_json(std::string_view text);

/// The line of the value at that path, or of the nearest one above it that is there; 0 if the text
/// cannot be read. It reads the text again: for messages.
[[nodiscard]] int line_of(std::string_view text, std::size_t document, const Path& path);

}  // namespace dray::wire
