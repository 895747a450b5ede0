#include "app/handback/handback_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "dray/engine/share_wish.h"
#include "dray/model/pod_marks.h"
#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

namespace dray::app::handback_plan_test {
namespace {

using namespace dray::testing;
using Lines = std::vector<std::string>;

const Installation blue{.namespace_name = "dray-blue", .partition = "blue"};

OwnContext of_blue() {
  OwnContext context;
  context.scheduler_name = "dray-scheduler-blue";
  context.partition = true;
  return context;
}

/// A policy of the cluster, and which of them refuse blue's account.
struct Row {
  std::string name;
  std::string policy;
  std::string expression;
  Lines want;
};

Lines lines(const std::vector<HandbackStep>& steps) {
  Lines all;
  for (const auto& step : steps) all.push_back(step.doing + " " + step.object);
  return all;
}

Pod share_pod() {
  auto pod = make_pod("s", "", true);
  pod.meta.annotations[engine::fraction_annotation] = "0.5";
  engine::add_share_entry(pod);
  return pod;
}

}  // namespace

TEST_CASE("bindings go before policies, all that manifests/ has") {
  const auto manifests = installed_objects();
  const auto steps = policy_steps(manifests);
  CHECK(std::ranges::count_if(manifests, &Installed::is_admission) ==
        static_cast<std::ptrdiff_t>(steps.size()));
  const auto is_binding = [](const HandbackStep& step) { return step.object.contains("Binding "); };
  CHECK(std::ranges::is_partitioned(steps, is_binding));
  CHECK(is_binding(steps.front()));
  const auto epoch =
      std::ranges::find(steps, "ValidatingAdmissionPolicy dray-epoch", &HandbackStep::object);
  REQUIRE(epoch != steps.end());
  CHECK(epoch->method == "DELETE");
  CHECK(epoch->path ==
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/dray-epoch");
}

TEST_CASE("a gate goes with dray's annotations; other gates and annotations stay") {
  auto pod = make_pod("p", "", true);
  pod.scheduling_gates.emplace_back("example.com/other");
  pod.meta.annotations = {
      {reservation_annotation, "n0"}, {"dray.dev/queue", "q"}, {"example.com/x", "y"}};
  const auto steps = object_steps({pod}, {});
  REQUIRE(lines(steps) == Lines{"lift Pod default/p"});
  CHECK(steps[0].path == "/api/v1/namespaces/default/pods/p");
  CHECK(steps[0].content_type == "application/strategic-merge-patch+json");
  CHECK(steps[0].body ==
        R"({"metadata":{"uid":")" + pod.meta.uid.get() +
            R"(","annotations":{"dray.dev/reservation":null}},)"
            R"("spec":{"schedulingGates":[{"$patch":"delete","name":"dray.dev/admission"}]}})");
}

TEST_CASE("the condition DrayAdmitted goes, whatever else the pod has") {
  auto pod = make_pod("p", "", false);
  pod.node_name = NodeName("n0");
  Condition admitted;
  admitted.type = admitted_condition;
  pod.conditions = {admitted};
  const auto steps = object_steps({pod}, {});
  REQUIRE(lines(steps) == Lines{"unmark Pod default/p"});
  CHECK(steps[0].path == "/api/v1/namespaces/default/pods/p/status");
  CHECK(steps[0].body ==
        R"({"metadata":{"uid":")" + pod.meta.uid.get() +
            R"("},"status":{"conditions":[{"$patch":"delete","type":"DrayAdmitted"}]}})");
}

TEST_CASE("annotations on claims go, allocations stay") {
  auto claim = make_claim("c", 1);
  claim.meta.annotations = {{"dray.dev/undone", "1"}};
  claim.allocation = allocation({device_id("n0", "gpu-0")});
  const auto steps = object_steps({claim}, {});
  REQUIRE(lines(steps) == Lines{"unmark ResourceClaim default/c"});
  CHECK(steps[0].body == R"({"metadata":{"uid":")" + claim.meta.uid.get() +
                             R"(","annotations":{"dray.dev/undone":null}}})");
}

TEST_CASE("what has nothing of dray's is left alone") {
  auto finished = make_pod("f", "", true);
  finished.phase = "Failed";
  auto queued = make_pod("q", "", false);
  queued.meta.annotations = {{"dray.dev/queue", "q"}};
  CHECK(object_steps({make_pod("p", "", false), finished, queued, make_claim("c", 1)}, {}).empty());
}

TEST_CASE("a pod whose claim dray alone makes keeps its gate and is named") {
  CHECK(object_steps({share_pod()}, {}).empty());
  CHECK(left_behind({share_pod(), make_pod("p", "", true)}, {}) == Lines{"Pod default/s"});
}

TEST_CASE("who leads") {
  const auto now = Time(std::chrono::hours(500'000));
  Lease lease;
  lease.meta.namespace_name = "dray-system";
  lease.meta.name = "dray";
  lease.holder = "d0";
  lease.duration_seconds = 15;
  lease.renewed = now - std::chrono::seconds(10);
  CHECK(live_leader({lease}, {}, now) == "d0");
  CHECK(!live_leader({lease}, blue, now));
  CHECK(!live_leader({lease}, {}, now + std::chrono::seconds(10)));
  auto given_back = lease;
  given_back.holder.clear();
  CHECK(!live_leader({given_back}, {}, now));
  lease.meta.name = "dray-scheduler";
  CHECK(!live_leader({lease}, {}, now));
  CHECK(!live_leader({}, {}, now));
}

TEST_CASE("of a partition its own policies go, and no other's") {
  for (const auto& step : policy_steps(installed_objects(blue))) {
    INFO(step.path);
    CHECK(step.path.ends_with("-blue"));
  }
}

TEST_CASE("where there are several drays, one's pods are handed back and another's are not") {
  const std::vector<KubeObject> objects{
      make_pod("red", "", true), of_scheduler("dray-scheduler-blue", make_pod("blue", "", true)),
      of_scheduler("default-scheduler", make_pod("nobodys", "", true))};
  CHECK(lines(object_steps(objects, of_blue())) == Lines{"lift Pod default/blue"});
  OwnContext first;
  first.other_schedulers = {"dray-scheduler-blue"};
  CHECK(lines(object_steps(objects, first)) ==
        Lines{"lift Pod default/red", "lift Pod default/nobodys"});
}

TEST_CASE("a pod that keeps its gate is named by the dray that it waits for") {
  CHECK(left_behind({share_pod()}, of_blue()).empty());
  CHECK(left_behind({of_scheduler("dray-scheduler-blue", share_pod())}, of_blue()) ==
        Lines{"Pod default/s"});
}

TEST_CASE("a mark stays on a claim that another dray's pod uses") {
  auto claim = make_claim("c", 1);
  claim.meta.annotations = {{"dray.dev/undone", "1"}};
  const auto user = make_pod("p", "c", false);
  CHECK(object_steps({claim, user}, of_blue()).empty());
  CHECK(lines(object_steps({claim, of_scheduler("dray-scheduler-blue", user)}, of_blue())) ==
        Lines{"unmark ResourceClaim default/c"});
}

TEST_CASE("another dray's policies that do not know this one's account") {
  const auto row = GENERATE(
      Row{"one that names it", "dray-pod-marks", R"(x in [\"ACCOUNT\", \"other\"])", {}},
      Row{"one that does not", "dray-pod-marks", R"(x in [\"other\"])", {"dray-pod-marks"}},
      Row{"of claims", "dray-claim-marks-red", R"(x in [\"other\"])", {"dray-claim-marks-red"}},
      Row{"its own, which goes", "dray-pod-marks-blue", R"(x in [\"other\"])", {}},
      Row{"one that is about something else", "dray-epoch", R"(x == \"other\")", {}});
  DYNAMIC_SECTION(row.name) {
    auto expression = row.expression;
    if (const auto at = expression.find("ACCOUNT"); at != std::string::npos) {
      expression.replace(at, std::string("ACCOUNT").size(), blue.account());
    }
    const auto list =
        read_tree(R"({"items":[{"metadata":{"name":")" + row.policy +
                  R"("},"spec":{"matchConditions":[{"expression":")" + expression + R"("}]}}]})");
    REQUIRE(list);
    CHECK(policies_that_refuse(*list, installed_objects(blue), blue.account()) == row.want);
  }
}

}  // namespace dray::app::handback_plan_test
