#include "app/repair/repair_plan.h"

#include <catch2/catch.hpp>
#include <map>

#include "tests/objects/claims.h"
#include "tests/objects/pods.h"
#include "tests/unit/engine/claims_in_two.h"

namespace dray::app::repair_plan_test {
namespace {

using namespace dray::testing;

/// `c: device in two claims, 1 user; …`
std::string words(const std::vector<RepairFinding>& findings) {
  std::string all;
  for (const auto& each : findings) {
    if (!all.empty()) all += "; ";
    all += each.claim.name + ": " + std::string(text(each.kind));
    all += each.mendable() ? ", " + std::to_string(each.users.size()) + " user" : ", by hand";
  }
  return all;
}

Pod foreign(const std::string& name) {
  auto pod = user_pod(name, false);
  pod.scheduler_name = "default-scheduler";
  return pod;
}

TEST_CASE("nothing is wrong with claims that have devices of their own") {
  CHECK(plan_repair({user_pod("a", true), user_pod("b", false), holder("ca", "gpu-0", 1, {"a"}),
                     holder("cb", "gpu-1", 1, {"b"}), make_claim("asks", 1)},
                    "dray-scheduler")
            .empty());
}

TEST_CASE("what is wrong, and whether dray may mend it") {
  struct Row {
    std::string name;
    std::vector<KubeObject> objects;
    std::string want;
  };
  const auto row = GENERATE(
      Row{"the one that waits gives way",
          {user_pod("a", true), user_pod("b", false), holder("ca", "gpu-0", 2, {"a"}),
           holder("cb", "gpu-0", 1, {"b"})},
          "cb: device in two claims, 1 user"},
      Row{"both run",
          {user_pod("a", true), user_pod("b", true), holder("ca", "gpu-0", 1, {"a"}),
           holder("cb", "gpu-0", 2, {"b"})},
          "cb: device in two claims, by hand"},
      Row{"another scheduler's waits",
          {user_pod("a", true), foreign("b"), holder("ca", "gpu-0", 1, {"a"}),
           holder("cb", "gpu-0", 2, {"b"})},
          "cb: device in two claims, by hand"},
      Row{"nobody's has a device that somebody uses",
          {user_pod("a", true), holder("ca", "gpu-0", 1, {"a"}), holder("cb", "gpu-0", 2, {})},
          "cb: device in two claims, by hand"},
      Row{"its pods are gone, all of them",
          {holder("c", "gpu-0", 1, {"x", "y"})},
          "c: user is gone, 2 user"},
      Row{"one of its pods is gone",
          {user_pod("a", true), holder("c", "gpu-0", 1, {"a", "y"})},
          "c: user is gone, 1 user"},
      Row{"nobody uses it", {holder("c", "gpu-0", 1, {})}, "c: nobody uses it, 1 user"});
  DYNAMIC_SECTION(row.name) {
    CHECK(words(plan_repair(row.objects, "dray-scheduler")) == row.want);
  }
}

TEST_CASE("devices are named, and who has them too; those of one claim together") {
  auto old = holder("old", "gpu-0", 1, {"a"});
  auto young = holder("young", "gpu-0", 2, {"b"});
  old.allocation->devices.push_back(device_of("gpu-1"));
  young.allocation->devices.push_back(device_of("gpu-1"));
  const auto findings =
      plan_repair({user_pod("a", false), user_pod("b", false), old, young}, "dray-scheduler");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].what ==
        "gpu.example.com/n0/gpu-0 is also in default/old; "
        "gpu.example.com/n0/gpu-1 is also in default/old");
}

TEST_CASE("each user's release names the claim that was looked at") {
  const auto findings = plan_repair({holder("c", "gpu-0", 1, {"x", "y"})}, "dray-scheduler");
  REQUIRE(findings.size() == 1);
  const auto writes = releases(findings[0]);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].claim == ClaimKey{"default", "c"});
  CHECK(writes[0].uid == Uid("uid-c"));
  CHECK(writes[0].consumer == Uid("uid-x"));
  CHECK(writes[1].consumer == Uid("uid-y"));
  CHECK(writes[1].deallocate);
}

}  // namespace
}  // namespace dray::app::repair_plan_test
