#include "cel/eval/cost_rules.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// Costs of runs, asked of the reference (cel-go's CostTracker with Kubernetes' estimator).

namespace dray::cel::cost_rules_test {
namespace {

struct Row {
  std::string text;
  std::uint64_t cost;
};

TEST_CASE("what a run costs") {
  const auto row = GENERATE(
      Row{R"(true)", 0}, Row{R"(device.driver == 'd.io')", 3},
      Row{R"(device.attributes['d.io'].model == 'fish')", 5},
      Row{R"(device.attributes['d.io'].model.contains('is'))", 5},
      Row{R"(device.attributes['d.io'].model.startsWith('fi'))", 5},
      Row{R"(device.attributes['d.io'].model.matches('^f.*h$'))", 6},
      Row{R"(device.attributes['d.io'].model + 'abcdefghijkl' == 'x')", 7},
      Row{R"(device.attributes['d.io'].index > 3 && device.attributes['d.io'].healthy)", 9},
      Row{R"(device.attributes['d.io'].index > 9 && device.attributes['d.io'].healthy)", 5},
      Row{R"(device.attributes['d.io'].healthy || device.attributes['d.io'].index > 3)", 4},
      Row{R"(device.attributes['d.io'].healthy ? true : device.attributes['d.io'].index > 3)", 4},
      Row{R"(device.capacity['d.io'].memory.compareTo(quantity('40Gi')) >= 0)", 7},
      Row{R"(device.capacity['d.io'].memory.isGreaterThan(quantity('1Gi')))", 6},
      Row{R"(device.attributes['d.io'].version.isGreaterThan(semver('1.0.0')))", 6},
      Row{R"([1, 2, 3].all(x, x > 0))", 16}, Row{R"([1, 2, 3].exists(x, x == 2))", 16},
      Row{R"([1, 2, 3].map(x, x * 2) == [2, 4, 6])", 44},
      Row{R"([1, 2, 3].filter(x, x > 1).size() == 2)", 35},
      Row{R"(device.attributes['d.io'].model in ['fish', 'bird'])", 4},
      Row{R"('model' in device.attributes['d.io'])", 4},
      Row{R"(has(device.attributes['d.io'].model))", 3},
      Row{R"([3, 1, 2].sort() == [1, 2, 3])", 30}, Row{R"(sets.contains([1, 2, 3], [1, 2]))", 7},
      Row{R"(sets.equivalent([1, 2, 3], [1, 2]))", 13}, Row{R"('a,b,c'.split(',').size() == 3)", 3},
      Row{R"(['a', 'b'].join(',') == 'a,b')", 2},
      Row{R"(device.attributes['d.io'].model.lowerAscii() == 'fish')", 6},
      Row{R"(device.attributes['d.io'].model.replace('f', 'd') == 'dish')", 6},
      Row{R"('%s'.format([device.attributes['d.io'].model]) == 'fish')", 16},
      Row{R"(isURL('https://a.io/x/y/z') && url('https://a.io/x').getHost() == 'a.io')", 5},
      Row{R"(cidr('10.0.0.0/8').containsIP('10.1.2.3'))", 3},
      Row{R"(cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16'))", 6},
      Row{R"(ip('10.0.0.1').family() == 4)", 3},
      Row{R"(format.dns1123Label().validate('abc').hasValue())", 10},
      Row{R"({'a': 1, 'b': 2}['a'] == 1)", 3}, Row{R"([[1, 2], [3]].flatten() == [1, 2, 3])", 14},
      Row{R"([1, 2, 1].indexOf(1) == 0)", 4}, Row{R"([1, 2].sum() == 3)", 3},
      Row{R"(lists.range(10).size() == 10)", 23},
      Row{R"(cel.bind(x, device.attributes['d.io'], x.model == 'fish' && x.healthy))", 8},
      Row{R"(string(device.attributes['d.io'].index) == '5')", 6},
      Row{R"(timestamp('2020-01-01T00:00:00Z') < timestamp('2021-01-01T00:00:00Z'))", 1},
      Row{R"(size(device.attributes['d.io'].model) == 4)", 6}, Row{R"(dyn([1, 2]) == [1, 2])", 1},
      Row{R"(optional.of(1).orValue(2) == 1)", 2},
      Row{R"(device.attributes['d.io'].?zebra.orValue('x') == 'x')", 4});
  INFO(row.text);
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  CHECK(evaluator.evaluate(*program(row.text), *shape).cost == row.cost);
}

}  // namespace
}  // namespace dray::cel::cost_rules_test
