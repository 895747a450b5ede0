#include "cel/eval/evaluation.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/answer.h"

// Values and errors, asked of the reference. A run that counts its cost and one that does not go
// different ways (shortcuts, folded calls), and have to come to the same.

namespace dray::cel::evaluation_test {
namespace {

using Row = AnswerRow;

TEST_CASE("the deciding term wins over errors, else the first of them counts") {
  const auto row = GENERATE(
      Row{"error then false", "1 / 0 == 1 && false", "false"},
      Row{"false then error", "false && 1 / 0 == 1", "false"},
      Row{"error then true", "1 / 0 == 1 && true", "division by zero"},
      Row{"error or true", "1 / 0 == 1 || true", "true"},
      Row{"error or false", "1 / 0 == 1 || false", "division by zero"},
      Row{"the first of two errors", "1 / 0 == 1 || 1 % 0 == 1", "division by zero"},
      Row{"the first of two errors with &&", "1 % 0 == 1 && 1 / 0 == 1", "modulus by zero"},
      Row{"no bool is an error", "dyn(5) && true", "no such overload"},
      Row{"no bool, then an error", "dyn(5) || 1 / 0 == 1", "no such overload"},
      Row{"an error, then no bool", "1 / 0 == 1 || dyn(5)", "division by zero"},
      Row{"no bool is absorbed", "dyn(5) || true", "true"},
      Row{"three terms", "true && dyn(1) / 0 == 1 && false", "false"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("equality is an error where either side is") {
  const auto row = GENERATE(
      Row{"left error first", "1 / 0 == 1 % 0", "division by zero"},
      Row{"right error", "1 == 1 % 0", "modulus by zero"},
      Row{"not of an error", "1 / 0 != 1", "division by zero"},
      Row{"not equal of what cannot be compared", "dyn(quantity('1')) != dyn(1)", "true"},
      Row{"equal of what cannot be compared", "dyn(quantity('1')) == dyn(1)", "no such overload"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("a literal ends at its first error") {
  const auto row = GENERATE(
      Row{"list with error", "[1, 1 / 0, 1 % 0]", "division by zero"},
      Row{"optional elements", "[?optional.of(1), 2, ?optional.none()]", "[1, 2]"},
      Row{"map, the last of equal keys counts", "{device.driver: 1, 'd.io': 2}", R"({"d.io": 2})"},
      Row{"map, key's error first", "{string(1 / 0): 1 % 0}", "division by zero"},
      Row{"map, optional entries", "{?device.driver: optional.of(1), ?'b': optional.none()}",
          R"({"d.io": 1})"},
      Row{"map, an absent entry takes out an earlier one",
          "{dyn(1): 2, dyn(device.driver): 3, ?dyn(1): optional.none()}", R"({"d.io": 3})"},
      Row{"map, no key", "{dyn(semver('1.0.0')): device.driver}",
          "internal error: runtime error: hash of unhashable type cel.Semver"},
      Row{"map, no key and nothing before", "{?semver('1.2.3'): optional.none()}",
          "internal error: hash of unhashable type: cel.Semver"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("a constant list is looked through by value") {
  const auto row = GENERATE(
      Row{"in a constant list", "device.driver in ['d.io']", "true"},
      Row{"a number of another type", "dyn(device.attributes['d.io'].index) in [5u, 6u]", "true"},
      Row{"error in a constant list", "1 / 0 in [1]", "division by zero"},
      Row{"in an empty list nothing is asked", "1 / 0 in []", "false"},
      Row{"no key", "device.attributes['d.io'].version in ['1.2.3']",
          "internal error: runtime error: hash of unhashable type cel.Semver"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("what an optional does not need is not run") {
  const auto row = GENERATE(
      Row{"or, left there", "optional.of(1).or(optional.of(1 / 0)).value()", "1"},
      Row{"or, left not there", "optional.none().or(optional.of(2)).value()", "2"},
      Row{"or, left error", "optional.of(1 / 0).or(optional.of(1)).value()", "division by zero"},
      Row{"or, right error", "optional.none().or(optional.of(1 / 0)).value()", "division by zero"},
      Row{"orValue, there", "optional.of(2).orValue(1 / 0)", "2"},
      Row{"orValue, not there", "optional.none().orValue(3)", "3"},
      Row{"orValue of what is none", "dyn(device.driver).orValue('x')", "no such overload"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("a conditional runs one branch, and the steps behind it") {
  const auto row =
      GENERATE(Row{"true", "device.driver == 'd.io' ? 1 : 1 / 0", "1"},
               Row{"false", "device.driver == 'x' ? 1 / 0 : 2", "2"},
               Row{"error", "1 / 0 == 1 ? 1 : 2", "division by zero"},
               Row{"no bool", "dyn(device.driver) ? 1 : 2", "no such overload"},
               Row{"then has a step", "(device.driver == 'd.io' ? {'a': 1} : {'a': 2}).a", "1"},
               Row{"else has a step", "(device.driver == 'x' ? {'a': 1} : {'a': 2})['a']", "2"},
               Row{"as a key", "{'d.io': 1, 'x': 2}[device.driver == 'x' ? 'x' : 'd.io']", "1"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("a step takes the keys that its container has") {
  const auto row = GENERATE(
      Row{"index", "[1, 2][1]", "2"}, Row{"index of an uint", "dyn([1, 2])[dyn(1u)]", "2"},
      Row{"index of a whole double", "dyn([1, 2])[dyn(1.0)]", "2"},
      Row{"index of a double", "dyn([1, 2])[dyn(1.5)]", "unsupported index value 1.5 in list"},
      Row{"index of a string", "dyn([1, 2])[dyn('x')]", "unsupported index type 'string' in list"},
      Row{"beyond the end", "[1, 2][2]", "index out of bounds: 2"},
      Row{"before the start", "[1, 2][-1]", "index out of bounds: -1"},
      Row{"map key", "{'a': 1}['a']", "1"},
      Row{"map key of another number", "dyn({1: 'a'})[1u]", R"("a")"},
      Row{"no such key", "{'a': 1}.b", "no such key: b"},
      Row{"a key that is none", "dyn({'a': 1})[dyn([device.driver])]",
          "invalid qualifier type: *types.baseList"},
      Row{"error as key", "{'a': 1}[string(1 / 0)]", "division by zero"},
      Row{"step of a scalar", "dyn(device.driver).x", "no such key: x"},
      Row{"step of a step that failed", "{'a': 1 / 0}.a", "division by zero"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("has() asks for the last step alone") {
  const auto row = GENERATE(
      Row{"there", "has({'a': 1}.a)", "true"}, Row{"not there", "has({'a': 1}.b)", "false"},
      Row{"not there further up", "has({'a': {'b': 1}}.x.b)", "no such key: x"},
      Row{"of a scalar", "has(dyn(device.driver).x)", "false"},
      Row{"in a list", "has(dyn([1]).x)", "unsupported index type 'string' in list"},
      Row{"of an optional that is there", "has(optional.of({'a': 1}).a)", "true"},
      Row{"of an optional without it", "has(optional.of({'a': 1}).b)", "false"},
      Row{"of no optional", "has(optional.none().b)", "false"},
      Row{"behind an optional step", "has({'a': {'b': 1}}.?a.b)", "true"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("behind an optional step all is optional") {
  const auto row = GENERATE(
      Row{"there", "{'a': 1}.?a", "optional.of(1)"},
      Row{"not there", "{'a': 1}.?b", "optional.none()"},
      Row{"all behind it is optional", "{'a': {'b': 1}}.?a.b", "optional.of(1)"},
      Row{"not there behind it", "{'a': {'b': 1}}.?a.c", "optional.none()"},
      Row{"nothing behind what is not there", "{'a': {'b': 1}}.?x.b", "optional.none()"},
      Row{"index beyond the end", "[1, 2][?2]", "optional.none()"},
      Row{"index", "[1, 2][?1]", "optional.of(2)"},
      Row{"index of a string", "dyn([1])[?dyn('x')]", "unsupported index type 'string' in list"},
      Row{"of an optional", "optional.of({'a': 1}).?a", "optional.of(1)"},
      Row{"plain step of an optional", "optional.of({'a': 1}).a", "optional.of(1)"},
      Row{"plain step of none", "optional.none().a", "optional.none()"},
      Row{"an error is no absence", "{'a': 1}[?string(1 / 0)]", "division by zero"},
      Row{"scalar", "dyn(device.driver).?x", "optional.none()"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("what is read straight from a device is what the long way reads") {
  const auto row = GENERATE(
      Row{"driver", "device.driver", R"("d.io")"},
      Row{"may be shared", "device.allowMultipleAllocations", "false"},
      Row{"attribute", "device.attributes['d.io'].model", R"("fish")"},
      Row{"of another domain", "device.attributes['other.io'].model", R"("whale")"},
      Row{"attribute by a computed name", "device.attributes[device.driver]['mo' + 'del']",
          R"("fish")"},
      Row{"no such attribute", "device.attributes['d.io'].zebra", "no such key: zebra"},
      Row{"no such domain", "device.attributes['nobody.io'].zebra", "no such key: zebra"},
      Row{"optional, there", "device.attributes['d.io'].?model", R"(optional.of("fish"))"},
      Row{"optional, not there", "device.attributes['d.io'].?zebra", "optional.none()"},
      Row{"has", "has(device.attributes['d.io'].model)", "true"},
      Row{"has not", "has(device.attributes['d.io'].zebra)", "false"},
      Row{"has domain", "has(device.attributes.nobody)", "true"},
      Row{"element of a list", "device.attributes['d.io'].lanes[1]", "2"},
      Row{"beyond its end", "device.attributes['d.io'].lanes[7]", "index out of bounds: 7"},
      Row{"step of a scalar", "device.attributes['d.io'].index.foo", "no such key: foo"},
      Row{"index of a scalar", "device.attributes['d.io'].index[0]", "no such key: 0"},
      Row{"has step of a scalar", "has(device.attributes['d.io'].index.foo)", "false"},
      Row{"optional step of a scalar", "device.attributes['d.io'].?index.?foo", "optional.none()"},
      Row{"capacity", "device.capacity['d.io'].memory", R"(quantity("40Gi"))"},
      Row{"capacity, not there", "device.capacity['d.io'].?zebra", "optional.none()"},
      Row{"name is there", "'model' in device.attributes['d.io']", "true"},
      Row{"name is not there", "'zebra' in device.attributes['d.io']", "false"},
      Row{"name in no domain", "'model' in device.attributes['nobody.io']", "false"},
      Row{"capacity's name is no attribute", "'memory' in device.attributes['d.io']", "false"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("a call that nothing fits says what it tried") {
  const auto row = GENERATE(
      Row{"second operand", "1 + dyn('x')", "no such overload"},
      Row{"first operand lacks the trait", "dyn(true) + 1", "no such overload: _+_"},
      Row{"first operand is a receiver", "dyn('x') - 1", "no such overload"},
      Row{"guarded function", "dyn(device.driver).charAt(dyn('x'))",
          "no such overload: charAt(string, string)"},
      Row{"several overloads", "dyn(device.driver).indexOf(dyn(1))",
          "no such overload: indexOf(string, int)"},
      Row{"member of no kind", "dyn(1).size()", "no such overload: size"},
      Row{"compare", "dyn(null) < dyn(1)", "no such overload: _<_"},
      Row{"order of unlike kinds", "dyn('x') < dyn(1)", "no such overload"},
      Row{"negate", "-dyn('x')", "no such overload"}, Row{"not", "!dyn(1)", "no such overload"},
      Row{"first error of arguments", "(1 / 0 == 1 ? 'a' : 'b').replace(string(1 % 0), 'x')",
          "division by zero"},
      Row{"many arguments stop at the first error", "'abc'.replace(string(1 / 0), string(1 % 0))",
          "division by zero"},
      Row{"the last argument", "'abc'.replace('a', 'b', dyn('c'))",
          "no such overload: replace(string, string, string, string)"},
      Row{"no implementation", "dyn(1).errored()", "no such overload: errored(int)"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

}  // namespace
}  // namespace dray::cel::evaluation_test