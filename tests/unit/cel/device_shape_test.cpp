#include "dray/cel/device_shape.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

namespace dray::cel::device_shape_test {
namespace {

TEST_CASE("a name is split at its first slash") {
  CHECK(split_name(Half::attribute, "model", "d.io") == Name{Half::attribute, "d.io", "model"});
  CHECK(split_name(Half::capacity, "a.io/b/c", "d.io") == Name{Half::capacity, "a.io", "b/c"});
  CHECK(split_name(Half::attribute, "/x", "d.io") == Name{Half::attribute, "", "x"});
}

TEST_CASE("devices that look alike share a shape") {
  Interner interner;
  const auto a = interner.intern("d.io", test_device());
  const auto b = interner.intern("d.io", test_device());
  CHECK(a == b);
  CHECK(interner.size() == 1);
  Device named = test_device();
  named.name = DeviceName("another");
  CHECK(interner.intern("d.io", named) == a);
}

TEST_CASE("and any difference a selector can see parts them") {
  Interner interner;
  const auto base = interner.intern("d.io", test_device());
  CHECK(interner.intern("e.io", test_device()) != base);
  Device device = test_device();
  device.allow_multiple_allocations = true;
  CHECK(interner.intern("d.io", device) != base);
  device = test_device();
  device.attributes["index"] = std::int64_t{6};
  const auto six = interner.intern("d.io", device);
  CHECK(six != base);
  CHECK(&six->names() == &base->names());
  device.attributes["index"] = std::string("6");
  CHECK(interner.intern("d.io", device) != six);
  device = test_device();
  device.capacity["memory"].value = Quantity::parse("41Gi").value();
  CHECK(interner.intern("d.io", device) != base);
}

TEST_CASE("quantities that are written differently are told apart only by value") {
  Interner interner;
  Device a = test_device();
  Device b = test_device();
  b.capacity["memory"].value = Quantity::parse("40960Mi").value();
  CHECK(interner.intern("d.io", a)->conversion_error() == std::nullopt);
  CHECK(interner.intern("d.io", b)->conversion_error() == std::nullopt);
}

TEST_CASE("what nobody holds is swept, and a number is used again, a serial never") {
  Interner interner;
  auto shape = interner.intern("d.io", test_device());
  const auto index = shape->index();
  const auto serial = shape->serial();
  shape.reset();
  interner.sweep();
  CHECK(interner.size() == 0);
  shape = interner.intern("e.io", test_device());
  CHECK(shape->index() == index);
  CHECK(shape->serial() > serial);
}

TEST_CASE("shapes outlive their interner") {
  DeviceShapeHandle shape;
  {
    Interner interner;
    shape = interner.intern("d.io", test_device());
  }
  Evaluator evaluator;
  CHECK(evaluator.verdict(*program("device.attributes['d.io'].model == 'fish'"), *shape) ==
        Verdict::yes);
}

TEST_CASE("tables do not grow with what is gone") {
  Interner interner;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    Device device = test_device();
    device.attributes["index"] = i;
    static_cast<void>(interner.intern("d.io", device));
  }
  CHECK(interner.size() < 10'000);
}

TEST_CASE("the qualified name wins over the plain one") {
  Interner interner;
  Device device;
  device.attributes = {{"model", std::string("plain")}, {"d.io/model", std::string("qualified")}};
  const auto shape = interner.intern("d.io", device);
  CHECK(shape->names().names().size() == 1);
  CHECK(shape->at(shape->names().find(Half::attribute, "d.io", "model")).value.text() ==
        "qualified");
}

}  // namespace
}  // namespace dray::cel::device_shape_test
