#include <string>

#include <catch2/catch.hpp>

#include "dray/cel/program.h"

// src/cel/check/checker_calls.cpp: which function a call names and which of its overloads fit, with
// cel-go's types and words.

namespace dray::cel::checker_calls_test {
namespace {

/// The type of an expression, or the first line of what is wrong with it.
std::string type_of(std::string_view text, const Environment& environment = {}) {
  CompileOptions options;
  options.purpose = Purpose::any;
  options.environment = environment;
  const auto program = compile(text, options);
  if (program) return (*program)->output_type();
  const std::string& message = program.error().message;
  const std::size_t start = message.find("ERROR: ");
  return message.substr(start, message.find('\n') - start);
}

struct Row {
  std::string name;
  std::string text;
  std::string type;
};

TEST_CASE("overloads that fit give their type, several with different ones dyn") {
  const auto row =
      GENERATE(Row{"one of several", "size('a')", "int"},
               Row{"two of different types", "dyn(1) + dyn(2)", "dyn"},
               Row{"two of one type", "dyn(1) < dyn(2)", "bool"},
               Row{"dyn as an argument", "dyn('a').startsWith('b')", "bool"},
               Row{"a parameter", "[1].first()", "optional_type(int)"},
               Row{"a parameter in a parameter", "[[1]].flatten()", "list(int)"},
               Row{"two parameters", "{'a': 1}.transformMap(k, v, [v])", "map(string, list(int))"},
               Row{"a parameter that both arguments bind", "'a' in {'a': 1}", "bool"},
               Row{"a parameter that dyn widens", "true ? dyn(1) : 'a'", "dyn"},
               Row{"a parameter that nothing binds", "optional.none().orValue(1)", "int"},
               Row{"an opaque type in itself", "optional.of(optional.of(1))",
                   "optional_type(optional_type(int))"},
               Row{"types of types", "type(1) == type('a')", "bool"},
               Row{"null and an object", "semver('1.0.0') == null", "bool"});
  DYNAMIC_SECTION(row.name) {
    CHECK(type_of(row.text) == row.type);
  }
}

TEST_CASE("what fits nothing is told with the types it was tried with") {
  const auto row = GENERATE(
      Row{"global", "size(1)",
          "ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'"},
      Row{"member", "'a'.startsWith(1)",
          "ERROR: <input>:1:15: found no matching overload for 'startsWith' applied to "
          "'string.(int)'"},
      Row{"operator", "1 + 'a'",
          "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'"},
      Row{"operator of one", "!1",
          "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'"},
      Row{"negation", "-'a'",
          "ERROR: <input>:1:1: found no matching overload for '-_' applied to '(string)'"},
      Row{"lists", "[1] + ['a']",
          "ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(list(int), "
          "list(string))'"},
      Row{"a parameter bound twice", "1 in ['a']",
          "ERROR: <input>:1:3: found no matching overload for '@in' applied to '(int, "
          "list(string))'"},
      Row{"a parameter of a map", "1 in {'a': 1}",
          "ERROR: <input>:1:3: found no matching overload for '@in' applied to '(int, map(string, "
          "int))'"},
      Row{"a conditional", "true ? 1 : 'a'",
          "ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, "
          "string)'"},
      Row{"an index", "[1]['a']",
          "ERROR: <input>:1:4: found no matching overload for '_[_]' applied to '(list(int), "
          "string)'"},
      Row{"a key", "{'a': 1}[1]",
          "ERROR: <input>:1:9: found no matching overload for '_[_]' applied to '(map(string, "
          "int), int)'"},
      Row{"a free variable is dyn", "[].first() + 1",
          "ERROR: <input>:1:12: found no matching overload for '_+_' applied to "
          "'(optional_type(dyn), int)'"},
      Row{"an optional", "optional.of(1).orValue('a')",
          "ERROR: <input>:1:23: found no matching overload for 'orValue' applied to "
          "'optional_type(int).(string)'"},
      Row{"null", "null == 1",
          "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(null, int)'"},
      Row{"too few arguments", "'a'.replace('b')",
          "ERROR: <input>:1:12: found no matching overload for 'replace' applied to "
          "'string.(string)'"},
      Row{"none at all", "'a'.int()",
          "ERROR: <input>:1:8: found no matching overload for 'int' applied to 'string.()'"},
      Row{"&& names the term", "1 && true",
          "ERROR: <input>:1:1: expected type 'bool' but found 'int'"},
      Row{"|| names the first term", "1 || 'a'",
          "ERROR: <input>:1:1: expected type 'bool' but found 'int'"},
      Row{"&& names the second term", "true && 'a'",
          "ERROR: <input>:1:9: expected type 'bool' but found 'string'"});
  DYNAMIC_SECTION(row.name) {
    CHECK(type_of(row.text) == row.type);
  }
}

TEST_CASE("a call names a function, a qualified one before a member") {
  const auto row =
      GENERATE(Row{"undeclared", "nope(1)",
                   "ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')"},
               Row{"undeclared member", "'a'.nope()",
                   "ERROR: <input>:1:9: undeclared reference to 'nope' (in container '')"},
               Row{"of a library that is not there", "math.greatest(1, 2)",
                   "ERROR: <input>:1:1: undeclared reference to 'math' (in container '')"},
               Row{"member as a global", "startsWith('a', 'b')",
                   "ERROR: <input>:1:11: found no matching overload for 'startsWith' applied to "
                   "'(string, string)'"},
               Row{"qualified", "strings.quote('a')", "string"},
               Row{"qualified, absolute", ".strings.quote('a')", "string"},
               Row{"absolute", ".size('a')", "int"},
               Row{"a variable of that name hides nothing",
                   "cel.bind(strings, 'x', strings.quote('a'))", "string"},
               Row{"arguments' errors come with the call's", "nope(device.nosuch)",
                   "ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')"},
               Row{"the target's error is told once", "device.nosuch.startsWith(1)",
                   "ERROR: <input>:1:7: undefined field 'nosuch'"});
  DYNAMIC_SECTION(row.name) {
    CHECK(type_of(row.text) == row.type);
  }
}

TEST_CASE("includes() is not declared for new objects unless attributes may be lists") {
  const std::string text = "device.attributes['d.io'].lanes.includes(1)";
  Environment environment;
  CHECK(type_of(text, environment) == "bool");
  environment.kind = Environment::Kind::new_expressions;
  CHECK(type_of(text, environment) ==
        "ERROR: <input>:1:41: undeclared reference to 'includes' (in container '')");
  environment.list_type_attributes = true;
  CHECK(type_of(text, environment) == "bool");
}

TEST_CASE("functions that an environment declares come before those of the libraries") {
  Environment environment;
  environment.functions = {
      {"f", {{"f_int", false, {"int"}, "string"}, {"f_list", false, {"list(<A>)"}, "<A>"}}},
      {"startsWith", {{"own", true, {"int", "int"}, "uint"}}},
      {"a.b.g", {{"g", false, {}, "map(string, int)"}}}};
  const auto row =
      GENERATE(Row{"first overload", "f(1)", "string"}, Row{"second overload", "f([1u])", "uint"},
               Row{"no overload", "f('a')",
                   "ERROR: <input>:1:2: found no matching overload for 'f' applied to '(string)'"},
               Row{"instead of a library's", "1.startsWith(2)", "uint"},
               Row{"the library's is gone", "'a'.startsWith('b')",
                   "ERROR: <input>:1:15: found no matching overload for 'startsWith' applied to "
                   "'string.(string)'"},
               Row{"qualified", "a.b.g()", "map(string, int)"});
  DYNAMIC_SECTION(row.name) {
    CHECK(type_of(row.text, environment) == row.type);
  }
}

}  // namespace
}  // namespace dray::cel::checker_calls_test