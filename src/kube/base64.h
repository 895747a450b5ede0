#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::kube {

/// Standard base64 (RFC 4648) with padding; line breaks and spaces are skipped.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

}  // namespace dray::kube
