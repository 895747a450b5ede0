#include "wire/yaml/scalar_place.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::wire::scalar_place_test {
namespace {

struct Row {
  const char* name;
  const char* text;  ///< `key: VALUE`; the X of the value is sought
};

/// Where the first X stands in a text.
TextPlace place_of_x(std::string_view text) {
  TextPlace place;
  for (const char c : text) {
    if (c == 'X') break;
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    place = c == '\n' ? TextPlace{place.line + 1, 1} : TextPlace{place.line, place.column + 1};
  }
  return place;
}

std::size_t index_of_x(std::string_view value) {
  std::size_t index = 0;
  for (const char c : value) {
    if (c == 'X') break;
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++index;
  }
  return index;
}

}  // namespace

TEST_CASE("a character of a scalar is found in the file") {
  const auto row = GENERATE(
      Row{"plain", "key: abXc\n"}, Row{"plain over lines", "key: ab\n  cd  \n  eXf\n"},
      Row{"plain, not ASCII", "key: äöXc\n"}, Row{"double quotes", "key: \"abXc\"\n"},
      Row{"escapes", R"(key: "a\"b\\c\u00e9dXe")"}, Row{"JSON", R"({"key": "a\"bXc"})"},
      Row{"double quotes over lines", "key: \"ab\n   cXd\"\n"},
      Row{"single quotes", "key: 'it''s Xc'\n"}, Row{"literal block", "key: |\n  ab\n  cXd\n"},
      Row{"literal block with an indented line", "key: |-\n    ab\n      cd\n    eXf\n"},
      Row{"literal block with an empty line", "key: |\n  ab\n\n  cXd\n"},
      Row{"literal block after an empty line", "key: |\n\n  ab\n  cXd\n"},
      Row{"folded block", "key: >-\n  ab\n  cXd\n"}, Row{"first character", "key: Xab\n"},
      Row{"first character of a block", "key: |\n    Xab\n"});
  DYNAMIC_SECTION(row.name) {
    const auto root = parse_yaml(row.text).value();
    const auto* scalar = root.find("key");
    REQUIRE(scalar != nullptr);
    const auto place = place_in_scalar(row.text, *scalar, index_of_x(scalar->text));
    const auto want = place_of_x(row.text);
    CHECK(place.line == want.line);
    CHECK(place.column == want.column);
  }
}

TEST_CASE("an alias has the place of what it stands for, or its own") {
  const std::string text = "a: &x abc\nb: *x\n";
  const auto root = parse_yaml(text).value();
  CHECK(place_in_scalar(text, *root.find("b"), 2).line <= 2);
}

}  // namespace dray::wire::scalar_place_test
