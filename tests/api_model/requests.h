#pragma once

#include "tests/api_model/operation.h"

namespace dray::api_model {

/// `{code: ok, object}`.
[[nodiscard]] Json succeeded(const KubeObject& object);
/// The same where the answer holds no object.
[[nodiscard]] Json succeeded();
[[nodiscard]] Json succeeded(const engine::WrittenObject& object);
/// `{code, message}`.
[[nodiscard]] Json failed(const Error& error);

/// Player's `request`.
[[nodiscard]] Json request_of(const Json& line, const Operation& operation);
/// Player's `outcome`.
[[nodiscard]] Json outcome_of(const Json& line, const Operation& operation);

}  // namespace dray::api_model
