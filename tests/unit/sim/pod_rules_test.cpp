#include "sim/pod_rules.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/objects/pods.h"

namespace dray::sim::pod_rules_test {

using namespace dray::testing;

namespace {

/// A stored pod with a bit of everything that a change may touch.
Pod stored_pod(bool gated) {
  auto pod = make_pod("p0");
  pod.node_selector["arch"] = "amd64";
  pod.tolerations.push_back({"a", "Exists", "", "", std::nullopt});
  pod.resource_claims = {{.name = "gpu", .claim_name = {}, .template_name = "t"},
                         {.name = "nic", .claim_name = {}, .template_name = "t"}};
  if (gated) {
    pod.scheduling_gates = {"dray.dev/admission", "other"};
    pod.required_node_affinity = NodeSelector{{{{{"zone", "In", {"a"}}}, {}}}};
  }
  return pod;
}

NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions) {
  return {std::move(expressions), {}};
}

struct Change {
  const char* name;
  bool gated;
  void (*change)(Pod&);
  std::string refusal;  ///< how it begins; empty: allowed
};

std::vector<Change> spec_changes() {
  return {
      {"nothing", false, [](Pod&) {}, ""},
      {"a gate may go", true, [](Pod& p) { p.scheduling_gates.pop_back(); }, ""},
      {"all gates may go", true, [](Pod& p) { p.scheduling_gates.clear(); }, ""},
      {"a gate may not come", false, [](Pod& p) { p.scheduling_gates = {"new"}; },
       "spec.schedulingGates: only deletion is allowed"},
      {"a toleration may come", false,
       [](Pod& p) { p.tolerations.push_back({"b", "Exists", "", "", std::nullopt}); }, ""},
      {"a toleration may get other seconds", false,
       [](Pod& p) { p.tolerations[0].toleration_seconds = 5; }, ""},
      {"a toleration may not go", false, [](Pod& p) { p.tolerations.clear(); },
       "spec.tolerations: existing"},
      {"a toleration may not change", false, [](Pod& p) { p.tolerations[0].effect = "NoExecute"; },
       "spec.tolerations: existing"},
      {"an ungated pod's node selector is fixed", false,
       [](Pod& p) { p.node_selector["zone"] = "a"; }, "spec: pod updates may not change"},
      {"the node comes by binding only", false, [](Pod& p) { p.node_name = NodeName("n0"); },
       "spec: pod updates may not change"},
      {"containers are fixed", true, [](Pod& p) { p.containers[0].requests["cpu"] = Quantity(2); },
       "spec: pod updates may not change"},
      {"labels are free", false, [](Pod& p) { p.meta.labels["x"] = "y"; }, ""},
  };
}

std::vector<Change> placement_changes() {
  return {
      {"a gated pod's node selector may grow", true, [](Pod& p) { p.node_selector["zone"] = "a"; },
       ""},
      {"a gated pod's node selector may not shrink", true, [](Pod& p) { p.node_selector.clear(); },
       "spec.nodeSelector: only additions"},
      {"nor change", true, [](Pod& p) { p.node_selector["arch"] = "arm64"; },
       "spec.nodeSelector: only additions"},
      {"its affinity may get a requirement", true,
       [](Pod& p) {
         p.required_node_affinity->terms[0].match_expressions.push_back({"rack", "Exists", {}});
       },
       ""},
      {"its affinity may get a field", true,
       [](Pod& p) {
         p.required_node_affinity->terms[0].match_fields.push_back({"metadata.name", "In", {"n"}});
       },
       ""},
      {"its affinity may not lose a requirement", true,
       [](Pod& p) { p.required_node_affinity->terms[0] = term({}); },
       "spec.affinity.nodeAffinity: only additions"},
      {"nor change one", true,
       [](Pod& p) { p.required_node_affinity->terms[0] = term({{"zone", "In", {"b"}}}); },
       "spec.affinity.nodeAffinity: only additions"},
      {"nor get another term, which would widen it", true,
       [](Pod& p) { p.required_node_affinity->terms.push_back(term({{"x", "Exists", {}}})); },
       "spec.affinity.nodeAffinity: no additions/deletions"},
      {"nor lose all", true, [](Pod& p) { p.required_node_affinity.reset(); },
       "spec.affinity.nodeAffinity: no additions/deletions"},
      {"an ungated pod gets no affinity", false,
       [](Pod& p) { p.required_node_affinity = NodeSelector{{term({{"zone", "In", {"a"}}})}}; },
       "spec: pod updates may not change"},
  };
}

void check(const Change& row) {
  const auto old = stored_pod(row.gated);
  auto next = old;
  row.change(next);
  const auto valid = prepare_pod_update(next, old, Endpoint::main);
  CHECK(valid.has_value() == row.refusal.empty());
  if (valid) return;
  CHECK(valid.error().code == ErrorCode::invalid);
  CHECK(valid.error().message.starts_with(row.refusal));
}

}  // namespace

TEST_CASE("a pod's spec may change in few ways") {
  const auto row = GENERATE(from_range(spec_changes()));
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("where a gated pod may go may only become narrower") {
  const auto row = GENERATE(from_range(placement_changes()));
  DYNAMIC_SECTION(row.name) {
    check(row);
  }
}

TEST_CASE("a gated pod without an affinity may get one") {
  auto old = stored_pod(true);
  old.required_node_affinity.reset();
  auto next = old;
  next.required_node_affinity = NodeSelector{{term({{"zone", "In", {"a"}}})}};
  CHECK(prepare_pod_update(next, old, Endpoint::main));
}

TEST_CASE("an empty term of an affinity, which matches nothing, stays as it is") {
  auto old = stored_pod(true);
  old.required_node_affinity = NodeSelector{{term({})}};
  auto next = old;
  CHECK(prepare_pod_update(next, old, Endpoint::main));
  next.required_node_affinity->terms[0] = term({{"zone", "In", {"a"}}});
  CHECK_FALSE(prepare_pod_update(next, old, Endpoint::main));
}

TEST_CASE("the status endpoint leaves the spec alone, and the main one the status") {
  const auto old = stored_pod(false);
  auto next = old;
  next.tolerations.clear();
  next.phase = "Running";
  next.meta.owners.push_back({"v1", "Node", "n0", Uid("u"), true});
  REQUIRE(prepare_pod_update(next, old, Endpoint::status));
  CHECK(next.tolerations == old.tolerations);
  CHECK(next.phase == "Running");
  CHECK(next.meta.owners.empty());
  next = old;
  next.phase = "Running";
  next.nominated_node = NodeName("n0");
  REQUIRE(prepare_pod_update(next, old, Endpoint::main));
  CHECK(next.phase == old.phase);
  CHECK_FALSE(next.nominated_node);
}

TEST_CASE("a pod's status names its claims, each once") {
  const auto old = stored_pod(false);
  struct Row {
    std::string name;
    std::vector<PodResourceClaimStatus> statuses;
    bool allowed;
  };
  const auto row = GENERATE(values<Row>({
      {"one", {{"gpu", "p0-gpu-x"}}, true},
      {"both", {{"gpu", "p0-gpu-x"}, {"nic", "p0-nic-x"}}, true},
      {"one twice", {{"gpu", "a"}, {"gpu", "b"}}, false},
      {"one that the spec does not have", {{"tpu", "a"}}, false},
  }));
  DYNAMIC_SECTION(row.name) {
    auto next = old;
    next.resource_claim_statuses = row.statuses;
    CHECK(prepare_pod_update(next, old, Endpoint::status).has_value() == row.allowed);
  }
}

TEST_CASE("what a pod's claims are called is not forgotten by who does not know it") {
  auto old = stored_pod(false);
  old.resource_claim_statuses = {{"gpu", "p0-gpu-x"}};
  old.extended_resource_claim = "p0-extended";
  auto next = old;
  next.resource_claim_statuses.clear();
  next.extended_resource_claim.reset();
  REQUIRE(prepare_pod_update(next, old, Endpoint::status));
  CHECK(next.resource_claim_statuses == old.resource_claim_statuses);
  CHECK(next.extended_resource_claim == old.extended_resource_claim);
}

TEST_CASE("a bound pod gets no other nominated node, but may lose its own") {
  auto old = stored_pod(false);
  old.node_name = NodeName("n0");
  auto next = old;
  next.nominated_node = NodeName("n1");
  CHECK_FALSE(prepare_pod_update(next, old, Endpoint::status));
  old.nominated_node = NodeName("n1");
  next = old;
  CHECK(prepare_pod_update(next, old, Endpoint::status));
  next.nominated_node.reset();
  CHECK(prepare_pod_update(next, old, Endpoint::status));
}

TEST_CASE("a new pod gets its defaults, and a gate where its scheduler's pods are gated") {
  ApiServerOptions options;
  options.gate_pods = true;
  auto pod = of_scheduler(options.scheduler_name, make_pod("p0"));
  pod.phase = "Running";
  REQUIRE(prepare_pod_create(pod, options, at(0)));
  CHECK(pod.phase == "Pending");
  CHECK(pod.preemption_policy == "PreemptLowerPriority");
  CHECK(pod.scheduling_gates == std::vector{options.gate});
  REQUIRE(pod.conditions.size() == 1);
  CHECK(pod.conditions[0].reason == "SchedulingGated");

  SECTION("once") {
    auto again = of_scheduler(options.scheduler_name, make_pod("p1"));
    again.scheduling_gates = {options.gate};
    REQUIRE(prepare_pod_create(again, options, at(0)));
    CHECK(again.scheduling_gates.size() == 1);
  }
  SECTION("not another scheduler's") {
    auto other = of_scheduler("", make_pod("p1"));
    REQUIRE(prepare_pod_create(other, options, at(0)));
    CHECK(other.scheduler_name == "default-scheduler");
    CHECK(other.scheduling_gates.empty());
    CHECK(other.conditions.empty());
  }
  SECTION("not one that has a node") {
    auto bound = of_scheduler(options.scheduler_name, make_pod("p1"));
    bound.node_name = NodeName("n0");
    REQUIRE(prepare_pod_create(bound, options, at(0)));
    CHECK(bound.scheduling_gates.empty());
  }
  SECTION("not where they are not gated") {
    options.gate_pods = false;
    auto free = of_scheduler(options.scheduler_name, make_pod("p1"));
    REQUIRE(prepare_pod_create(free, options, at(0)));
    CHECK(free.scheduling_gates.empty());
  }
}

TEST_CASE("a new pod has no gate twice, and no gate beside a node") {
  auto twice = make_pod("p0");
  twice.scheduling_gates = {"a", "a"};
  CHECK_FALSE(prepare_pod_create(twice, {}, at(0)));
  auto bound = make_pod("p0");
  bound.scheduling_gates = {"a"};
  bound.node_name = NodeName("n0");
  CHECK_FALSE(prepare_pod_create(bound, {}, at(0)));
}

}  // namespace dray::sim::pod_rules_test
