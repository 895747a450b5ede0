#include "app/doctor/stranded.h"

#include <catch2/catch.hpp>

#include "dray/engine/share_wish.h"
#include "dray/model/pod_marks.h"
#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

namespace dray::app::stranded_test {
namespace {

using namespace dray::testing;
using Names = std::vector<std::string>;

Names names(const std::vector<KubeObject>& objects, const OwnContext& context = {}) {
  Names all;
  for (const auto& each : stranded_objects(objects, context)) {
    all.push_back(std::string(stranded_name(each.kind)) + " " + each.object);
  }
  return all;
}

Pod bound(Pod pod) {
  pod.node_name = NodeName("n0");
  return pod;
}

Pod reserved(Pod pod) {
  pod.meta.annotations[reservation_annotation] = "n0";
  return pod;
}

Pod share(bool made) {
  auto pod = make_pod("s", "", true);
  pod.meta.annotations[engine::fraction_annotation] = "0.5";
  engine::add_share_entry(pod);
  if (made) pod.resource_claim_statuses = {{.name = engine::share_entry, .claim_name = "s-claim"}};
  return pod;
}

}  // namespace

TEST_CASE("pods that wait for dray would be left behind") {
  CHECK(names({make_pod("p", "", true)}) == Names{"gated-pod Pod default/p"});
  CHECK(names({make_pod("p", "", false)}) == Names{"waiting-pod Pod default/p"});
  CHECK(names({reserved(make_pod("p", "", false))}) ==
        Names{"waiting-pod Pod default/p", "reserved-pod Pod default/p"});
}

TEST_CASE("a pod whose claim dray alone makes") {
  CHECK(names({share(false)}) == Names{"gated-pod Pod default/s", "share-pod Pod default/s"});
  CHECK(names({share(true)}) == Names{"gated-pod Pod default/s"});
  CHECK(waits_for_share(share(false)));
  CHECK(!waits_for_share(share(true)));
}

TEST_CASE("pods that run, are finished, or another scheduler's, would not") {
  auto finished = make_pod("p", "", false);
  finished.phase = "Succeeded";
  CHECK(names({reserved(bound(make_pod("r", "", false))), finished,
               of_scheduler("default-scheduler", make_pod("q", "", false))})
            .empty());
}

TEST_CASE("claims with dray's marks, or devices for a pod without a node") {
  auto marked = make_claim("m", 1);
  marked.meta.annotations = {{"dray.dev/undone", "1"}, {"example.com/x", "y"}};
  CHECK(names({marked}) == Names{"marked-claim ResourceClaim default/m"});
  auto pod = make_pod("p", "c", false);
  auto claim = make_claim("c", 1);
  claim.allocation = allocation({device_id("n0", "gpu-0")});
  claim.reserved_for = {consumer("p", pod.meta.uid)};
  CHECK(names({claim, pod}) ==
        Names{"waiting-pod Pod default/p", "half-bound-claim ResourceClaim default/c"});
  CHECK(names({claim, bound(pod)}).empty());
}

TEST_CASE("of several drays one's pods and claims would be left behind, not another's") {
  auto claim = make_claim("c", 1);
  claim.meta.annotations = {{"dray.dev/undone", "1"}};
  const std::vector<KubeObject> objects{
      make_pod("red", "c", true), claim,
      of_scheduler("dray-scheduler-blue", make_pod("blue", "", true))};
  OwnContext blue;
  blue.scheduler_name = "dray-scheduler-blue";
  blue.partition = true;
  CHECK(names(objects, blue) == Names{"gated-pod Pod default/blue"});
  OwnContext first;
  first.other_schedulers = {"dray-scheduler-blue"};
  CHECK(names(objects, first) ==
        Names{"gated-pod Pod default/red", "marked-claim ResourceClaim default/c"});
}

TEST_CASE("a queue that the pod's owner named is no mark of dray's") {
  CHECK(is_drays_mark("dray.dev/reservation"));
  CHECK(!is_drays_mark("dray.dev/queue"));
  CHECK(!is_drays_mark("demo.dray.dev/expect"));
}

TEST_CASE("policies that act on") {
  std::vector<Installed> there;
  for (auto& object : installed_objects()) {
    if (object.name == "dray-gate") there.push_back(std::move(object));
  }
  const auto found = stranded_policies(there);
  REQUIRE(found.size() == 2);
  CHECK(found[0].object == "MutatingAdmissionPolicy dray-gate");
  CHECK(found[1].what == "makes its policy act");
}

}  // namespace dray::app::stranded_test
