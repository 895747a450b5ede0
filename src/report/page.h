#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::report {

/// The page that `./dev web` builds with the data in the place that it has for them. Fails where
/// it has none, or several: it is another file, or of another version.
[[nodiscard]] Result<std::string> fill_page(std::string_view page, std::string_view json);

}  // namespace dray::report
