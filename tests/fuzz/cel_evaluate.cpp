#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dray/base/check.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"

namespace {

dray::cel::DeviceShapeHandle device() {
  static dray::cel::Interner interner;
  dray::Attributes attributes{
      {"b", true},
      {"i", std::int64_t{5}},
      {"s", std::string("fish")},
      {"v", dray::VersionText("1.2.3")},
      {"il", std::vector<std::int64_t>{1, 2, 3}},
      {"sl", std::vector<std::string>{"a", "b"}},
      {"other.io/x", std::string("ox")},
  };
  dray::cel::Capacities capacity;
  capacity["mem"].value = dray::Quantity(1 << 30);
  return interner.intern("d.io", attributes, capacity, true);
}

}  // namespace

/// Every program ends, the same way with and without counting its cost.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto shape = device();
  if (size > 2048) return 0;
  const auto program =
      dray::cel::compile(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!program || (*program)->max_cost() > 10'000) return 0;
  dray::cel::Evaluator evaluator;
  const auto verdict = evaluator.verdict(**program, *shape);
  const auto result = evaluator.matches(**program, *shape);
  const auto want = !result   ? dray::cel::Verdict::error
                    : *result ? dray::cel::Verdict::yes
                              : dray::cel::Verdict::no;
  DRAY_CHECK(verdict == want);
  const auto outcome = evaluator.evaluate(**program, *shape);
  if (outcome.value.is(dray::cel::Kind::boolean))
    DRAY_CHECK(result && *result == outcome.value.boolean);
  return 0;
}
