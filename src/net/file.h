#pragma once

#include <string>

#include "dray/base/error.h"

namespace dray::net {

/// All that the file has (of a pipe: until it ends); else its path and why not, in the system's
/// words: `/etc/dray/tls.crt: cannot be read: permission denied`. Any thread.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/// The same of a file that is open, which `name` names.
[[nodiscard]] Result<std::string> read_all(int file, const std::string& name);

}  // namespace dray::net
