#include "app/serve/descriptors.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>

namespace dray::app::descriptors_test {

TEST_CASE("the extender leaves descriptors for health and the API server") {
  CHECK(extender_connections(0) == 64);
  CHECK(extender_connections(1024) == 256);
  CHECK(extender_connections(2048) == 1280);
  CHECK(extender_connections(1'048'576) == 2048);
}

TEST_CASE("the limit of open files is raised to the hard one") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const auto raised = raise_descriptor_limit();
  CHECK(raised == before.rlim_max);
  rlimit after{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &after) == 0);
  CHECK(after.rlim_cur == before.rlim_max);
}

}  // namespace dray::app::descriptors_test
