#pragma once

#include <string>

#include "dray/base/error.h"

namespace dray::app {

/// A file as read_file() gives it, unpacked where it is one of gzip.
[[nodiscard]] Result<std::string> read_input(const std::string& path);

}  // namespace dray::app
