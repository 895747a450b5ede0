#pragma once

#include <optional>
#include <string>

#include "dray/cel/device_shape.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"
#include "tests/cases/runner.h"

namespace dray::cases {

/// A CEL value in the case files' typed form: `{"int": "5"}`.
[[nodiscard]] Json typed_value(const cel::Value& value);
/// `{"driver": .., "attributes": {name: {"int": 5}}, "capacity": {name: {"value": "1Gi"}}}`.
[[nodiscard]] cel::DeviceShapeHandle device_shape(cel::Interner& interner, const Json& device);
/// A case's own variables (`type_env`, `bindings`) and container.
void declare(const Json& json, cel::Environment& environment);
[[nodiscard]] std::vector<cel::Value> bindings(const Json& json,
                                               const cel::Environment& environment);

/// Where an outcome differs from what a case wants.
struct Difference {
  std::string got, want;
};
/// Whether two compile errors with a syntax error in them have it at the same place: the first
/// error, or the first of that kind (ANTLR goes on behind it, and then tells of macros before it).
[[nodiscard]] bool same_place(const std::string& a, const std::string& b);
[[nodiscard]] std::optional<Difference> compare_match(const Json& json,
                                                      const cel::CompileOptions& options);
[[nodiscard]] std::optional<Difference> compare_selector(const Json& json, const Json& device,
                                                         const cel::CompileOptions& options);
[[nodiscard]] std::optional<Difference> compare_wild(const Json& json, const Json& devices);

}  // namespace dray::cases
