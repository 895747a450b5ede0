#pragma once

#include <set>
#include <string>

namespace dray::dashboard {

/// Whose names somebody may see: those of all namespaces, or of some. What else there is, is told
/// in counts.
struct Viewer {
  bool everything = true;
  std::set<std::string, std::less<>> namespaces;  ///< where not everything

  [[nodiscard]] bool sees(const std::string& name_space) const {
    return everything || namespaces.contains(name_space);
  }
};

}  // namespace dray::dashboard
