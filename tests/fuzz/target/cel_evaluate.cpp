#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/check.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"
#include "tests/fuzz/targets.h"

namespace dray::fuzz {
namespace {

cel::DeviceShapeHandle device() {
  static cel::Interner interner;
  Attributes attributes{
      {"b", true},
      {"i", std::int64_t{5}},
      {"s", std::string("fish")},
      {"v", VersionText("1.2.3")},
      {"il", std::vector<std::int64_t>{1, 2, 3}},
      {"sl", std::vector<std::string>{"a", "b"}},
      {"other.io/x", std::string("ox")},
  };
  cel::Capacities capacity;
  capacity["mem"].value = Quantity(1 << 30);
  return interner.intern("d.io", attributes, capacity, true);
}

}  // namespace

/// Every program ends, the same way with and without counting its cost.
void cel_evaluate(std::string_view input) {
  static const auto shape = device();
  if (input.size() > 2048) return;
  const auto program = cel::compile(input);
  if (!program || (*program)->max_cost() > 10'000) return;
  cel::Evaluator evaluator;
  const auto verdict = evaluator.verdict(**program, *shape);
  const auto result = evaluator.matches(**program, *shape);
  const auto want = !result ? cel::Verdict::error : *result ? cel::Verdict::yes : cel::Verdict::no;
  DRAY_CHECK(verdict == want);
  const auto outcome = evaluator.evaluate(**program, *shape);
  if (outcome.value.is(cel::Kind::boolean)) {
    DRAY_CHECK(result && *result == outcome.value.boolean);
  }
}

}  // namespace dray::fuzz
