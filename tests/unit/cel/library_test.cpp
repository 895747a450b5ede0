#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// One true expression for each corner of the libraries that is easy to get wrong; the reference
// cases cover the breadth.

namespace dray::cel::library_test {
namespace {

TEST_CASE("true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, "'tacocat'.charAt(9 - 2) == ''", "'abc'.substring(1, 2) == 'b'",
      "'a,b,,c'.split(',', 2) == ['a', 'b,,c']", "'ÀÉ'.lowerAscii() == 'ÀÉ'",
      "'x'.replace('', '-') == '-x-'", "strings.quote('a\\nb') == '\"a\\\\nb\"'",
      "'%s %d %.2f %x'.format(['a', 1, 2.5, 255]) == 'a 1 2.50 ff'",
      "'%e'.format([1234.5678]) == '1.234568×10⁰³'", "[3, 1, 2].max() == 3", "[1, 2, 3].sum() == 6",
      "['b', 'a'].isSorted() == false", "[1, 2, 1].indexOf(1) == 0",
      "[1, 2, 1].lastIndexOf(1) == 2", "[[1], [2]].flatten() == [1, 2]",
      "[3, 1, 2].sort() == [1, 2, 3]", "[1, 1, 2].distinct() == [1, 2]",
      "[1, 2, 3].slice(1, 2) == [2]", "sets.equivalent([1, 2, 2], [2, 1])",
      "quantity('1Ki').asInteger() == 1024",
      "quantity('1').add(quantity('500m')) == quantity('1.5')",
      "quantity('999999999999999999').isInteger()", "!quantity('9223372036854775808').isInteger()",
      "quantity('40Gi').compareTo(quantity('40960Mi')) == 0",
      "semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))", "semver('v1.0', true).major() == 1",
      "!isSemver('v1.0')", "ip('::1').isLoopback()", "cidr('10.0.0.0/8').containsIP('10.1.2.3')",
      "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
      "url('https://a.io:8/p?q=1').getPort() == '8'", "'abc123'.find('[0-9]+') == '123'",
      "timestamp('2020-02-29T12:00:00Z').getDayOfYear() == 59",
      "timestamp('2020-01-01T00:00:00Z').getHours('+02:30') == 2",
      "duration('1.5h') == duration('90m')", "string(duration('90m')) == '5400s'",
      "int('-0') == 0 && uint(3.7) == 3u", "dyn(1) == 1.0 && dyn(1u) == 1", "dyn(1) in [1.0]",
      "{'a': 1}.?b.orValue(2) == 2", "optional.of(1).optMap(x, x + 1).value() == 2",
      "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}", "[1, 2].exists(i, v, i == 1 && v == 2)",
      "cel.bind(x, [], x + x) == []", "type(1) == int && type(type(1)) == type",
      "'\\U0001F431'.size() == 1", "b'\\xff'.size() == 1",
      "device.capacity['d.io'].memory == quantity('40Gi')");
  INFO(text);
  CHECK(outcome(text) == "true");
}

TEST_CASE("a quantity's exponent costs no memory") {
  const auto text = GENERATE(
      as<std::string>{}, "quantity('1e999999999').isGreaterThan(quantity('1'))",
      "quantity('1e-999999999').isGreaterThan(quantity('1'))",
      "quantity('1e2147483647').add(quantity('1e-2147483647')).isGreaterThan(quantity('1'))",
      "quantity('9e999999999').sub(quantity('1e-999999999')).asApproximateFloat() > 0.0",
      "isQuantity('1e99999999999999999999')");
  static_cast<void>(outcome(text));
  SUCCEED("it came back");
}

TEST_CASE("what grows without end is stopped") {
  CHECK(outcome("lists.range(1000000000).size() > 0") != "true");
  CHECK(outcome("lists.range(100000).all(x, lists.range(100000).all(y, x + y >= 0))") ==
        "operation cancelled: actual cost limit exceeded");
}

}  // namespace
}  // namespace dray::cel::library_test
