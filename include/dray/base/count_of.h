#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace dray {

/// `1 pod`, `3 pods`: for nouns with a plural in s.
template <std::integral Count>
[[nodiscard]] std::string count_of(Count count, std::string_view noun) {
  auto text = std::to_string(count).append(" ").append(noun);
  if (count != 1) text += 's';
  return text;
}

}  // namespace dray
