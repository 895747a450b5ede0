#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace dray::model_test {

/// How the compiler writes a value: `dray::Kind::pod`, or a cast `(dray::Kind)77` if no enumerator
/// has it.
template <auto value>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.find("value = ") + 8] != '(';
}

/// How many of the first 128 values of an enum are enumerators.
template <class Enum>
constexpr std::size_t count_enumerators() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (std::size_t{0} + ... + (is_enumerator<static_cast<Enum>(I)>() ? 1U : 0U));
  }(std::make_index_sequence<128>());
}

}  // namespace dray::model_test
