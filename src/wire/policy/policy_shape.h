#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dray::wire {

// The form of the policy file, as a table: the codec checks files against it, and the JSON Schema
// that editors use is printed from it.

enum class Form : std::uint8_t {
  object,  ///< known fields
  map,     ///< any keys
  list,
  text,
  word,  ///< one of `words`
  boolean,
  integer,  ///< 32 bits, at least `minimum`
  number,
  quantity,  ///< 16, 500m, 80Gi
  bound,     ///< a quantity or `unlimited`
  duration,  ///< 90s, 1h30m, 7d
};

struct PolicyField;

struct PolicyShape {
  Form form = Form::text;
  std::span<const PolicyField> fields{};
  const PolicyShape* item = nullptr;  ///< of a list or a map
  std::span<const std::string_view> words{};
  std::int32_t minimum = 0;
  const PolicyShape* alternative = nullptr;  ///< another shape that the value may have
};

struct PolicyField {
  std::string_view key;
  const PolicyShape* shape = nullptr;
  std::string_view doc;
  bool required = false;
};

/// The shape of a whole file.
[[nodiscard]] const PolicyShape& policy_shape();

/// The JSON Schema (2020-12) of a policy file: config/policy.schema.json.
[[nodiscard]] std::string policy_schema();

}  // namespace dray::wire
