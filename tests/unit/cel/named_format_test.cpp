#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::named_format_test {
namespace {

TEST_CASE("named formats: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(!format.dns1123Label().validate('my-label').hasValue())",
      R"(format.dns1123Label().validate('My_label').hasValue())",
      R"(!format.dns1123Subdomain().validate('a.b').hasValue())",
      R"(format.dns1123Subdomain().validate('a..b').hasValue())",
      R"(!format.named('uuid').value().validate('123e4567-e89b-12d3-a456-426614174000').hasValue())",
      R"(format.uuid().validate('x').hasValue())", R"(!format.named('nope').hasValue())",
      R"(!format.date().validate('2020-02-29').hasValue())",
      R"(format.date().validate('2020-13-01').hasValue())",
      R"(!format.datetime().validate('2020-01-01T00:00:00Z').hasValue())",
      R"(!format.uri().validate('https://a.io').hasValue())",
      R"(!format.byte().validate('aGk=').hasValue())", R"(format.byte().validate('?').hasValue())",
      R"(!format.qualifiedName().validate('a.io/b').hasValue())",
      R"(format.qualifiedName().validate('a/b/c').hasValue())",
      R"(!format.labelValue().validate('').hasValue())",
      R"(format.labelValue().validate('-').hasValue())",
      R"(!format.dns1035Label().validate('a1').hasValue())",
      R"(format.dns1035Label().validate('1a').hasValue())");
  INFO(text);
  CHECK(outcome(text) == "true");
}

}  // namespace
}  // namespace dray::cel::named_format_test
