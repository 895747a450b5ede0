#include "dray/cel/selector_memo.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

namespace dray::cel::selector_memo_test {
namespace {

struct Devices {
  Interner interner;
  std::vector<DeviceShapeHandle> shapes;

  /// `count` devices that differ in index; every third has no model.
  explicit Devices(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      Device device = test_device();
      device.attributes["index"] = i;
      device.attributes["model"] = std::string(i % 2 == 0 ? "fish" : "whale");
      if (i % 3 == 2) device.attributes.erase("model");
      shapes.push_back(interner.intern("d.io", device));
    }
  }
};

const char* const is_fish = "device.attributes['d.io'].model == 'fish'";

TEST_CASE("a selector runs once for what it can tell apart") {
  const Devices devices(300);
  SelectorMemo memo;
  const auto selector = program(is_fish);
  static_cast<void>(memo.match(selector, devices.shapes));
  CHECK(memo.evaluations() == 3);
  static_cast<void>(memo.match(selector, devices.shapes));
  CHECK(memo.evaluations() == 3);
}

TEST_CASE("and says what the evaluator says") {
  const Devices devices(100);
  const auto text = GENERATE(as<std::string>{}, is_fish, "device.attributes['d.io'].index > 40",
                             "device.driver == 'd.io'", "true", "1 / 0 == 1",
                             "device.attributes['d.io'].exists(k, k == 'model')",
                             "has(device.attributes['d.io'].model)");
  const auto selector = program(text);
  SelectorMemo memo;
  Evaluator evaluator;
  for (int round = 0; round < 2; ++round) {
    const Matches matches = memo.match(selector, devices.shapes);
    for (std::size_t i = 0; i < devices.shapes.size(); ++i) {
      const Verdict want = evaluator.verdict(*selector, *devices.shapes[i]);
      CHECK(matches.accepts(i) == (want == Verdict::yes));
      CHECK(matches.fails(i) == (want == Verdict::error));
      CHECK(memo.match(selector, devices.shapes[i]) == want);
    }
  }
}

TEST_CASE("an error's text is the device's own") {
  const Devices devices(3);
  SelectorMemo memo;
  const auto selector = program(is_fish);
  REQUIRE(memo.match(selector, devices.shapes[2]) == Verdict::error);
  CHECK(memo.error_text(*selector, *devices.shapes[2]) == with_hint("no such key: model"));
}

TEST_CASE("a wrong device is wrong for every selector") {
  Interner interner;
  Device device = test_device();
  device.attributes["version"] = VersionText("one");
  SelectorMemo memo;
  const auto always = program("true");
  CHECK(memo.match(always, interner.intern("d.io", test_device())) == Verdict::yes);
  CHECK(memo.match(always, interner.intern("d.io", device)) == Verdict::error);
}

TEST_CASE("a number that is used again is another shape") {
  Interner interner;
  SelectorMemo memo;
  const auto selector = program(is_fish);
  auto shape = interner.intern("d.io", test_device());
  const auto index = shape->index();
  CHECK(memo.match(selector, shape) == Verdict::yes);
  memo.clear();
  shape.reset();
  interner.sweep();
  Device device = test_device();
  device.attributes["model"] = std::string("whale");
  shape = interner.intern("d.io", device);
  CHECK(shape->index() == index);
  CHECK(memo.match(selector, shape) == Verdict::no);
}

TEST_CASE("a number that is used again, of a shape that was as another, is another shape") {
  Interner interner;
  SelectorMemo memo;
  const auto selector = program(is_fish);
  const auto device = [&](std::int64_t index, const char* model) {
    Device made = test_device();
    made.attributes["index"] = index;
    made.attributes["model"] = std::string(model);
    return interner.intern("d.io", made);
  };
  // One shape of a projection is kept alive, the others are not.
  const auto kept = device(0, "fish");
  auto gone = device(1, "fish");
  const auto index = gone->index();
  CHECK(memo.match(selector, kept) == Verdict::yes);
  CHECK(memo.match(selector, gone) == Verdict::yes);
  gone.reset();
  interner.sweep();
  const auto next = device(2, "whale");
  CHECK(next->index() == index);
  CHECK(memo.match(selector, next) == Verdict::no);
}

TEST_CASE("only so many selectors are remembered, those that were used last") {
  const Devices devices(1);
  SelectorMemo memo(2, 16);
  const auto a = program("device.attributes['d.io'].index == 0");
  const auto b = program("device.attributes['d.io'].index == 1");
  const auto c = program("device.attributes['d.io'].index == 2");
  for (const auto& selector : {a, b, a, c}) {
    static_cast<void>(memo.match(selector, devices.shapes[0]));
  }
  CHECK(a.use_count() == 2);
  CHECK(b.use_count() == 1);
  CHECK(c.use_count() == 2);
  memo.forget(*c);
  CHECK(c.use_count() == 1);
  CHECK(memo.match(a, devices.shapes[0]) == Verdict::yes);
}

TEST_CASE("projections are bounded, the verdicts right all the same") {
  const Devices devices(500);
  SelectorMemo memo(4, 10);
  const auto selector = program("device.attributes['d.io'].index >= 250");
  const Matches matches = memo.match(selector, devices.shapes);
  for (std::size_t i = 0; i < 500; ++i) CHECK(matches.accepts(i) == (i >= 250));
}

}  // namespace
}  // namespace dray::cel::selector_memo_test
