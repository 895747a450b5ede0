#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::app {

/// Whether a text begins as gzip's files do.
[[nodiscard]] bool is_gzip(std::string_view text);
/// What was packed. An Error names `path`: text that is cut off or damaged is one.
[[nodiscard]] Result<std::string> unpack_gzip(std::string packed, const std::string& path);
/// A file of gzip, whose end says whether all of it is there.
[[nodiscard]] std::string pack_gzip(std::string text);

}  // namespace dray::app
