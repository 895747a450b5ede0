#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::slice_codec_test {
namespace {

TEST_CASE("a slice, all fields") {
  const std::string json =
      R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"s"},)"
      R"("spec":{"driver":"d","pool":{"name":"p","generation":2,"resourceSliceCount":3},)"
      R"("nodeName":"n","nodeSelector":{"nodeSelectorTerms":[{}]},"allNodes":true,)"
      R"("perDeviceNodeSelection":true,"devices":[{"name":"a"}],)"
      R"("sharedCounters":[{"name":"c","counters":{"memory":{"value":"40Gi"}}}],)"
      R"("skipNodeOperations":["*"]}})";
  CHECK(rewritten<ResourceSlice>(json) == json);
}

TEST_CASE("an empty node name is none") {
  CHECK(rewritten<ResourceSlice>(R"({"spec":{"nodeName":""}})").find("nodeName") ==
        std::string::npos);
}

TEST_CASE("a wrong device is named by its place") {
  CHECK(
      rewritten<ResourceSlice>(R"({"spec":{"devices":[{},{"capacity":{"memory":{"value":"x"}}}]}})")
          .starts_with("spec.devices[1].capacity.memory.value: quantities must match"));
}
}  // namespace
}  // namespace dray::wire::slice_codec_test
