#include "cluster/device_use.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"

namespace dray::device_use_test {

using namespace dray::testing;

namespace {

AllocatedDevice whole() {
  return allocation({device_id("n1", "0")}).devices[0];
}
AllocatedDevice share(const char* memory) {
  auto made = whole();
  made.share_id = std::string("s-") + memory;
  made.consumed_capacity = {{"memory", quantity(memory)}};
  return made;
}

}  // namespace

TEST_CASE("a device given away as a whole counts once a claim, and is free again after all") {
  cluster::DeviceUse use;
  cluster::add_use(use, whole());
  cluster::add_use(use, whole());
  CHECK(use.dedicated == 2);
  cluster::remove_use(use, whole());
  CHECK_FALSE(use.none());
  cluster::remove_use(use, whole());
  CHECK(use.none());
  cluster::remove_use(use, whole());
  CHECK(use.dedicated == 0);
}

TEST_CASE("shares add up, and what they consume goes with the last of them") {
  cluster::DeviceUse use;
  cluster::add_use(use, share("1Gi"));
  cluster::add_use(use, share("2Gi"));
  CHECK(use.shares == 2);
  CHECK(use.dedicated == 0);
  CHECK(use.has_consumed);
  CHECK(use.consumed.at("memory") == quantity("3Gi"));
  cluster::remove_use(use, share("1Gi"));
  CHECK(use.consumed.at("memory") == quantity("2Gi"));
  CHECK(use.shares == 1);
  cluster::remove_use(use, share("2Gi"));
  CHECK(use.none());
  CHECK(use == cluster::DeviceUse());
}

TEST_CASE("admin access takes nothing and gives nothing back") {
  auto admin = whole();
  admin.admin_access = true;
  cluster::DeviceUse use;
  cluster::add_use(use, admin);
  CHECK(use.none());
  cluster::add_use(use, whole());
  cluster::remove_use(use, admin);
  CHECK(use.dedicated == 1);
  admin.admin_access = false;
  cluster::remove_use(use, admin);
  CHECK(use.none());
}

}  // namespace dray::device_use_test
