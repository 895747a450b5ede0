#include "app/doctor/object_check.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

namespace dray::app::object_check_test {
namespace {

using namespace dray::testing;

std::vector<std::string> names(const std::vector<KubeObject>& objects, ObjectContext context = {}) {
  std::vector<std::string> all;
  for (const auto& finding : check_objects(objects, context)) {
    all.emplace_back(fault_info(finding.fault).name);
  }
  return all;
}

using Names = std::vector<std::string>;

ResourceSlice slice(const std::string& name, std::int64_t generation, std::int64_t count,
                    const std::string& gpu) {
  auto made = make_slice("n0", {device(gpu)});
  made.meta = cluster_meta(name);
  made.pool_generation = generation;
  made.pool_slice_count = count;
  return made;
}

/// A pod of a scheduler that runs with a device of the driver, and its claim.
std::vector<KubeObject> user(const std::string& name, const std::string& scheduler,
                             const std::string& driver, bool admin = false) {
  auto pod = of_scheduler(scheduler, make_pod(name, "c-" + name, false));
  pod.node_name = NodeName("n0");
  auto claim = make_claim("c-" + name, 1);
  claim.allocation = allocation({device_id("n0", "gpu-" + name, driver)});
  if (admin) claim.allocation->devices.front().admin_access = true;
  claim.reserved_for = {consumer(name, pod.meta.uid)};
  return {claim, pod};
}

std::vector<KubeObject> operator+(std::vector<KubeObject> a, const std::vector<KubeObject>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("pools as drivers publish them have no fault") {
  CHECK(names({slice("a", 2, 2, "gpu-0"), slice("b", 2, 2, "gpu-1")}).empty());
}

TEST_CASE("pools that are not as they should be") {
  struct Row {
    std::string name;
    std::vector<KubeObject> slices;
    Names want;
    std::string what;
  };
  const auto row = GENERATE(Row{"a slice is missing",
                                {slice("a", 1, 2, "gpu-0")},
                                {"pool-incomplete"},
                                "1 of 2 slices of generation 1"},
                            Row{"a slice of an older generation",
                                {slice("a", 2, 1, "gpu-0"), slice("b", 1, 1, "gpu-1")},
                                {"pool-old-slices"},
                                "b of an older generation than 2"},
                            Row{"the newer generation is incomplete",
                                {slice("a", 2, 2, "gpu-0"), slice("b", 1, 1, "gpu-1")},
                                {"pool-incomplete", "pool-old-slices"},
                                "1 of 2 slices of generation 2"},
                            Row{"a device twice",
                                {slice("a", 1, 2, "gpu-0"), slice("b", 1, 2, "gpu-0")},
                                {"pool-device-twice"},
                                "two devices are called gpu-0"});
  DYNAMIC_SECTION(row.name) {
    CHECK(names(row.slices) == row.want);
    const auto found = check_objects(row.slices, {});
    CHECK(found.front().what == row.what);
    CHECK(found.front().object == "pool n0 of gpu.example.com");
  }
}

TEST_CASE("a driver is one scheduler's, and kept for it") {
  const auto ours = user("a", "dray-scheduler", "d.example");
  const auto theirs = user("b", "default-scheduler", "d.example");
  ObjectContext kept;
  kept.exclusive_drivers = {"d.example"};
  ObjectContext all;
  all.exclusive_drivers = {"*"};
  ObjectContext open;
  open.exclusive_drivers = {"e.example"};
  CHECK(names(ours, kept).empty());
  CHECK(names(ours, all).empty());
  CHECK(names(ours).empty());  // the ConfigMap cannot be seen
  CHECK(names(ours, open) == Names{"driver-not-exclusive"});
  CHECK(names(theirs, open).empty());
  CHECK(names(ours + theirs, kept) == Names{"driver-shared"});
  CHECK(names(ours + user("b", "default-scheduler", "e.example"), kept).empty());
  CHECK(names(ours + user("b", "default-scheduler", "d.example", true), kept).empty());
  const auto found = check_objects(ours + theirs, kept);
  CHECK(found.front().object == "driver d.example");
  CHECK(found.front().what ==
        "claim default/c-b is of a pod of scheduler default-scheduler, claim default/c-a of one of "
        "dray-scheduler");
}

TEST_CASE("the gate on a pod of another scheduler") {
  CHECK(names({make_pod("a", "", true)}).empty());
  CHECK(names({of_scheduler("default-scheduler", make_pod("a", "", false))}).empty());
  CHECK(names({of_scheduler("default-scheduler", make_pod("a", "", true))}) ==
        Names{"gate-without-scheduler"});
  ObjectContext several;
  several.other_schedulers = {"dray-scheduler-blue"};
  CHECK(names({of_scheduler("dray-scheduler-blue", make_pod("a", "", true))}, several).empty());
}

TEST_CASE("objects that cannot be read, by their error") {
  ObjectContext context;
  context.unreadable = {"ResourceSlice s: spec.devices[0].name: is empty"};
  const auto found = check_objects({}, context);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == Fault::object_unreadable);
  CHECK(found[0].object == "ResourceSlice s");
  CHECK(found[0].what == "spec.devices[0].name: is empty");
}

TEST_CASE("what dray repair would mend") {
  auto claim = make_claim("idle", 1);
  claim.allocation = allocation({device_id("n0", "gpu-0")});
  const auto found = check_objects({claim}, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == Fault::claim_repair);
  CHECK(found[0].mend == "dray repair");
}

}  // namespace dray::app::object_check_test
