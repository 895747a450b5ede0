#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::conversions_test {
namespace {

TEST_CASE("conversions between types: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(int('5') == 5)", R"(int('-5') == -5)", R"(int(3.9) == 3)",
      R"(int(-3.9) == -3)", R"(int(7u) == 7)", R"(int(timestamp('1970-01-01T00:01:00Z')) == 60)",
      R"(uint('5') == 5u)", R"(uint(3.9) == 3u)", R"(uint(7) == 7u)", R"(double('1.5') == 1.5)",
      R"(double(2) == 2.0)", R"(double(3u) == 3.0)", R"(string(1) == '1')", R"(string(1u) == '1')",
      R"(string(true) == 'true')", R"(string(1.5) == '1.5')", R"(string(b'abc') == 'abc')",
      R"(string(1e21) == '1e+21')", R"(bytes('é') == b'\xc3\xa9')", R"(bytes('a') == b'a')",
      R"(bool('true'))", R"(!bool('false'))", R"(bool('1'))", R"(!bool('f'))", R"(bool('T'))",
      R"(string(timestamp('2020-01-02T03:04:05.006Z')) == '2020-01-02T03:04:05.006Z')",
      R"(string(duration('61s')) == '61s')", R"(duration('1m') == duration('60s'))",
      R"(timestamp(60) == timestamp('1970-01-01T00:01:00Z'))", R"(dyn(1) == 1.0)",
      R"(dyn(1u) == 1)", R"(!(dyn(1) == '1'))", R"(dyn('1') != 1)", R"(type(1) == int)",
      R"(type(1u) == uint)", R"(type(1.0) == double)", R"(type('') == string)",
      R"(type(b'') == bytes)", R"(type([]) == list)", R"(type({}) == map)",
      R"(type(null) == null_type)", R"(type(true) == bool)",
      R"(int(9223372036854775807.0 - 1024.0) == 9223372036854774784)");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("conversions between types: what fails says why") {
  const auto row = GENERATE(
      Failing{R"(int(1e19) == 0)", R"(program instantiation failed: integer overflow)"},
      Failing{R"(uint(-1) == 0u)", R"(program instantiation failed: unsigned integer overflow)"},
      Failing{R"(uint(-1.0) == 0u)", R"(program instantiation failed: unsigned integer overflow)"},
      Failing{R"(int(dyn('x')) == 1)",
              R"(program instantiation failed: type conversion error from 'string' to 'int')"},
      Failing{R"(bool(dyn('yes')))",
              R"(program instantiation failed: type conversion error from 'string' to 'bool')"},
      Failing{R"(double(dyn('x')) == 1.0)",
              R"(program instantiation failed: type conversion error from 'string' to 'double')"},
      Failing{R"(string(b'\xff') == '')",
              R"(program instantiation failed: invalid UTF-8 in bytes, cannot convert to string)"},
      Failing{R"(int(18446744073709551615u) == 0)",
              R"(program instantiation failed: integer overflow)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::conversions_test
