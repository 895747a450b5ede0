#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dray::wire {

// The form of the policy file as a tree, made from the descriptions that stand with the structs of
// include/dray/policy: files are checked against it, and the JSON Schema that editors use and the
// document of all keys are printed from it.

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
  manifest,  ///< an object of the Kubernetes API of the kind `words`
};

struct PolicyShape;

struct PolicyField {
  std::string_view key;
  std::shared_ptr<const PolicyShape> shape;
  std::string doc;  ///< what it says, and its default where it has one
  bool required = false;
  std::string absent = {};  ///< its default as YAML; empty: `doc` says what absence means
};

struct PolicyShape {
  Form form = Form::text;
  std::vector<PolicyField> fields{};
  std::shared_ptr<const PolicyShape> item{};  ///< of a list or a map
  std::vector<std::string_view> words{};
  std::int32_t minimum = INT32_MIN;
  std::shared_ptr<const PolicyShape> alternative{};  ///< another shape that the value may have
};

/// The shape of a whole file.
[[nodiscard]] PolicyShape policy_shape();

/// What a value of the shape looks like, in words: `a whole number of at least 1`.
[[nodiscard]] std::string expected(const PolicyShape& shape);

/// The JSON Schema (draft 7) of a policy file, with each key's description, unit, default and
/// example: config/policy.schema.json.
[[nodiscard]] std::string policy_schema();

/// All keys of a policy file with what they say: docs/policy-keys.md.
[[nodiscard]] std::string policy_document();

}  // namespace dray::wire
