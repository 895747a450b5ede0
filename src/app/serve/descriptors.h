#pragma once

#include <cstddef>

namespace dray::app {

/// Raises the process's limit of open files to what it may be; gives the limit in force then.
[[nodiscard]] std::size_t raise_descriptor_limit();

/// How many connections the extender port may have where so many files may be open: what health,
/// dashboard, handshakes, files and the API server's connections need is kept from it.
[[nodiscard]] std::size_t extender_connections(std::size_t descriptors);

}  // namespace dray::app
