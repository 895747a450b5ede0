#pragma once

#include <cstdint>

namespace dray::cel {

/// Traits of cel-go's types: what an operator asks of its first operand.
enum class Trait : std::uint8_t {
  adder,
  comparer,
  divider,
  iterable,
  matcher,
  modder,
  multiplier,
  negator,
  receiver,
  sizer,
  subtractor,
  indexer,
  list,  ///< all that lists can and nothing else can: a list
  none,
};

}  // namespace dray::cel
