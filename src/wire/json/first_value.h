#pragma once

#include <string_view>

namespace dray::wire {

/// The first JSON value of the text, which is all that Go's decoder reads; the whole text if that
/// value does not end.
[[nodiscard]] std::string_view first_value(std::string_view json);

}  // namespace dray::wire
