#pragma once

#include <span>
#include <string>
#include <string_view>

#include "wire/policy/policy_shape.h"

namespace dray::wire {

// What the schema and the document of keys show beside what a key's description says.

/// A value of a key; a test holds each key of the shape to having one, and it to the key's form.
struct KeyExample {
  std::string_view path;  ///< `queues[].quota`, `resources.NAME[].amount`
  std::string_view yaml;
  std::string_view unit = {};  ///< of amounts and counts
};

/// Every example there is.
[[nodiscard]] std::span<const KeyExample> key_examples();

/// The example of a key; empty where there is none.
[[nodiscard]] const KeyExample& example_of(std::string_view path);

/// What the key's value is counted in; empty for what is no number.
[[nodiscard]] std::string_view unit_of(std::string_view path, Form form);

/// `path.key`, at the top the key alone.
[[nodiscard]] std::string path_below(std::string_view path, std::string_view key);

}  // namespace dray::wire
