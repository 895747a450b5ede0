#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray::cel {

/// The text of a string or bytes literal (without the b prefix), quotes and escapes resolved, or
/// nothing and why in `error`.
[[nodiscard]] std::optional<std::string> unescape(std::string_view literal, bool bytes,
                                                  std::string& error);

}  // namespace dray::cel
