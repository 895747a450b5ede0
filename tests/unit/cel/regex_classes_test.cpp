#include "cel/text/regex_classes.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::cel::regex_classes_test {
namespace {

struct Row {
  std::string pattern;
  std::string re2;
};

TEST_CASE("classes are named as RE2 names them") {
  const auto row = GENERATE(
      Row{R"(\pl)", R"(\pL)"}, Row{R"(\PN)", R"(\PN)"}, Row{R"(\p{letter}+)", R"(\p{L}+)"},
      Row{R"(\p{^Upper-case letter})", R"(\p{^Lu})"}, Row{R"([\p{GREEK}\d])", R"([\p{Greek}\d])"},
      Row{R"(\p{Old_Italic})", R"(\p{Old_Italic})"}, Row{R"(\\pl)", R"(\\pl)"},
      Row{R"(\Q\pl\E\pl)", R"(\Q\pl\E\pL)"}, Row{R"(\p{no)", R"(\p{no)"}, Row{R"(\p)", R"(\p)"});
  CHECK(with_re2_class_names(row.pattern) == row.re2);
}

}  // namespace
}  // namespace dray::cel::regex_classes_test
