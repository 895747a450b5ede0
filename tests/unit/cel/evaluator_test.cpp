#include "dray/cel/evaluator.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

namespace dray::cel::evaluator_test {
namespace {

TEST_CASE("a missing attribute fails with Kubernetes' hint") {
  CHECK(outcome("device.attributes['d.io'].zebra == 'x'") == with_hint("no such key: zebra"));
  CHECK(with_hint("no such key: zebra") != "no such key: zebra");
  CHECK(with_hint("division by zero") == "division by zero");
}

TEST_CASE("the deciding half of && and || wins over an error") {
  CHECK(outcome("device.attributes['d.io'].zebra == 'x' || true") == "true");
  CHECK(outcome("device.attributes['d.io'].zebra == 'x' && false") == "false");
  CHECK(outcome("true && 1 / 0 == 1") == "division by zero");
}

TEST_CASE("an attribute of another domain keeps it") {
  CHECK(outcome("device.attributes['other.io'].model == 'whale'") == "true");
  CHECK(outcome("device.attributes['d.io'].model == 'whale'") == "false");
  CHECK(outcome("size(device.attributes['nobody.io']) == 0") == "true");
}

TEST_CASE("a domain that is not there is one and the same map") {
  CHECK(outcome("[1, 2].transformMapEntry(i, x, {device.attributes['nobody.io']: x}) == {}") ==
        "insert failed: key {} already exists");
  CHECK(outcome("device.attributes['no' + 'body.io'].x == 1") == with_hint("no such key: x"));
  CHECK(outcome("cel.bind(d, device.capacity['nobody.io'], d.?x.hasValue())") == "false");
}

TEST_CASE("a result that is no bool is an error") {
  const std::string text = outcome("device.attributes['d.io'].model");
  CHECK(text != "true");
  CHECK(text != "false");
}

TEST_CASE("a device with a wrong attribute fails every selector") {
  Interner interner;
  Device device = test_device();
  device.attributes["version"] = VersionText("one");
  const auto shape = interner.intern("d.io", device);
  REQUIRE(shape->conversion_error());
  Evaluator evaluator;
  const auto always = program("true");
  CHECK(evaluator.verdict(*always, *shape) == Verdict::error);
  CHECK(evaluator.matches(*always, *shape).error().message == *shape->conversion_error());
}

TEST_CASE("evaluation stops at the cost limit") {
  CompileOptions options;
  options.cost_limit = 100;
  const auto costly = compile("lists.range(1000).all(x, x >= 0)", options).value();
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  CHECK(evaluator.verdict(*costly, *shape) == Verdict::error);
  const auto result = evaluator.matches(*costly, *shape);
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "operation cancelled: actual cost limit exceeded");
  CHECK(evaluator.evaluate(*costly, *shape).cancelled);
}

TEST_CASE("costs are counted per run") {
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  const auto selector = program("device.driver == 'd.io' && device.attributes['d.io'].healthy");
  Evaluator evaluator;
  const auto first = evaluator.evaluate(*selector, *shape).cost;
  CHECK(first > 0);
  CHECK(evaluator.evaluate(*selector, *shape).cost == first);
}

TEST_CASE("an optional costs a pattern what is in it") {
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  const auto cost = [&](std::string_view text) {
    return evaluator.evaluate(*program(text), *shape).cost;
  };
  CHECK(cost("matches('a', dyn(optional.of('12345678')))") ==
        cost("matches('a', dyn(optional.of('1')))") + 1);
}

TEST_CASE("one evaluator serves programs and devices in any order") {
  Interner interner;
  const auto fish = interner.intern("d.io", test_device());
  Device other = test_device();
  other.attributes.erase("model");
  other.attributes["a"] = std::string("b");
  const auto none = interner.intern("d.io", other);
  const auto is_fish = program("device.attributes['d.io'].model == 'fish'");
  const auto has_model = program("'model' in device.attributes['d.io']");
  Evaluator evaluator;
  for (int i = 0; i < 3; ++i) {
    CHECK(evaluator.verdict(*is_fish, *fish) == Verdict::yes);
    CHECK(evaluator.verdict(*has_model, *none) == Verdict::no);
    CHECK(evaluator.verdict(*is_fish, *none) == Verdict::error);
    CHECK(evaluator.verdict(*has_model, *fish) == Verdict::yes);
  }
}

TEST_CASE("derived attributes come back as attributes") {
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  const auto derive = [&](std::string_view text) {
    return evaluator.derive(*program(text, Purpose::derived_attribute), *shape);
  };
  CHECK(derive("device.attributes['d.io'].model + '!'").value() ==
        AttributeValue(std::string("fish!")));
  CHECK(derive("device.attributes['d.io'].index + 1").value() == AttributeValue(std::int64_t{6}));
  CHECK(derive("device.attributes['d.io'].healthy").value() == AttributeValue(true));
  CHECK(derive("semver('2.0.0')").value() == AttributeValue(VersionText("2.0.0")));
  CHECK_FALSE(derive("device.attributes['d.io'].zebra"));
}

}  // namespace
}  // namespace dray::cel::evaluator_test
