#include "engine/books/vain_evictions.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::vain_evictions_test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("evictions for a workload that kube-scheduler rejects pause, longer each time") {
  VainEvictions vain;
  const std::string web = "default/Deployment/web";
  CHECK_FALSE(vain.refused(web, start));
  const auto in_vain = [&](Time now) {
    vain.made_room(web);
    CHECK(vain.refused(web, now));
    return vain.paused_until(web);
  };
  CHECK_FALSE(in_vain(start));
  // Of the same evictions no second refusal counts.
  CHECK_FALSE(vain.refused(web, start));
  CHECK(in_vain(start) == start + 30s);
  CHECK(in_vain(start) == start + 2min);
  CHECK(in_vain(start) == start + 8min);
  CHECK(in_vain(start) == start + 32min);
  CHECK(in_vain(start) == start + 24h);
  CHECK(in_vain(start + 24h) == start + 48h);
  CHECK_FALSE(vain.paused_until("default/Deployment/other"));
  SECTION("until one of its pods is bound") {
    vain.bound(web);
    CHECK_FALSE(vain.paused_until(web));
    CHECK_FALSE(in_vain(start + 24h));
  }
  SECTION("what is long ago does not count") {
    CHECK(in_vain(start + 49h) == start + 48h);
  }
}

TEST_CASE("so many workloads are remembered") {
  VainEvictions vain;
  for (std::size_t i = 0; i <= VainEvictions::most; ++i) vain.made_room("w" + std::to_string(i));
  CHECK_FALSE(vain.refused("w0", start));
  CHECK(vain.refused("w1", start));
}

}  // namespace
}  // namespace dray::engine::vain_evictions_test
