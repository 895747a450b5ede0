// Evaluating allocates nothing once the evaluator has made room: counted, not believed.

#include <array>
#include <catch2/catch.hpp>

#include "dray/cel/selector_memo.h"
#include "tests/bench/allocations.h"
#include "tests/unit/cel/fixture.h"

namespace dray::cel::allocation_test {

TEST_CASE("an evaluation in the steady state allocates nothing") {
  const auto* const text = GENERATE(
      "true", R"(device.driver == "d.io" && device.attributes["d.io"].model == "fish")",
      R"(device.attributes["d.io"].index >= 3 && device.attributes["other.io"].model in ["a", "whale"])",
      R"(device.attributes["d.io"].version.isGreaterThan(semver("1.0.0")))",
      R"(device.capacity["d.io"].memory.compareTo(quantity("40Gi")) >= 0)",
      R"(device.attributes["d.io"].model.lowerAscii().matches("^f.*h$"))",
      R"(device.attributes["d.io"].?absent.orValue("x") == "x" || has(device.attributes["d.io"].index))",
      R"(cel.bind(d, device.attributes["d.io"], has(d.model) && d.model.startsWith("fi")))",
      R"(device.attributes["d.io"].lanes.exists(l, l == 3))",
      R"(device.attributes["d.io"].zebra == "no such key")");
  CAPTURE(text);
  const auto compiled = program(text);
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  const auto before_first = bench::allocations();
  const Verdict first = evaluator.verdict(*compiled, *shape);
  CHECK(evaluator.verdict(*compiled, *shape) == first);
  const auto before = bench::allocations();
  for (int i = 0; i < 100; ++i) {
    if (evaluator.verdict(*compiled, *shape) != first) FAIL("another verdict");
  }
  CHECK(bench::allocations() == before);
  CHECK(before >= before_first);
}

TEST_CASE("a known verdict allocates nothing") {
  const auto compiled = program(R"(device.attributes["d.io"].model == "fish")");
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  SelectorMemo memo;
  REQUIRE(memo.match(compiled, shape) == Verdict::yes);
  const auto before = bench::allocations();
  for (int i = 0; i < 100; ++i) static_cast<void>(memo.match(compiled, shape));
  CHECK(bench::allocations() == before);
}

TEST_CASE("allocations are counted") {
  const auto before = bench::allocations();
  const auto one = std::make_unique<std::array<char, 64>>();
  CHECK(one != nullptr);
  CHECK(bench::allocations() > before);
}

}  // namespace dray::cel::allocation_test
