#include <string>

#include <catch2/catch.hpp>

#include "cel/eval/plan.h"
#include "tests/unit/cel/answer.h"

// src/cel/eval/lowering.cpp: what cel-go's planner does while it makes a program. What it folds
// costs nothing at run time, and what is wrong in it is no run-time error.

namespace dray::cel::lowering_test {
namespace {

struct Row {
  std::string name;
  std::string text;
  std::string want;
  std::uint64_t cost;
};

void check(const Row& row) {
  const Answer got = answer(row.text);
  CHECK(got.value == row.want);
  CHECK(got.cost == row.cost);
  CHECK(answer(row.text, false).value == row.want);
}

TEST_CASE("constants are read when the program is made") {
  const auto row = GENERATE(
      Row{"an int", "int('5') + 1", "6", 1}, Row{"in one another", "int(string(5))", "5", 0},
      Row{"a list", "[1, 2]", "[1, 2]", 0}, Row{"a map", "{'a': [1]}", R"({"a": [1]})", 0},
      Row{"a type", "type(type)", "type", 0},
      Row{"a step of a constant", "[[1, 2], [3]][0][1]", "2", 3},
      Row{"a variable is no constant", "string(device.attributes['d.io'].index)", R"("5")", 5},
      Row{"optional elements are no constants", "[?optional.of(1), ?optional.none()]", "[1]", 12},
      Row{"a wrong text that a variable has", "int(device.driver)",
          "type conversion error from 'string' to 'int'", 3});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("a list of constants is a set, where it can be") {
  const auto row = GENERATE(
      Row{"numbers of any type", "dyn(device.attributes['d.io'].index) in [5u]", "true", 5},
      Row{"of what was read", "5 in [int('5')]", "true", 0},
      Row{"of nothing, whatever is sought", "device.attributes['d.io'].zebra in []", "false", 0},
      Row{"null is no key of a set", "dyn(1) in [dyn(null), dyn(1)]", "true", 2},
      Row{"lists are none", "[1] in [[2], [1]]", "true", 2},
      Row{"behind dyn", "dyn(1) in dyn([1, 2])", "true", 1});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("Kubernetes' literals are read once and still cost") {
  const auto row = GENERATE(
      Row{"quantity", "quantity('40Gi')", R"(quantity("40Gi"))", 1},
      Row{"semver", "semver('1.2.3')", R"(semver("1.2.3"))", 1},
      Row{"a wrong one is a run-time error", "quantity('bad')",
          "quantities must match the regular expression "
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
          1},
      Row{"which && absorbs", "quantity('bad') == quantity('1') && false", "false", 3},
      Row{"as keys they are not the same", "{quantity('1'): 1, quantity('1'): 2}.size()", "2", 33},
      Row{"nor is one in a loop with itself",
          "[1, 2].transformMapEntry(i, v, {quantity('1'): v}).size()", "2", 70},
      Row{"but addresses are", "{ip('1.1.1.1'): 1, ip('1.1.1.1'): 2}.size()", "1", 33},
      Row{"a value is no key", "[{'a': quantity('1')}, {'a': quantity('2')}][1].a",
          R"(quantity("2"))", 75},
      Row{"a key behind a key",
          "{quantity('1'): 'x', quantity('2'): string(size({quantity('1'): 1, quantity('1'): "
          "2}))}.size()",
          "2", 67});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("a name is the innermost that it can be") {
  const auto row = GENERATE(
      Row{"a variable", "[1].map(x, x + 1)", "[2]", 15},
      Row{"hides one outside", "[1].map(x, [x + 1].map(x, x + 1))", "[[3]]", 40},
      Row{"is not seen by its own range", "[[1]].map(x, x.map(x, x))", "[[1]]", 28},
      Row{"hides a type", "[1].map(int, int)", "[1]", 14},
      Row{"hides the device", "['x'].map(device, device)", R"(["x"])", 14},
      Row{"ends with its loop", "[1].exists(device, true) && device.driver == 'd.io'", "true", 8},
      Row{"two of one loop", "['a'].transformList(i, v, string(i) + v)", R"(["0a"])", 17});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("steps go to both branches of a conditional") {
  const auto row = GENERATE(
      Row{"field, first branch", "(device.driver == 'd.io' ? {'a': 1} : {'a': 2}).a", "1", 4},
      Row{"field, second branch", "(device.driver == 'x' ? {'a': 1} : {'a': 2}).a", "2", 4},
      Row{"index", "(device.driver == 'x' ? [1, 2] : [3, 4])[1]", "4", 4},
      Row{"nested",
          "(device.driver == 'x' ? {'a': 1} : device.driver == 'y' ? {'a': 2} : {'a': 3}).a", "3",
          7},
      Row{"two steps", "(device.driver == 'x' ? {'a': {'b': 1}} : {'a': {'b': 2}}).a.b", "2", 5},
      Row{"has", "has((device.driver == 'x' ? {'a': 1} : {'b': 2}).a)", "false", 3},
      Row{"optional", "(device.driver == 'x' ? {'a': 1} : {'b': 2}).?a", "optional.none()", 3});
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

struct Wrong {
  std::string name;
  std::string text;
  std::string why;
};

TEST_CASE("what is wrong in a constant ends the making of the program") {
  const auto row = GENERATE(
      Wrong{"int", "int('x')", "type conversion error from 'string' to 'int'"},
      Wrong{"text that is none", R"(dyn(string(b'\xff')))",
            "invalid UTF-8 in bytes, cannot convert to string"},
      Wrong{"time", "dyn(timestamp(dyn('x')))",
            "type conversion error from 'string' to 'google.protobuf.Timestamp'"},
      Wrong{"a key that is none", "dyn({null: 1}[null])", "invalid qualifier type: types.Null"},
      Wrong{"an index that is none", "dyn([1])[dyn(null)]", "invalid qualifier type: types.Null"},
      Wrong{"a pattern", "dyn('s'.find('('))", "error parsing regexp: missing closing ): `(`"},
      Wrong{"a pattern behind dyn", "dyn('s'.matches(dyn('(')))",
            "error parsing regexp: missing closing ): `(`"},
      Wrong{"the name of a type that cel-go does not know", "dyn(duration)",
            "reference to undefined type: duration"},
      Wrong{"a variable that holds a type", "dyn(cel.bind(t, int, t))",
            "reference to undefined type: t"},
      Wrong{"in what is not run", "(true ? 1 : int('x'))",
            "type conversion error from 'string' to 'int'"});
  DYNAMIC_SECTION(row.name) {
    const auto made = compile(row.text + " == 1 || true");
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == CompileError::Kind::internal);
    CHECK(made.error().message == "program instantiation failed: " + row.why);
  }
}

NodeKind root_of(std::string_view text) {
  return program(text, Purpose::any)->plan().root->kind;
}

TEST_CASE("nodes are the interpretables that cel-go plans") {
  CHECK(root_of("[1, 2]") == NodeKind::constant);
  CHECK(root_of("[1, size(device.driver)]") == NodeKind::list);
  CHECK(root_of("{'a': device.driver}") == NodeKind::map);
  CHECK(root_of("device.driver in ['a']") == NodeKind::in_set);
  CHECK(root_of("device.driver in [device.driver]") == NodeKind::call);
  CHECK(root_of("has(device.attributes.x)") == NodeKind::has);
  CHECK(root_of("true ? 1 : 2") == NodeKind::path);
  CHECK(root_of("optional.none().or(optional.none())") == NodeKind::optional_or);
  CHECK(root_of("optional.none().orValue(1)") == NodeKind::optional_or_value);
  CHECK(root_of("[1].all(x, true)") == NodeKind::fold);
}

TEST_CASE("a run whose result may depend on its cost is always counted") {
  CHECK_FALSE(program("device.driver == 'd.io'")->plan().always_tracked);
  CHECK(program("[[dyn(1)]].flatten()", Purpose::any)->plan().always_tracked);
}

}  // namespace
}  // namespace dray::cel::lowering_test