#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::url_test {
namespace {

TEST_CASE("URLs: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(isURL('https://a.io/x'))", R"(!isURL('a.io'))", R"(isURL('/path'))",
      R"(url('https://a.io:8080/p/q?x=1&x=2&y=').getScheme() == 'https')",
      R"(url('https://a.io:8080/p/q?x=1').getHost() == 'a.io:8080')",
      R"(url('https://a.io:8080/').getHostname() == 'a.io')",
      R"(url('https://a.io:8080/').getPort() == '8080')", R"(url('https://a.io/').getPort() == '')",
      R"(url('https://a.io/p/q?x=1&x=2&y=').getEscapedPath() == '/p/q')",
      R"(url('https://a.io/p/q?x=1&x=2&y=').getQuery() == {'x': ['1', '2'], 'y': ['']})",
      R"(url('https://[::1]:80/').getHostname() == '::1')",
      R"(url('https://a.io/a b').getEscapedPath() == '/a%20b')");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("URLs: what fails says why") {
  const auto row = GENERATE(Failing{
      R"(url(dyn('a.io')) == url('https://a.io'))",
      R"(URL parse error during conversion from string: parse "a.io": invalid URI for request)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::url_test
