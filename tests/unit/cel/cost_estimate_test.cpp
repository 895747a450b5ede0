#include "cel/check/cost_estimate.h"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// The most that an expression can cost, asked of the reference (cel-go's checker with Kubernetes'
// estimator).

namespace dray::cel::cost_estimate_test {
namespace {

struct Row {
  std::string text;
  std::uint64_t most;
};

TEST_CASE("what an expression can cost at most") {
  const auto row = GENERATE(
      Row{R"(true)", 0U}, Row{R"(device.driver == 'd.io')", 3U},
      Row{R"(device.attributes['d.io'].model == 'fish')", 5U},
      Row{R"(device.attributes['d.io'].model.contains('is'))", 11U},
      Row{R"(device.attributes['d.io'].model.startsWith('fi'))", 5U},
      Row{R"(device.attributes['d.io'].model.matches('^f.*h$'))", 18U},
      Row{R"(device.attributes['d.io'].model + 'abcdefghijkl' == 'x')", 13U},
      Row{R"(device.attributes['d.io'].index > 3 && device.attributes['d.io'].healthy)", 9U},
      Row{R"(device.attributes['d.io'].index > 9 && device.attributes['d.io'].healthy)", 9U},
      Row{R"(device.attributes['d.io'].healthy || device.attributes['d.io'].index > 3)", 9U},
      Row{R"(device.attributes['d.io'].healthy ? true : device.attributes['d.io'].index > 3)", 9U},
      Row{R"(device.capacity['d.io'].memory.compareTo(quantity('40Gi')) >= 0)", 7U},
      Row{R"(device.capacity['d.io'].memory.isGreaterThan(quantity('1Gi')))", 6U},
      Row{R"(device.attributes['d.io'].version.isGreaterThan(semver('1.0.0')))", 6U},
      Row{R"([1, 2, 3].all(x, x > 0))", 26U}, Row{R"([1, 2, 3].exists(x, x == 2))", 29U},
      Row{R"([1, 2, 3].map(x, x * 2) == [2, 4, 6])", 74U},
      Row{R"([1, 2, 3].filter(x, x > 1).size() == 2)", 68U},
      Row{R"(device.attributes['d.io'].model in ['fish', 'bird'])", 16U},
      Row{R"('model' in device.attributes['d.io'])", 4U},
      Row{R"(has(device.attributes['d.io'].model))", 3U},
      Row{R"([3, 1, 2].sort() == [1, 2, 3])", 50U}, Row{R"(sets.contains([1, 2, 3], [1, 2]))", 27U},
      Row{R"(sets.equivalent([1, 2, 3], [1, 2]))", 33U},
      Row{R"('a,b,c'.split(',').size() == 3)", 3U},
      Row{R"(['a', 'b'].join(',') == 'a,b')", 1844674407370955275U},
      Row{R"(device.attributes['d.io'].model.lowerAscii() == 'fish')", 12U},
      Row{R"(device.attributes['d.io'].model.replace('f', 'd') == 'dish')", 18U},
      Row{R"('%s'.format([device.attributes['d.io'].model]) == 'fish')", 16U},
      Row{R"(isURL('https://a.io/x/y/z') && url('https://a.io/x').getHost() == 'a.io')", 5U},
      Row{R"(cidr('10.0.0.0/8').containsIP('10.1.2.3'))", 6U},
      Row{R"(cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16'))", 10U},
      Row{R"(ip('10.0.0.1').family() == 4)", 3U},
      Row{R"(format.dns1123Label().validate('abc').hasValue())", 34U},
      Row{R"({'a': 1, 'b': 2}['a'] == 1)", 32U},
      Row{R"([[1, 2], [3]].flatten() == [1, 2, 3])", 54U}, Row{R"([1, 2, 1].indexOf(1) == 0)", 14U},
      Row{R"([1, 2].sum() == 3)", 13U}, Row{R"(lists.range(10).size() == 10)", 23U},
      Row{R"(cel.bind(x, device.attributes['d.io'], x.model == 'fish' && x.healthy))", 18U},
      Row{R"(string(device.attributes['d.io'].index) == '5')", 12U},
      Row{R"(timestamp('2020-01-01T00:00:00Z') < timestamp('2021-01-01T00:00:00Z'))", 3U},
      Row{R"(size(device.attributes['d.io'].model) == 4)", 6U},
      Row{R"(dyn([1, 2]) == [1, 2])", 22U}, Row{R"(optional.of(1).orValue(2) == 1)", 3U},
      Row{R"(device.attributes['d.io'].?zebra.orValue('x') == 'x')", 6U});
  INFO(row.text);
  CHECK(program(row.text)->max_cost() == row.most);
}

TEST_CASE("ranges saturate and never shrink") {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  CHECK(Range{1, 2}.plus({3, 4}).least == 4);
  CHECK(Range{1, 2}.plus({3, 4}).most == 6);
  CHECK(Range{1, most}.plus({1, 1}).most == most);
  CHECK(Range{2, 3}.times(Range{4, 5}).least == 8);
  CHECK(Range{2, 3}.times(Range{4, 5}).most == 15);
  CHECK(Range{2, most}.times(Range{2, 2}).most == most);
  CHECK(Range{2, 3}.united({1, 5}).least == 1);
  CHECK(Range{2, 3}.united({1, 5}).most == 5);
}

}  // namespace
}  // namespace dray::cel::cost_estimate_test
