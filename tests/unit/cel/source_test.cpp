#include "cel/syntax/source.h"

#include <catch2/catch.hpp>

namespace dray::cel::source_test {
namespace {

TEST_CASE("places are counted in code points, line by line") {
  const Source source("a\né b\n");
  CHECK(source.size() == 6);
  CHECK(source.at(2) == U'é');
  CHECK(source.slice(2, 5) == "é b");
  const auto place = [&](std::int32_t offset) {
    const auto found = source.location(offset);
    return std::pair(found.line, found.column);
  };
  CHECK(place(0) == std::pair(1, 0));
  CHECK(place(2) == std::pair(2, 0));
  CHECK(place(4) == std::pair(2, 2));
  CHECK(source.line(1) == "a");
  CHECK(source.line(2) == "é b");
}

TEST_CASE("text that is not UTF-8 is read as replacement characters") {
  const Source source("a\xff");
  CHECK(source.size() == 2);
  CHECK(source.at(1) == 0xFFFD);
}

TEST_CASE("errors stand in the order of their places, each with its line and a caret") {
  const Source source("ab\ncd");
  SourceErrors errors(source);
  CHECK(errors.empty());
  errors.report({2, 1}, "second");
  errors.report({1, 0}, "first");
  CHECK(errors.count() == 2);
  CHECK(errors.text() ==
        "ERROR: <input>:1:1: first\n | ab\n | ^\nERROR: <input>:2:2: second\n | cd\n | .^");
}

}  // namespace
}  // namespace dray::cel::source_test
