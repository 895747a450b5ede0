#pragma once

#include <span>
#include <string>
#include <string_view>

#include "wire/policy/policy_shape.h"

namespace dray::wire {

// What the schema and the document of keys show beside what a key's description says.

/// A value of a key, where that of its form (`10m`, `true`) would tell too little.
struct KeyExample {
  std::string_view path;  ///< `queues[].quota`, `resources.NAME[].amount`
  std::string_view yaml;
  std::string_view unit = {};  ///< of amounts and counts
};

/// Every such example. A key that is text, or has parts, needs one: a test says so.
[[nodiscard]] std::span<const KeyExample> key_examples();

/// A value of the key, as YAML: its own example, else that of its form; empty where there is
/// neither.
[[nodiscard]] std::string example_of(std::string_view path, const PolicyShape& shape,
                                     std::span<const KeyExample> examples = key_examples());

/// What the key's value is counted in; empty for what is no number, or says so in its description.
[[nodiscard]] std::string_view unit_of(std::string_view path, Form form,
                                       std::span<const KeyExample> examples = key_examples());

/// The JSON Schema (draft 7) of files of that shape, with each key's description, unit, default and
/// example.
[[nodiscard]] std::string json_schema(std::string_view title, const PolicyShape& shape,
                                      std::span<const KeyExample> examples);

/// `path.key`, at the top the key alone.
[[nodiscard]] std::string path_below(std::string_view path, std::string_view key);

}  // namespace dray::wire
