#pragma once

#include <string>
#include <string_view>

namespace dray::wire {

/// The text with each byte that is no part of valid UTF-8 replaced by U+FFFD, as Go's decoder does.
[[nodiscard]] std::string with_valid_utf8(std::string_view text);

}  // namespace dray::wire
