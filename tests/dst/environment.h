#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace dray::dst {

/// What the environment variable says, a whole number; `absent` where it is not set.
inline std::uint64_t number_from_environment(const char* name, std::uint64_t absent) {
  const char* text = std::getenv(name);
  return text == nullptr ? absent : std::stoull(text);
}

}  // namespace dray::dst
