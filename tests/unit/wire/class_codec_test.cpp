#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::class_codec_test {
namespace {

TEST_CASE("a class, all fields") {
  const std::string json =
      R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},)"
      R"("spec":{"selectors":[{"cel":{"expression":"true"}},{}],)"
      R"("config":[{"opaque":{"driver":"d","parameters":{"a": 1.50, "b":[]}}},{}],)"
      R"("extendedResourceName":"example.com/gpu"}})";
  CHECK(rewritten<DeviceClass>(json) == json);
}
}  // namespace
}  // namespace dray::wire::class_codec_test
