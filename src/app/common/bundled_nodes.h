#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/object_stream.h"

namespace dray::app {

/// So many nodes of a kind that the demo's cluster has.
struct BundledNodes {
  std::size_t count = 0;
  std::string kind;
};

/// `32xdgxh100`; nothing where the text is of another form.
[[nodiscard]] std::optional<BundledNodes> parse_bundled_nodes(std::string_view text);

/// Copies of that node of the demo's cluster, and all that is of no node there. An error names the
/// kinds that there are. Warnings of the files are added to `warnings`.
[[nodiscard]] Result<simulate::ObjectStream> bundled_nodes(const BundledNodes& nodes,
                                                           std::vector<std::string>& warnings);

}  // namespace dray::app
