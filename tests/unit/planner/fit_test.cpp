#include "planner/place/fit.h"

#include <catch2/catch.hpp>
#include <functional>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::fit_test {

using namespace worlds;
namespace {

Reason verdict(Parts& parts, const std::string& job, const std::string& node,
               Room room = Room::idle) {
  return parts.placer.fit().verdict(parts.task(job), parts.node(node)).in(room);
}

struct Refusal {
  std::string name;
  Edit<Node> node;
  Edit<Pod> pod;
  Reason reason;
};

/// A node, a pod, and what the node says to it.
std::vector<Refusal> nodes_and_pods() {
  return {
      {"it fits", {}, {}, Reason::none},
      {"cordoned", [](Node& n) { n.unschedulable = true; }, {}, Reason::node_unschedulable},
      {"taint",
       [](Node& n) { n.taints.push_back({.key = "k", .value = "v", .effect = "NoSchedule"}); },
       {},
       Reason::node_taint},
      {"taint that evicts",
       [](Node& n) { n.taints.push_back({.key = "k", .value = "v", .effect = "NoExecute"}); },
       {},
       Reason::node_taint},
      {"a taint that only prefers",
       [](Node& n) {
         n.taints.push_back({.key = "k", .value = "v", .effect = "PreferNoSchedule"});
       },
       {},
       Reason::none},
      {"tolerated taint",
       [](Node& n) { n.taints.push_back({.key = "k", .value = "v", .effect = "NoSchedule"}); },
       [](Pod& p) {
         p.tolerations.push_back(
             {.key = "k", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}});
       },
       Reason::none},
      {"node selector", {}, [](Pod& p) { p.node_selector["zone"] = "a"; }, Reason::node_selector},
      {"node selector that holds", [](Node& n) { n.meta.labels["zone"] = "a"; },
       [](Pod& p) { p.node_selector["zone"] = "a"; }, Reason::none},
      {"node affinity", [](Node& n) { n.meta.labels["zone"] = "b"; },
       [](Pod& p) {
         p.required_node_affinity.emplace().terms.emplace_back().match_expressions.push_back(
             {.key = "zone", .op = "In", .values = {"a"}});
       },
       Reason::node_selector},
      {"too little CPU",
       {},
       [](Pod& p) { p.containers[0].requests["cpu"] = Quantity(65); },
       Reason::node_resources},
      {"no more pods",
       [](Node& n) { n.allocatable["pods"] = Quantity(1); },
       {},
       Reason::node_resources},
      {"host port in use",
       {},
       [](Pod& p) { p.containers[0].host_ports = {{.protocol = "TCP", .ip = {}, .port = 80}}; },
       Reason::node_ports},
      {"another host port",
       {},
       [](Pod& p) { p.containers[0].host_ports = {{.protocol = "TCP", .ip = {}, .port = 81}}; },
       Reason::none},
  };
}

TEST_CASE("a node refuses for what kube-scheduler would refuse it") {
  const auto row = GENERATE(from_range(nodes_and_pods()));
  DYNAMIC_SECTION(row.name) {
    World world;
    world.node("n0", 2, row.node);
    world.running("other", "n0", 0, 0, "a", [](Pod& p) {
      p.containers[0].host_ports = {{.protocol = "TCP", .ip = {}, .port = 80}};
    });
    world.waiting("p", 1, "a", row.pod);
    Parts parts(world);
    CHECK(verdict(parts, "p", "n0") == row.reason);
  }
}

TEST_CASE("devices in use are not there, unless somebody is releasing them") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  world.waiting("one", 1, "a");
  world.waiting("two", 2, "a");
  world.waiting("three", 3, "a");
  Parts parts(world);
  CHECK(verdict(parts, "one", "n0") == Reason::none);
  CHECK(verdict(parts, "two", "n0") == Reason::devices_in_use);
  CHECK(verdict(parts, "three", "n0") == Reason::no_devices);
  parts.overlay.evict(parts.job("r"), parts.task("r"));
  CHECK(verdict(parts, "two", "n0") == Reason::devices_in_use);
  CHECK(verdict(parts, "two", "n0", Room::releasing) == Reason::none);
  CHECK(verdict(parts, "three", "n0", Room::releasing) == Reason::no_devices);
}

TEST_CASE(
    "verdicts are by shape and node, and with too many of them the oldest shape's are forgotten") {
  World world;
  world.node("n0", 1);
  world.waiting("p0", 1, "a");
  world.waiting("p1", 1, "a", [](Pod& pod) { pod.node_selector["zone"] = "a"; });
  Parts parts(world);
  const auto& one = *parts.task("p0").shape;
  const auto& other = *parts.task("p1").shape;
  const auto near = cluster::NodeIndex(0);
  const auto far = cluster::NodeIndex(100'000);
  NodeVerdicts verdicts(200);
  CHECK(verdicts.find(one, near) == nullptr);
  verdicts.at(one, near).stamp = 1;
  REQUIRE(verdicts.find(one, near) != nullptr);
  CHECK(verdicts.find(one, near)->stamp == 1);
  CHECK(verdicts.find(one, far) == nullptr);
  CHECK(verdicts.find(other, near) == nullptr);
  verdicts.at(other, near).stamp = 2;
  verdicts.at(one, far).stamp = 3;
  CHECK(verdicts.find(other, near)->stamp == 2);
  CHECK(verdicts.find(one, near)->stamp == 1);
  CHECK(verdicts.find(one, far)->stamp == 3);
  CHECK(verdicts.held() < 200);
  // A block of nodes more, and the next finds it full.
  verdicts.at(other, far).stamp = 4;
  CHECK(verdicts.held() >= 200);
  CHECK(verdicts.at(other, near).stamp == 2);
  CHECK(verdicts.held() < 200);
  CHECK(verdicts.find(one, near) == nullptr);
  CHECK(verdicts.find(other, far)->stamp == 4);
  // What was the oldest comes again, and is the newest.
  verdicts.at(one, near).stamp = 5;
  verdicts.at(one, far).stamp = 6;
  CHECK(verdicts.at(one, near).stamp == 5);
  CHECK(verdicts.find(other, near) == nullptr);
  CHECK(verdicts.held() < 200);
  verdicts.clear();
  CHECK(verdicts.held() == 0);
  CHECK(verdicts.find(other, near) == nullptr);
}

TEST_CASE("a verdict is kept while the node is as it was, for all of the shape") {
  World world;
  world.node("n0", 2);
  world.waiting("p", 1, "a");
  world.waiting("q", 1, "a");
  world.running("r", "n0", 0, 1, "a");
  Parts parts(world);
  auto& fit = parts.placer.fit();
  const auto node = parts.node("n0");
  CHECK(fit.known(parts.task("p"), node) == nullptr);
  CHECK(verdict(parts, "p", "n0") == Reason::none);
  CHECK(verdict(parts, "q", "n0") == Reason::none);
  CHECK(fit.tried() == 1);
  CHECK(fit.known(parts.task("q"), node) != nullptr);
  parts.overlay.evict(parts.job("r"), parts.task("r"));
  CHECK(fit.known(parts.task("q"), node) == nullptr);
  parts.overlay.undo(0);
  CHECK(fit.known(parts.task("q"), node) != nullptr);
}

TEST_CASE("a node is refused for one pod only") {
  World world;
  world.node("n0", 2);
  world.node("n1", 2);
  world.waiting("p", 1, "a");
  world.waiting("q", 1, "a");
  world.input.refused = {{Uid("uid-p"), NodeName("n1")}};
  Parts parts(world);
  const auto& fit = parts.placer.fit();
  CHECK(fit.refused(parts.task("p"), parts.node("n1")));
  CHECK_FALSE(fit.refused(parts.task("p"), parts.node("n0")));
  CHECK_FALSE(fit.refused(parts.task("q"), parts.node("n1")));
}

TEST_CASE("everywhere is all nodes, or those that are asked for, by name and each once") {
  World world;
  for (const auto* name : {"b", "a", "c"}) world.node(name, 1);
  const auto names = [](Parts& parts) {
    std::string all;
    for (const auto node : parts.placer.fit().everywhere().nodes) all += parts.name(node);
    return all;
  };
  Parts all(world);
  CHECK(names(all) == "abc");
  const std::vector<NodeName> only{NodeName("c"), NodeName("a"), NodeName("c"), NodeName("gone")};
  world.input.only = only;
  Parts some(world);
  CHECK(names(some) == "ac");
}

TEST_CASE("looks are within the budget") {
  World world;
  world.node("n0", 1);
  world.waiting("p", 1, "a");
  world.input.budget.nodes_tried = 1;
  Parts parts(world);
  auto& fit = parts.placer.fit();
  CHECK(fit.may_try());
  CHECK_FALSE(fit.exhausted());
  CHECK(verdict(parts, "p", "n0") == Reason::none);
  CHECK_FALSE(fit.may_try());
  CHECK(fit.exhausted());
}

TEST_CASE("who shares a claim waits for its devices as whoever asked for them first") {
  World world;
  world.node("n0", 1);
  world.running("r", "n0", 0, 1, "a");
  world.tell(make_claim("shared", 1));
  for (const auto* name : {"p", "q"}) {
    world.waiting(name, 0, "a", [](Pod& pod) {
      pod.resource_claims = {{.name = "s", .claim_name = "shared", .template_name = {}}};
    });
  }
  Parts parts(world);
  parts.overlay.evict(parts.job("r"), parts.task("r"));
  const auto chunk = parts.job("p").next_chunk();
  REQUIRE(
      parts.placer.place(parts.job("p"), chunk, parts.placer.fit().everywhere(), Room::releasing));
  CHECK(verdict(parts, "q", "n0") == Reason::room_freed);
  CHECK(verdict(parts, "q", "n0", Room::releasing) == Reason::none);
}

TEST_CASE("devices that are being released keep their claim from other nodes until they are free") {
  World world;
  world.node("n0", 1);
  world.node("n1", 1);
  auto claim = allocated_claim("shared", "n0");
  claim.allocation->node_selector.emplace().terms.emplace_back().match_fields.push_back(
      {.key = "metadata.name", .op = "In", .values = {"n0"}});
  world.tell(claim);
  world.waiting("p", 0, "a", [](Pod& pod) {
    pod.resource_claims = {{.name = "s", .claim_name = "shared", .template_name = {}}};
  });
  Parts parts(world);
  CHECK(verdict(parts, "p", "n1") == Reason::claim_elsewhere);
  parts.overlay.release_claim(claim.key(), parts.node("n0"), {});
  CHECK(verdict(parts, "p", "n1", Room::releasing) == Reason::none);
  CHECK(verdict(parts, "p", "n1") == Reason::claim_elsewhere);
}

TEST_CASE("an expression that fails is told") {
  World world;
  world.node("n0", 1);
  world.waiting("p", 1, "a");
  auto claim = make_claim("c-p", 1, "p");
  claim.spec.requests[0].exactly->selectors.push_back({.cel = R"(device.attributes["x"].y == 1)"});
  world.tell(claim);
  Parts parts(world);
  const auto reason = verdict(parts, "p", "n0");
  CAPTURE(name(reason));
  CHECK(reason != Reason::none);
  if (reason == Reason::allocation_error) {
    CHECK_FALSE(parts.placer.fit().error_on(parts.task("p"), parts.node("n0")).empty());
  }
}

}  // namespace
}  // namespace dray::planner::fit_test
