#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dray::net {

/// Cuts a body that arrives in pieces into lines. A byte is searched for a line end once, however
/// small the pieces are. One owner.
class LineCutter {
 public:
  /// Takes the complete lines off `body`, which has grown since the last call; where it has `ended`
  /// also a last one without a line end. Empty lines are dropped.
  [[nodiscard]] std::vector<std::string> take(std::string& body, bool ended);

 private:
  std::size_t searched_ = 0;  ///< no line end before that in the body
};

}  // namespace dray::net
