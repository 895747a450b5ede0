#include "planner/state/shape.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::shape_test {

using namespace worlds;
namespace {

/// A pod with all that decides where it fits, and its claim.
struct Asker {
  Pod pod;
  ResourceClaim claim;
};

Asker asker(const std::string& name) {
  Asker made{make_pod(name, "c-" + name), make_claim("c-" + name, 1, name)};
  auto& pod = made.pod;
  pod.node_selector["zone"] = "a";
  pod.required_node_affinity.emplace().terms.emplace_back().match_expressions.push_back(
      {.key = "rack", .op = "In", .values = {"r1"}});
  pod.tolerations.push_back(
      {.key = "k", .op = "Equal", .value = "v", .effect = "NoSchedule", .toleration_seconds = {}});
  pod.containers[0].claims = {"gpus"};
  pod.containers[0].host_ports = {{.protocol = "TCP", .ip = "", .port = 80}};
  pod.init_containers.push_back(pod.containers[0]);
  pod.pod_requests.emplace()["cpu"] = Quantity(2);
  pod.pod_limits.emplace()["cpu"] = Quantity(4);
  pod.node_allocatable_claims.push_back(
      {.claim = "c", .containers = {}, .mapping = {}, .overhead = {}});
  auto& spec = *made.claim.spec.requests[0].exactly;
  spec.selectors.push_back({.cel = "true"});
  spec.tolerations.push_back(
      {.key = "k", .op = "", .value = "", .effect = "", .toleration_seconds = {}});
  spec.capacity_requests["memory"] = Quantity(1);
  made.claim.spec.requests.push_back({.name = "any", .exactly = {}, .first_available = {spec}});
  made.claim.spec.constraints.push_back(
      {.requests = {"gpu"}, .kind = ConstraintKind::match_attribute, .attribute = "x/root"});
  return made;
}

bool same(const Asker& a, const Asker& b) {
  const PodClaims left{std::make_shared<const ResourceClaim>(a.claim)};
  const PodClaims right{std::make_shared<const ResourceClaim>(b.claim)};
  const ShapeSpec one(a.pod, left);
  const ShapeSpec other(b.pod, right);
  // What the hash left out, a tenant could vary to have each pod compared with all others.
  CHECK((one.hash() == other.hash()) == (one == other));
  return one == other;
}

TEST_CASE("pods that differ by their names only are of one shape") {
  auto other = asker("q");
  other.pod.priority = 7;
  other.pod.meta.labels["app"] = "q";
  other.pod.scheduling_gates.clear();
  other.pod.phase = "Unknown";
  CHECK(same(asker("p"), other));
}

TEST_CASE("each thing that decides where a pod fits makes another shape") {
  struct Row {
    std::string name;
    std::function<void(Pod&)> flip;
  };
  const auto row = GENERATE(values<Row>({
      {"node selector", [](Pod& p) { p.node_selector["zone"] = "b"; }},
      {"affinity",
       [](Pod& p) { p.required_node_affinity->terms[0].match_expressions[0].op = "NotIn"; }},
      {"no affinity", [](Pod& p) { p.required_node_affinity.reset(); }},
      {"toleration's key", [](Pod& p) { p.tolerations[0].key = "l"; }},
      {"toleration's operator", [](Pod& p) { p.tolerations[0].op = "Exists"; }},
      {"toleration's value", [](Pod& p) { p.tolerations[0].value = "w"; }},
      {"toleration's effect", [](Pod& p) { p.tolerations[0].effect = "NoExecute"; }},
      {"requests", [](Pod& p) { p.containers[0].requests["cpu"] = Quantity(3); }},
      {"requests of another resource",
       [](Pod& p) { p.containers[0].requests["x.io/y"] = Quantity(1); }},
      {"limits", [](Pod& p) { p.containers[0].limits["cpu"] = Quantity(3); }},
      {"container's name", [](Pod& p) { p.containers[0].name = "other"; }},
      {"container's claims", [](Pod& p) { p.containers[0].claims.clear(); }},
      {"host port", [](Pod& p) { p.containers[0].host_ports[0].port = 81; }},
      {"host port's protocol", [](Pod& p) { p.containers[0].host_ports[0].protocol = "UDP"; }},
      {"host port's address", [](Pod& p) { p.containers[0].host_ports[0].ip = "10.0.0.1"; }},
      {"another container", [](Pod& p) { p.containers.push_back(p.containers[0]); }},
      {"init container's requests",
       [](Pod& p) { p.init_containers[0].requests["cpu"] = Quantity(3); }},
      {"init container's claims", [](Pod& p) { p.init_containers[0].claims.clear(); }},
      {"sidecar", [](Pod& p) { p.init_containers[0].restart_always = true; }},
      {"overhead", [](Pod& p) { p.overhead["cpu"] = Quantity(1); }},
      {"the pod's own requests", [](Pod& p) { (*p.pod_requests)["cpu"] = Quantity(3); }},
      {"the pod's own limits", [](Pod& p) { (*p.pod_limits)["cpu"] = Quantity(3); }},
      {"no limits of its own", [](Pod& p) { p.pod_limits.reset(); }},
      {"host network", [](Pod& p) { p.host_network = true; }},
      {"what its devices take of the node",
       [](Pod& p) { p.node_allocatable_claims[0].mapping.push_back({"cpu", Quantity(1)}); }},
      {"an overhead of devices for each pod",
       [](Pod& p) {
         p.node_allocatable_claims[0].overhead.push_back(
             {"cpu", {.per_pod = Quantity(1), .per_container = {}}});
       }},
      {"requests beyond what doubles tell apart",
       [](Pod& p) {
         p.containers[0].requests["x.io/y"] = Quantity::parse("100000000000000000001").value();
       }},
      {"claim's entry", [](Pod& p) { p.resource_claims[0].name = "other"; }},
      {"no claim", [](Pod& p) { p.resource_claims.clear(); }},
  }));
  DYNAMIC_SECTION(row.name) {
    auto other = asker("p");
    row.flip(other.pod);
    CHECK_FALSE(same(asker("p"), other));
  }
}

TEST_CASE("each thing that decides which devices a claim gets makes another shape") {
  struct Row {
    std::string name;
    std::function<void(ResourceClaim&, DeviceRequestSpec&)> flip;
  };
  const auto row = GENERATE(values<Row>({
      {"namespace, for admin access", [](auto& c, auto&) { c.meta.namespace_name = "other"; }},
      {"request's name", [](auto& c, auto&) { c.spec.requests[0].name = "other"; }},
      {"class", [](auto&, auto& s) { s.device_class = ClassName("other"); }},
      {"count", [](auto&, auto& s) { s.count = 2; }},
      {"mode", [](auto&, auto& s) { s.allocation_mode = "All"; }},
      {"selector", [](auto&, auto& s) { s.selectors[0].cel = "false"; }},
      {"admin access", [](auto&, auto& s) { s.admin_access = true; }},
      {"toleration", [](auto&, auto& s) { s.tolerations[0].effect = "NoSchedule"; }},
      {"capacity", [](auto&, auto& s) { s.capacity_requests["memory"] = Quantity(2); }},
      {"whether capacity is set", [](auto&, auto& s) { s.has_capacity = true; }},
      {"derived attribute", [](auto&, auto& s) { s.derived_attributes.push_back({"n", "true"}); }},
      {"configuration",
       [](auto& c, auto&) {
         c.spec.config.push_back(
             {.requests = {}, .opaque = OpaqueConfig{DriverName("d"), R"({"x":1})"}});
       }},
      {"alternative", [](auto& c, auto&) { c.spec.requests[1].first_available[0].count = 3; }},
      {"constraint's attribute",
       [](auto& c, auto&) { c.spec.constraints[0].attribute = "x/numa"; }},
      {"constraint's requests", [](auto& c, auto&) { c.spec.constraints[0].requests.clear(); }},
      {"constraint's kind",
       [](auto& c, auto&) { c.spec.constraints[0].kind = ConstraintKind::distinct_attribute; }},
  }));
  DYNAMIC_SECTION(row.name) {
    auto other = asker("p");
    row.flip(other.claim, *other.claim.spec.requests[0].exactly);
    CHECK_FALSE(same(asker("p"), other));
  }
}

TEST_CASE("which claim an entry stands for decides, not its name") {
  auto pod = make_pod("p", "");
  pod.resource_claims = {{.name = "x", .claim_name = "one", .template_name = {}},
                         {.name = "y", .claim_name = "two", .template_name = {}}};
  const PodClaims claims{std::make_shared<const ResourceClaim>(make_claim("one", 1)),
                         std::make_shared<const ResourceClaim>(make_claim("two", 1))};
  auto twice = pod;
  twice.resource_claims[1].claim_name = "one";
  CHECK_FALSE(ShapeSpec(pod, claims) == ShapeSpec(twice, claims));
  auto templated = pod;
  templated.resource_claims[0] = {.name = "x", .claim_name = {}, .template_name = "t"};
  templated.resource_claim_statuses = {{.name = "x", .claim_name = "one"}};
  CHECK(ShapeSpec(pod, claims) == ShapeSpec(templated, claims));
}

TEST_CASE("a table gives equal pods one shape, and singular ones a shape each") {
  World world;
  const Edit<Pod> other_node = [](Pod& pod) { pod.node_selector["zone"] = "a"; };
  world.waiting("p0", 1, "a");
  world.waiting("p1", 1, "a");
  world.waiting("p2", 1, "a", other_node);
  world.waiting("p3", 2, "a");
  Parts parts(world);
  CHECK(parts.task("p0").shape == parts.task("p1").shape);
  CHECK(parts.task("p0").shape != parts.task("p2").shape);
  CHECK(parts.task("p0").shape != parts.task("p3").shape);
  CHECK(parts.memory.jobs().shapes() == 3);

  ShapeTable table;
  const auto pod = std::make_shared<const Pod>(make_pod("p", ""));
  const auto shape = [&](bool singular) {
    return Shape{.pod = pod,
                 .fit = cluster::NodeFit(*pod, *parts.input.snapshot),
                 .claims = {},
                 .class_resources = {},
                 .demand = {},
                 .partial = false,
                 .singular = singular};
  };
  CHECK(table.find(*pod, {}) == nullptr);
  const auto first = table.add(shape(true));
  CHECK(table.find(*pod, {}) == nullptr);
  const auto second = table.add(shape(true));
  CHECK(first->number != second->number);
  CHECK(first.use_count() == 1);
  const auto shared = table.add(shape(false));
  CHECK(shared->number != first->number);
  CHECK(table.find(*pod, {}) == shared);
  CHECK(table.size() == 1);
  const auto number = shared->number;
  table.clear();
  CHECK(table.find(*pod, {}) == nullptr);
  CHECK(table.add(shape(false))->number != number);
}

TEST_CASE(
    "with node allocatable resources, pods that differ by their own limits get other verdicts") {
  // The device takes four cores of the node: more than one of the pods allows itself.
  World world;
  world.options.features.node_allocatable_resources = true;
  world.node("n0", 0);
  auto slice = make_gpus("n0", 2);
  for (auto& device : slice.devices) {
    device.node_allocatable_resources["cpu"].mapping.emplace().device_multiplier = Quantity(4);
  }
  world.tell(slice);
  const auto limited = [](std::int64_t cpus) {
    return [cpus](Pod& pod) {
      pod.containers[0].claims = {"gpus"};
      pod.pod_requests.emplace()["cpu"] = Quantity(cpus);
    };
  };
  world.waiting("p0", 1, "a", limited(8));
  world.waiting("p1", 1, "a", limited(2));
  const auto made = world.plan();
  CHECK(placed(made) == std::map<std::string, std::string>{{"p0", "n0"}, {"p1", "-"}});
  // Whoever leaves.
  CHECK(outcome(made, "p1").reason == Reason::no_node_fits);
}

}  // namespace
}  // namespace dray::planner::shape_test
