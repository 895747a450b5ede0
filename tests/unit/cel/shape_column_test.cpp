#include "cel/program/shape_column.h"

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

namespace dray::cel::shape_column_test {

TEST_CASE("a column of shapes answers as the devices one by one") {
  Interner interner;
  std::vector<DeviceShapeHandle> devices;
  ShapeColumn column;
  for (int i = 0; i < 200; ++i) {
    auto device = test_device();
    device.attributes["index"] = std::int64_t{i % 7};
    if (i % 5 == 0) device.attributes.erase("index");
    devices.push_back(interner.intern("d.io", device));
    column.add(devices.back());
  }
  CHECK(column.size() == 200);
  CHECK(column.shapes().size() == 8);
  const auto selector = program(R"(device.attributes["d.io"].index > 3)");
  SelectorMemo one;
  SelectorMemo other;
  const auto want = one.match(selector, devices);
  for (int i = 0; i < 2; ++i) {
    const auto got = match(other, selector, column);
    CHECK(got.yes == want.yes);
    CHECK(got.failed == want.failed);
  }
  CHECK(other.evaluations() == 8);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) failed += std::size_t{want.fails(i)};
  CHECK(failed == 40U);
}

TEST_CASE("a column without devices has no matches") {
  SelectorMemo memo;
  const auto matches = match(memo, program("true"), ShapeColumn());
  CHECK(matches.yes.empty());
  CHECK(matches.failed.empty());
}

}  // namespace dray::cel::shape_column_test
