#include "cel/text/rune_class.h"

#include <catch2/catch.hpp>
#include <cstdint>

// Asked of Go's unicode.IsPrint and unicode.IsSpace.

namespace dray::cel::rune_class_test {

TEST_CASE("what is printable, and what is white space") {
  struct Row {
    char32_t rune;
    bool printable;
    bool space;
  };
  const auto row =
      GENERATE(Row{' ', true, true}, Row{'~', true, false}, Row{0x7F, false, false},
               Row{'\t', false, true}, Row{0x85, false, true}, Row{0xA0, false, true},
               Row{0xAD, false, false}, Row{0xE9, true, false}, Row{0x301, true, false},
               Row{0x378, false, false}, Row{0x180E, false, false}, Row{0x2003, false, true},
               Row{0x200B, false, false}, Row{0x2028, false, true}, Row{0x20AC, true, false},
               Row{0x3000, false, true}, Row{0xE000, false, false}, Row{0xFEFF, false, false},
               Row{0xFFFD, true, false}, Row{0x1F600, true, false});
  CAPTURE(static_cast<std::uint32_t>(row.rune));
  CHECK(is_printable(row.rune) == row.printable);
  CHECK(is_white_space(row.rune) == row.space);
}

}  // namespace dray::cel::rune_class_test
