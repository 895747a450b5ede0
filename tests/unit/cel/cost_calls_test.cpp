#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "cel/check/cost_estimate.h"
#include "tests/unit/cel/fixture.h"

// src/cel/check/cost_calls.cpp: what a call can cost at most, and how large its result can be
// (which shows in what is done with it), asked of the reference. The driver has at most 63
// characters.

namespace dray::cel::cost_calls_test {
namespace {

struct Row {
  std::string name;
  std::string text;
  std::uint64_t most;
};

void check(const Row& row) {
  CHECK(program(row.text, Purpose::any)->max_cost() == row.most);
}

TEST_CASE("cel-go's functions of lists") {
  const auto row = GENERATE(
      Row{"slice", "[1, 2, 3].slice(1, 2)", 22U},
      Row{"slice to a variable", "[1, 2, 3].slice(0, size(device.driver))", 27U},
      Row{"range", "lists.range(5)", 16U},
      Row{"range of a variable", "lists.range(size(device.driver))", 18446744073709551615U},
      Row{"range below nothing", "lists.range(-3)", 11U},
      Row{"reverse", "['a', 'b'].reverse()", 23U}, Row{"flatten", "[[1], [2]].flatten()", 43U},
      Row{"flatten to a depth", "[[1], [2]].flatten(3)", 47U},
      Row{"distinct", "[1, 2, 3].distinct()", 39U}, Row{"sort ints", "[3, 1, 2].sort()", 39U},
      Row{"sort texts", "['b', 'a'].sort()", 30U}, Row{"sort bytes", "[b'b', b'a'].sort()", 30U},
      Row{"sortBy", "['bb', 'a'].sortBy(x, size(x))", 80U},
      Row{"sets contains", "sets.contains([1, 2, 3], [1, 2])", 27U},
      Row{"sets intersects", "sets.intersects([1, 2, 3], [1, 2])", 27U},
      Row{"sets equivalent", "sets.equivalent([1, 2, 3], [1, 2])", 33U},
      Row{"in list", "device.driver in [device.driver, 'b', 'c']", 17U},
      Row{"in map", "'a' in {'a': 1, 'b': 2}", 31U}, Row{"add lists", "[1] + [2]", 21U},
      Row{"add lists goes on", "([1] + [2, 3]).all(x, true)", 31U},
      Row{"a literal minus", "lists.range(2 + 3)", 18446744073709551615U});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("Kubernetes' functions of lists") {
  const auto row = GENERATE(Row{"index", "[1, 2, 3].indexOf(1)", 13U},
                            Row{"index text", "['a', 'b'].indexOf('a')", 3689348814741910540U},
                            Row{"indexOf of text", "device.driver.indexOf('a')", 9U},
                            Row{"sum", "[1, 2, 3].sum()", 13U},
                            Row{"max", "['a', 'b', 'c'].max()", 5534023222112865805U},
                            Row{"isSorted bytes", "[b'a'].isSorted()", 1844674407370955275U},
                            Row{"includes", "device.attributes['d.io'].lanes.includes(1)", 68U},
                            Row{"includes list", "[1, 2, 3].includes(1)", 13U},
                            Row{"lastIndexOf", "device.driver.lastIndexOf('abc')", 9U},
                            Row{"two overloads", "dyn(device.driver).indexOf(dyn('a'))", 11U});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("a replaced text is as long as it can get") {
  const auto row = GENERATE(
      Row{"replace", "device.driver.replace('a', 'bb')", 15U},
      Row{"replace with nothing", "device.driver.replace('aa', '')", 15U},
      Row{"replace of nothing", "device.driver.replace('', 'b')", 15U},
      Row{"replace by a variable goes on",
          "device.driver.replace('a', device.attributes['d.io'].model).contains('x')", 423U},
      Row{"replace of a variable goes on",
          "device.driver.replace(device.driver, 'bb').contains('x')", 37U},
      Row{"replace in a literal goes on",
          "'abcabcabcabcabc'.replace('abc', device.driver).contains('x')", 37U},
      Row{"replace goes on", "device.driver.replace('a', 'bb').contains('x')", 28U},
      Row{"replace shorter goes on",
          "device.driver.replace('aa', 'b').contains('xxxxxxxxxxxxxxxxxxxx')", 29U},
      Row{"replace empty goes on", "device.driver.replace('', 'b').contains('x')", 28U},
      Row{"replace long by long goes on",
          "device.driver.replace('aaa', 'bbbbbbbbbbbb').contains('x')", 41U});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("texts cut and joined") {
  const auto row = GENERATE(
      Row{"lowerAscii", "device.driver.lowerAscii()", 9U},
      Row{"upperAscii goes on", "device.driver.upperAscii().contains('a')", 16U},
      Row{"substring", "device.driver.substring(1, 2)", 9U},
      Row{"trim", "device.driver.trim()", 9U}, Row{"split", "device.driver.split('.')", 15U},
      Row{"split goes on", "device.driver.split('.').all(x, true)", 205U},
      Row{"split limit goes on", "device.driver.split('.', 3).all(x, true)", 25U},
      Row{"split negative", "device.driver.split('.', -1).all(x, true)", 18446744073709551615U},
      Row{"join", "['a', 'b'].join()", 1844674407370955274U},
      Row{"join with", "['a', 'b'].join(', ')", 1844674407370955274U},
      Row{"join goes on", "device.driver.split('.').map(x, x).join('-').contains('a')",
          3689348814741911373U},
      Row{"join of names", "device.attributes['d.io'].map(n, n).join('--')", 1844674407370955694U},
      Row{"find", "device.driver.find('[a-z]+')", 16U},
      Row{"find in ten", "'abcdefghij'.find('[a-z]+')", 4U},
      Row{"find goes on", "device.driver.find('[a-z]+').contains('x')", 23U},
      Row{"findAll", "device.driver.findAll('[a-z]+')", 16U},
      Row{"findAll limit", "device.driver.findAll('[a-z]+', 2)", 16U},
      Row{"string to bytes", "bytes(device.driver)", 9U},
      Row{"string to bytes goes on", "bytes(device.driver) == bytes(device.driver)", 44U},
      Row{"bytes to string", "string(b'abcdefghijklmnop')", 2U},
      Row{"bytes to string goes on",
          "string(bytes(device.driver)).contains('xxxxxxxxxxxxxxxxxxxxx')", 113U},
      Row{"quote", "strings.quote(device.driver)", 9U},
      Row{"quote goes on", "strings.quote(device.driver).contains('x')", 22U},
      Row{"add strings", "device.driver + 'abc'", 9U},
      Row{"add strings goes on", "(device.driver + device.driver).contains('x')", 30U},
      Row{"add bytes", "b'abc' + b'def'", 1U}, Row{"charAt", "device.driver.charAt(1)", 3U});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("patterns and comparisons go over the text") {
  const auto row = GENERATE(
      Row{"matches", "device.driver.matches('[a-z]+')", 16U},
      Row{"matches global", "matches(device.driver, '[a-z]+')", 16U},
      Row{"matches empty", "''.matches('a')", 1U},
      Row{"eq texts", "device.driver == 'abcdefghijklmnopqrstuvwxyz'", 5U},
      Row{"eq text, variable", "device.driver == device.attributes['d.io'].model", 13U},
      Row{"eq empty", "device.driver == ''", 2U},
      Row{"ne texts", "device.driver != device.driver", 11U},
      Row{"less", "device.driver < 'abcdefghijklmnopqrstuvwxyz'", 5U},
      Row{"ge bytes", "b'abcdefghijklmnopqrstuvwxyz' >= bytes(device.driver)", 12U},
      Row{"less ints", "1 < 2", 1U}, Row{"format", "'%s of %s in a long text'.format([1, 2])", 13U},
      Row{"startsWith", "device.driver.startsWith('abcdefghijklm')", 4U},
      Row{"endsWith", "'a'.endsWith(device.driver)", 9U},
      Row{"contains", "device.driver.contains('abcdefghijklm')", 16U},
      Row{"contains unknown", "('a' + string(1)).contains('a')", 3689348814741910529U},
      Row{"size of text", "size(device.driver)", 3U});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("Kubernetes' own types") {
  const auto row = GENERATE(
      Row{"url", "url(device.driver)", 9U},
      Row{"url getHost", "url('https://a.io/').getHost()", 3U},
      Row{"isURL", "isURL('https://a.io/x/y/z/long/enough')", 1U},
      Row{"quantity", "quantity('40Gi')", 1U},
      Row{"isQuantity long", "isQuantity('1234567890123456789012345')", 3U},
      Row{"quantity of variable", "quantity(device.driver)", 9U},
      Row{"quantity math", "quantity('1').add(quantity('2')).sub(1).isGreaterThan(quantity('1'))",
          6U},
      Row{"sign", "sign(quantity('1'))", 2U}, Row{"asInteger", "quantity('1').asInteger()", 2U},
      Row{"semver", "semver('1.2.3')", 1U}, Row{"semver normalised", "semver('1.2.3', true)", 1U},
      Row{"isSemver", "isSemver(device.driver)", 9U},
      Row{"semver major", "semver('1.2.3').major()", 2U}, Row{"ip", "ip('10.0.0.1')", 1U},
      Row{"ip of a variable", "ip(device.driver)", 9U},
      Row{"ip of a block", "cidr('10.0.0.0/8').ip()", 2U},
      Row{"isCanonical", "ip.isCanonical(device.driver)", 15U},
      Row{"cidr", "cidr(device.driver)", 9U},
      Row{"containsIP", "cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))", 6U},
      Row{"containsIP text", "cidr('10.0.0.0/8').containsIP(device.driver)", 14U},
      Row{"containsCIDR", "cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/9'))", 9U},
      Row{"containsCIDR text", "cidr('10.0.0.0/8').containsCIDR(device.driver)", 17U},
      Row{"masked", "cidr('10.0.0.0/8').masked()", 2U},
      Row{"prefixLength", "cidr('10.0.0.0/8').prefixLength()", 2U},
      Row{"validate", "format.dns1123Label().validate(device.driver)", 227U},
      Row{"named", "format.named('uri')", 1U},
      Row{"getFullYear", "timestamp('2020-01-01T00:00:00Z').getFullYear()", 2U});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("equality of Kubernetes' types costs one, of some their size") {
  const auto row =
      GENERATE(Row{"eq ip", "ip('10.0.0.1') == ip('10.0.0.2')", 3U},
               Row{"eq quantity", "quantity('1') == quantity('2')", 3U},
               Row{"ne quantity", "quantity('1') != quantity('2')", 1844674407370955266U},
               Row{"eq semver", "semver('1.0.0') == semver('1.0.0')", 3U},
               Row{"eq url", "url('https://a.io') == url('https://b.io')", 6U},
               Row{"eq url of variables", "url(device.driver) == url(device.driver)", 25U},
               Row{"eq format", "format.uri() == format.uri()", 9U});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("ranges are scaled upwards and stop at the largest number") {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  CHECK(Range{10, 63}.times(0.1).least == 1);
  CHECK(Range{10, 63}.times(0.1).most == 7);
  CHECK(Range{0, most}.times(2.0).most == most);
  CHECK(Range{0, most}.plus({0, most}).most == most);
  CHECK(Range{0, most}.times(Range{0, 0}).most == 0);
}

}  // namespace
}  // namespace dray::cel::cost_calls_test