#include "app/snapshot/redact.h"

#include <catch2/catch.hpp>

#include "app/common/object_list.h"
#include "tests/objects/claims.h"
#include "tests/objects/groups.h"
#include "tests/objects/pods.h"

namespace dray::app::redact_test {
namespace {

using namespace dray::testing;

Pod labelled(const std::string& name, Labels labels) {
  auto pod = make_pod(name);
  pod.meta.labels = std::move(labels);
  return pod;
}

template <class... Objects>
std::vector<KubeObject> redacted(Objects... given) {
  std::vector<KubeObject> objects{given...};
  redact(objects);
  return objects;
}

template <class T>
const T& as(const KubeObject& object) {
  return std::get<T>(object);
}

TEST_CASE("a name has one replacement wherever it stands") {
  auto claim = make_claim("payroll-gpus", 1, "payroll");
  claim.reserved_for = {consumer("payroll", Uid("uid-payroll"))};
  auto pod = with_claim(make_pod("payroll"), "payroll-gpus");
  pod.pod_group = "secret-run";
  const auto objects = redacted(pod, claim, make_group("secret-run", 2));
  CHECK(as<Pod>(objects[0]).meta.name == "pod-1");
  CHECK(as<Pod>(objects[0]).meta.namespace_name == "namespace-1");
  CHECK(as<Pod>(objects[0]).resource_claims.at(0).claim_name == "claim-1");
  CHECK(as<Pod>(objects[0]).pod_group == "group-1");
  CHECK(as<ResourceClaim>(objects[1]).meta.name == "claim-1");
  CHECK(as<ResourceClaim>(objects[1]).meta.owners.at(0).name == "pod-1");
  CHECK(as<ResourceClaim>(objects[1]).reserved_for.at(0).name == "pod-1");
  CHECK(as<PodGroup>(objects[2]).meta.name == "group-1");
  CHECK(as<Pod>(objects[0]).meta.uid == Uid("uid-payroll"));
}

TEST_CASE("replacements sort as the names do") {
  std::vector<KubeObject> objects;
  for (int i = 20; i-- > 0;) objects.emplace_back(make_pod("p" + std::string(1, char('a' + i))));
  redact(objects);
  CHECK(as<Pod>(objects.front()).meta.name == "pod-20");
  CHECK(as<Pod>(objects.back()).meta.name == "pod-01");
}

TEST_CASE("selectors of budgets select the same pods as before") {
  PodDisruptionBudget budget;
  budget.meta = default_meta("keep-payroll");
  budget.selector = LabelSelector{
      .match_labels = {{"app", "payroll"}},
      .match_expressions = {{"tier", "In", {"gold", "silver"}}, {"canary", "DoesNotExist", {}}}};
  const auto objects =
      redacted(budget, labelled("a", {{"app", "payroll"}, {"tier", "silver"}}),
               labelled("b", {{"app", "payroll"}, {"tier", "lead"}}),
               labelled("c", {{"app", "payroll"}, {"tier", "gold"}, {"canary", ""}}));
  const auto& selector = *as<PodDisruptionBudget>(objects[0]).selector;
  CHECK(selector.matches(as<Pod>(objects[1]).meta.labels));
  CHECK_FALSE(selector.matches(as<Pod>(objects[2]).meta.labels));
  CHECK_FALSE(selector.matches(as<Pod>(objects[3]).meta.labels));
}

TEST_CASE("marks that rules read stay, and what they name is renamed with it") {
  JobSet set;
  set.meta = default_meta("secret-run");
  set.jobs.emplace_back().name = "workers";
  auto pod = labelled("a", {{"dray.dev/queue", "research"},
                            {"jobset.sigs.k8s.io/jobset-name", "secret-run"},
                            {"jobset.sigs.k8s.io/replicatedjob-name", "workers"}});
  pod.meta.annotations = {{"pod-group-name", "secret-run"}, {"note", "for the payroll team"}};
  const auto objects = redacted(pod, set);
  CHECK(as<Pod>(objects[0]).meta.labels ==
        Labels{{"dray.dev/queue", "research"},
               {"jobset.sigs.k8s.io/jobset-name", "group-1"},
               {"jobset.sigs.k8s.io/replicatedjob-name", "workers"}});
  CHECK(as<Pod>(objects[0]).meta.annotations == Labels{{"pod-group-name", "group-1"}});
  CHECK(as<JobSet>(objects[1]).meta.name == "group-1");
}

TEST_CASE("the containers of moved requests are renamed as the containers are") {
  auto pod = labelled("a", {});
  pod.containers[0].name = "payroll";
  pod.meta.annotations = {
      {"dray.dev/moved-requests", "payroll nvidia.com/gpu=1 nvidia.com/gpumem=8; other x/y=1"}};
  const auto objects = redacted(pod);
  const auto& renamed = as<Pod>(objects[0]);
  CHECK(renamed.meta.annotations ==
        Labels{{"dray.dev/moved-requests", renamed.containers[0].name +
                                               " nvidia.com/gpu=1 nvidia.com/gpumem=8; "
                                               "container-1 x/y=1"}});
}

TEST_CASE("a redacted snapshot holds no word of its users") {
  auto pod =
      with_template(labelled("payroll-0", {{"payroll-label", "payroll-value"}}), "payroll-t");
  pod.meta.namespace_name = "payroll";
  pod.meta.owners = {{"batch/v1", "Job", "payroll", Uid("u"), true}};
  pod.meta.annotations = {{"payroll", "payroll"}};
  pod.service_account = "payroll";
  pod.containers[0].name = "payroll";
  pod.conditions = {{"PodScheduled", "False", "Unschedulable", "payroll has no room", {}}};
  auto made_from = make_template("payroll-t", {request("r", exactly(1))});
  made_from.meta.labels = {{"payroll", ""}};
  made_from.claim_labels = {{"payroll", ""}};
  made_from.claim_annotations = {{"payroll", ""}};
  made_from.spec.config = {
      {{}, OpaqueConfig{DriverName("gpu.example.com"), R"({"key":"payroll"})"}}};
  Namespace space;
  space.meta = cluster_meta("payroll");
  space.meta.uid = Uid("n");
  space.meta.labels = {{"kubernetes.io/metadata.name", "payroll"}};
  made_from.meta.uid = Uid("t");
  pod.meta.uid = Uid("p");
  const auto text = object_list(redacted(pod, made_from, space));
  CHECK_FALSE(text.contains("payroll"));
}

TEST_CASE("kube-scheduler's verdict keeps its meaning") {
  auto ours = make_pod("a");
  ours.conditions = {{"PodScheduled", "False", "Unschedulable", "0/3 nodes: 3 dray: no room.", {}}};
  auto theirs = make_pod("b");
  theirs.conditions = {{"PodScheduled", "False", "Unschedulable", "0/3 nodes: 3 cordoned.", {}}};
  const auto objects = redacted(ours, theirs);
  CHECK(as<Pod>(objects[0]).conditions[0].message == "dray: redacted");
  CHECK(as<Pod>(objects[1]).conditions[0].message.empty());
}

}  // namespace
}  // namespace dray::app::redact_test
