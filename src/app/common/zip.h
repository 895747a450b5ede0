#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::app {

/// Whether a text begins as a ZIP archive does.
[[nodiscard]] bool is_zip(std::string_view text);
/// The one file of an archive, or among several the one with that name. An Error names `path`, and
/// says what is wrong with the archive or what is in it.
[[nodiscard]] Result<std::string> unzip(std::string_view archive, std::string_view name,
                                        const std::string& path);

}  // namespace dray::app
