#include "cel/text/utf8.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::cel::utf8_test {
namespace {

TEST_CASE("runes are read and written; what is none is one replacement character a byte") {
  struct Row {
    const char* name;
    std::string text;
    char32_t rune;
    unsigned size;
  };
  const auto row = GENERATE(Row{"ascii", "a", U'a', 1}, Row{"two bytes", "\xc3\xa9", U'é', 2},
                            Row{"three bytes", "\xe2\x82\xac", U'€', 3},
                            Row{"four bytes", "\xf0\x9f\x90\xb1", U'\U0001F431', 4},
                            Row{"cut short", "\xe2\x82", replacement_character, 1},
                            Row{"a lone continuation", "\x82", replacement_character, 1},
                            Row{"too long a form", "\xc0\x80", replacement_character, 1},
                            Row{"a surrogate", "\xed\xa0\x80", replacement_character, 1},
                            Row{"beyond Unicode", "\xf4\x90\x80\x80", replacement_character, 1});
  DYNAMIC_SECTION(row.name) {
    const auto decoded = decode_rune(row.text);
    CHECK(decoded.rune == row.rune);
    CHECK(decoded.size == row.size);
    CHECK(valid_utf8(row.text) == (row.rune != replacement_character));
    if (row.rune == replacement_character) return;
    std::string written;
    append_rune(written, row.rune);
    CHECK(written == row.text);
  }
}

TEST_CASE("runes are counted, bad bytes one each") {
  CHECK(rune_count("") == 0);
  CHECK(rune_count("aé€") == 3);
  CHECK(rune_count("a\xff\xff") == 3);
}

}  // namespace
}  // namespace dray::cel::utf8_test
