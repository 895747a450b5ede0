#pragma once

#include <array>
#include <string_view>

namespace dray::app {

/// Of a folder the records in it; their names sort from the oldest.
inline constexpr std::array<std::string_view, 1> record_endings{".jsonl.zst"};

}  // namespace dray::app
