#include "service/fence.h"

#include <catch2/catch.hpp>

namespace dray::service::fence_test {
namespace {

using namespace std::chrono_literals;

constexpr Time noon = Time(1h);

TEST_CASE("a fence is closed until it is opened") {
  const Fence fence;
  CHECK_FALSE(fence.open(noon));
  CHECK_FALSE(fence.open(Time{}));
}

TEST_CASE("a fence is open before its time, and not at it") {
  Fence fence;
  fence.open_until(noon);
  CHECK(fence.open(noon - 1us));
  CHECK_FALSE(fence.open(noon));
  CHECK_FALSE(fence.open(noon + 1us));
}

TEST_CASE("a fence may be opened for good, and closed again") {
  Fence fence;
  fence.open_for_good();
  CHECK(fence.open(noon + 24h * 365 * 1000));
  fence.close();
  CHECK_FALSE(fence.open(Time{} - 24h));
}

TEST_CASE("what was shut stays closed, whatever is said later") {
  Fence fence;
  fence.open_until(noon);
  fence.shut();
  CHECK_FALSE(fence.open(noon - 1h));
  fence.open_for_good();
  CHECK_FALSE(fence.open(noon - 1h));
  fence.open_until(noon + 1h);
  CHECK_FALSE(fence.open(noon));
}

}  // namespace
}  // namespace dray::service::fence_test
