#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::strings_test {
namespace {

TEST_CASE("texts: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"('abc'.charAt(0) == 'a')", R"('abc'.charAt(3) == '')",
      R"('aéz'.charAt(1) == 'é')", R"('aéz'.charAt(2) == 'z')", R"('abcabc'.indexOf('c') == 2)",
      R"('abcabc'.indexOf('x') == -1)", R"('abc'.indexOf('') == 0)",
      R"('abcabc'.indexOf('c', 3) == 5)", R"('abcabc'.indexOf('a', 4) == -1)",
      R"('abcabc'.lastIndexOf('a') == 3)", R"('abcabc'.lastIndexOf('a', 2) == 0)",
      R"('abc'.lastIndexOf('') == 3)", R"('ab'.lastIndexOf('abc') == -1)",
      R"('ABCé'.lowerAscii() == 'abcé' && 'abcé'.upperAscii() == 'ABCé' && '@[`{'.lowerAscii() == '@[`{' && '@[`{'.upperAscii() == '@[`{')",
      R"('zZaA'.lowerAscii() == 'zzaa')", R"('zZaA'.upperAscii() == 'ZZAA')",
      R"('aaa'.replace('a', 'b') == 'bbb')", R"('aaa'.replace('a', 'b', 2) == 'bba')",
      R"('aaa'.replace('a', 'b', 0) == 'aaa')", R"('aaa'.replace('a', 'b', -1) == 'bbb')",
      R"('ab'.replace('', '-') == '-a-b-')", R"('ab'.replace('', '-', 2) == '-a-b')",
      R"('a,b,c'.split(',') == ['a', 'b', 'c'])", R"('a,b,c'.split(',', 0) == [])",
      R"('a,b,c'.split(',', 1) == ['a,b,c'])", R"('a,b,c'.split(',', 2) == ['a', 'b,c'])",
      R"('aé'.split('') == ['a', 'é'])", R"(''.split(',') == [''])",
      R"('hello'.substring(2) == 'llo')", R"('hello'.substring(0, 2) == 'he')",
      R"('hello'.substring(5) == '')", R"('héllo'.substring(1, 2) == 'é')",
      R"(' \t a b \n'.trim() == 'a b')", R"(['a', 'b'].join() == 'ab')",
      R"(['a', 'b'].join('-') == 'a-b')", R"([].join('-') == '')", R"('abc'.contains('bc'))",
      R"(!'abc'.contains('cb'))", R"('abc'.startsWith('ab'))", R"(!'abc'.startsWith('bc'))",
      R"('abc'.endsWith('bc'))", R"(!'abc'.endsWith('ab'))",
      R"(strings.quote('a"b\\n') == '"a\\"b\\\\n"')", R"('a' + 'b' == 'ab')", R"('a' < 'b')",
      R"(!('b' < 'a'))", R"('a' <= 'a')", R"('b' >= 'a')", R"('b' > 'a')", R"(size('aé') == 2)",
      R"('aé'.size() == 2)");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("texts: what fails says why") {
  const auto row = GENERATE(
      Failing{R"('abc'.charAt(4) == '')", R"(index out of range: 4)"},
      Failing{R"('abc'.charAt(-1) == '')", R"(index out of range: -1)"},
      Failing{R"('abc'.substring(4) == '')", R"(index out of range: 4)"},
      Failing{R"('abc'.substring(2, 1) == '')", R"(invalid substring range. start: 2, end: 1)"},
      Failing{R"('abc'.substring(-1) == '')", R"(index out of range: -1)"},
      Failing{R"('abc'.indexOf('a', -1) == 0)", R"(index out of range: -1)"},
      Failing{R"('abc'.lastIndexOf('a', -1) == 0)", R"(index out of range: -1)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::strings_test
