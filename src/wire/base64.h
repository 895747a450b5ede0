#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::wire {

/// Standard base64 (RFC 4648) with padding.
[[nodiscard]] std::string encode_base64(std::string_view bytes);
/// Line breaks and spaces are skipped.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

}  // namespace dray::wire
