#include "cel/syntax/literal.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::cel::literal_test {
namespace {

struct Row {
  std::string literal;
  bool bytes;
  std::string text;
};

TEST_CASE("a quoted literal's text") {
  const auto row =
      GENERATE(Row{R"("a")", false, "a"}, Row{R"('a"b')", false, "a\"b"},
               Row{R"('\n\t\\\'')", false, "\n\t\\'"}, Row{R"(r'\n')", false, "\\n"},
               Row{R"('\x41\u00e9\U0001F431')", false, "Aé🐱"}, Row{R"('\101')", false, "A"},
               Row{R"("""a"b""")", false, "a\"b"}, Row{R"('\xff')", true, "\xff"},
               Row{R"('\303\251')", true, "é"}, Row{R"('é')", true, "é"});
  INFO(row.literal);
  std::string error;
  CHECK(unescape(row.literal, row.bytes, error).value_or("error: " + error) == row.text);
}

TEST_CASE("what is no literal says why") {
  const auto text = GENERATE(as<std::string>{}, R"('\q')", R"('\x4')", R"('\ud800')",
                             R"('\U00110000')", R"('\19')");
  INFO(text);
  std::string error;
  CHECK_FALSE(unescape(text, false, error));
  CHECK_FALSE(error.empty());
}

}  // namespace
}  // namespace dray::cel::literal_test
