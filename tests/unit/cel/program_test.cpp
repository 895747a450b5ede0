#include "dray/cel/program.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

namespace dray::cel::program_test {
namespace {

std::string message(std::string_view text, const CompileOptions& options = {}) {
  const auto compiled = compile(text, options);
  return compiled ? "compiles" : compiled.error().message;
}

TEST_CASE("a selector gives a bool or an attribute") {
  CHECK(message("device.attributes['d.io'].healthy") == "compiles");
  CHECK(message("device.driver == 'd.io'") == "compiles");
  CHECK(message("device.driver") == "must evaluate to bool or the unknown type, not string");
  CHECK(compile("1").error().kind == CompileError::Kind::invalid);
}

TEST_CASE("a derived attribute gives what an attribute can hold") {
  CompileOptions options;
  options.purpose = Purpose::derived_attribute;
  CHECK(message("device.driver", options) == "compiles");
  CHECK(message("[1, 2]", options) == "compiles");
  CHECK(message("semver('1.2.3')", options) == "compiles");
  CHECK(message("1.5", options) != "compiles");
  CHECK(message("{1: 2}", options) != "compiles");
}

TEST_CASE("refused while the program is made is an internal error") {
  const auto compiled = compile("int('x') == 1");
  REQUIRE_FALSE(compiled);
  CHECK(compiled.error().kind == CompileError::Kind::internal);
  CHECK(compiled.error().message ==
        "program instantiation failed: type conversion error from 'string' to 'int'");
}

TEST_CASE("new expressions see what the gates let through") {
  CompileOptions options;
  options.environment.kind = Environment::Kind::new_expressions;
  CHECK(message("device.allowMultipleAllocations", options) == "compiles");
  options.environment.consumable_capacity = false;
  CHECK(message("device.allowMultipleAllocations", options)
            .find("undefined field 'allowMultipleAllocations'") != std::string::npos);
  options.environment.kind = Environment::Kind::stored;
  CHECK(message("device.allowMultipleAllocations", options) == "compiles");
}

TEST_CASE("a program says what it reads") {
  const Reads reads = program(
                          "device.driver == 'd.io' && device.attributes['d.io'].model == 'x' && "
                          "device.capacity['d.io'].memory == quantity('1')")
                          ->reads();
  CHECK(reads.driver);
  CHECK_FALSE(reads.everything);
  CHECK_FALSE(reads.allow_multiple);
  CHECK(reads.names ==
        std::vector<Name>{{Half::attribute, "d.io", "model"}, {Half::capacity, "d.io", "memory"}});
}

TEST_CASE("through a bound variable too") {
  const Reads reads =
      program("cel.bind(a, device.attributes['d.io'], has(a.model) && a.model == 'x')")->reads();
  CHECK_FALSE(reads.driver);
  if (!reads.everything) {
    CHECK(reads.names == std::vector<Name>{{Half::attribute, "d.io", "model"}});
  }
}

TEST_CASE("or says that it cannot tell") {
  CHECK(program("device.attributes['d.io'].exists(name, name == 'x')")->reads().everything);
  CHECK(program("device.attributes[device.driver].model == 'x'")->reads().everything);
}

TEST_CASE("the most an expression can cost is estimated") {
  CHECK(program("true")->max_cost() == 0);
  CHECK(program("device.driver == 'd.io'")->max_cost() > 1);
  CHECK(program("lists.range(100000).all(x, lists.range(100000).all(y, x + y > 0))")->max_cost() >
        default_cost_limit);
}

TEST_CASE("nesting is bounded, not the stack") {
  for (const std::string open : {"(", "[", "-", "!", "{1:", "f(", "a[", "true?"}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    CHECK(message(text) != "compiles");
  }
  std::string sum = "1";
  for (int i = 0; i < 5'000; ++i) sum += "+1";
  static_cast<void>(message(sum + " > 0"));
  std::string selects = "device";
  for (int i = 0; i < 5'000; ++i) selects += ".a";
  CHECK(message(selects) != "compiles");
}

}  // namespace
}  // namespace dray::cel::program_test
