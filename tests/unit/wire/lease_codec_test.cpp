#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::lease_codec_test {
namespace {

TEST_CASE("a lease, all fields") {
  const std::string json =
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},)"
      R"("spec":{"holderIdentity":"a","leaseDurationSeconds":15,"leaseTransitions":3,)"
      R"("acquireTime":"2026-01-02T03:04:05.000001Z","renewTime":"2026-01-02T03:04:05.123456Z"}})";
  CHECK(rewritten<Lease>(json) == json);
}

TEST_CASE("seconds are 32 bits") {
  CHECK(rewritten<Lease>(R"({"spec":{"leaseDurationSeconds":2147483648}})") ==
        "spec.leaseDurationSeconds: expected an integer within its range");
}
}  // namespace
}  // namespace dray::wire::lease_codec_test
