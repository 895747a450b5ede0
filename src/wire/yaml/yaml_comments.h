#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/yaml/config_node.h"

namespace dray::wire {

/// A comment of a YAML text, from its `#` to the end of the line.
struct YamlComment {
  TextPlace place;
  std::string text;
  bool own_line = false;  ///< nothing stands before it

  bool operator==(const YamlComment&) const = default;
};

/// All comments, in order. Texts of block scalars (`|`, `>`) are not told from comments.
[[nodiscard]] std::vector<YamlComment> comments_in(std::string_view yaml);

}  // namespace dray::wire
