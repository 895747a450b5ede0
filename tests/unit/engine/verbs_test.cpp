#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

// filter, prioritize and preempt, as kube-scheduler asks them.

namespace dray::engine::verbs_test {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<NodeName>;

extender::FilterRequest asking(const Pod& pod, const std::vector<std::string>& nodes) {
  extender::FilterRequest request;
  request.pod = pod;
  request.node_names.emplace();
  for (const auto& node : nodes) request.node_names->emplace_back(node);
  return request;
}

/// An autoscaler's question: whole Node objects.
extender::FilterRequest dry_run(const Pod& pod, const std::vector<std::string>& nodes) {
  extender::FilterRequest request;
  request.pod = pod;
  request.nodes.emplace();
  for (const auto& node : nodes) {
    request.nodes->emplace_back();
    request.nodes->back().node = make_node(node);
  }
  return request;
}

struct OnePod : Bench {
  Pod pod = make_pod("p", "c", false);

  OnePod() {
    add_nodes(2, 1);
    tell(make_claim("c", 1));
    tell(pod);
  }
  NodeName reserved() { return engine.pod(pod.key())->placement.value().node; }
};

TEST_CASE("without the watches nothing is answered") {
  Options options;
  options.plan_inline = true;
  Engine engine(options);
  static_cast<void>(engine.apply(LeadershipChanged{true, 1}, start));
  const auto answer = engine.filter(asking(make_pod("p", "", false), {"n0"}), start);
  CHECK(answer.response.error == std::string(text(Reason::not_synced)));
}

TEST_CASE("a request without a pod is an error") {
  Bench bench;
  auto pod = make_pod("p", "", false);
  SECTION("no name") {
    pod.meta.name.clear();
  }
  SECTION("no uid") {
    pod.meta.uid = Uid();
  }
  CHECK_FALSE(bench.filter(pod, {"n0"}).error.empty());
}

TEST_CASE("a refusal of all nodes copies none of their names") {
  Bench bench;
  bench.add_nodes(1, 1);
  const auto answer = bench.engine.filter(asking(make_pod("p", "c", false), {"n0"}), bench.now);
  CHECK(answer.response.all_unresolvable == std::string(text(Reason::planning)));
  CHECK(answer.response.failed_unresolvable.empty());
}

TEST_CASE("a pod that the watch has not shown is let pass, or told to wait") {
  Bench bench;
  bench.add_nodes(1, 1);
  CHECK(bench.filter(make_pod("plain", "", false), {"n0"}).node_names == Names{NodeName("n0")});
  CHECK(bench.engine.pod({"default", "plain"}));  // its bind may come before the watch, too
  const auto told = bench.filter(make_pod("devices", "c", false), {"n0"});
  CHECK(refusal(Reason::planning, told) == "n0 ");
  CHECK_FALSE(bench.engine.pod({"default", "devices"}));
  auto other = make_pod("other", "c", false);
  other.scheduler_name = "other";
  CHECK(refusal(Reason::unsupported, bench.filter(other, {"n0"})) == "n0 ");
  auto plain_other = make_pod("plain-other", "", false);
  plain_other.scheduler_name = "other";
  CHECK(bench.filter(plain_other, {"n0"}).node_names == Names{NodeName("n0")});
  CHECK_FALSE(bench.engine.pod({"default", "plain-other"}));
}

TEST_CASE("a pod that was told to wait before the watch showed it is woken for its place") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c", false);
  const bool asked = GENERATE(false, true);
  if (asked) CHECK(refusal(Reason::planning, bench.filter(pod, {"n0"})) == "n0 ");
  bench.tell(pod);
  REQUIRE(bench.engine.pod(pod.key())->placement);
  const bool woken = std::ranges::any_of(bench.writes, [](const auto& sent) {
    return std::holds_alternative<SetPodCondition>(sent.write);
  });
  CHECK(woken == asked);
}

TEST_CASE("a pod that kube-scheduler gave up under an earlier leader is woken for its place") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("c", 1));
  auto pod = make_pod("p", "c", false);
  pod.meta.annotations["dray.dev/reservation"] = "n0";
  const bool given_up = GENERATE(false, true);
  if (given_up) {
    pod.conditions = {{.type = "PodScheduled",
                       .status = "False",
                       .reason = "Unschedulable",
                       .message = "0/1 nodes are available: 1 dray: too few devices",
                       .last_transition = start}};
  }
  bench.tell(pod);
  REQUIRE(bench.engine.pod(pod.key())->placement);
  const bool woken = std::ranges::any_of(bench.writes, [](const auto& sent) {
    return std::holds_alternative<SetPodCondition>(sent.write);
  });
  CHECK(woken == given_up);
}

TEST_CASE("a reserved pod gets its node alone, and the reservation lives on from there") {
  OnePod bench;
  REQUIRE(bench.reserved() == NodeName("n0"));
  bench.now += 80s;
  CHECK(bench.filter(bench.pod, {"n1", "n0"}).node_names == Names{NodeName("n0")});
  CHECK(bench.engine.next_tick() == start + 80s + 90s);
}

TEST_CASE("a nominated node by itself is no refusal of another") {
  OnePod bench;
  auto pod = bench.pod;
  pod.nominated_node = NodeName("n1");
  CHECK(refusal(Reason::reserved_elsewhere, bench.filter(pod, {"n1"})) == "n1 ");
  CHECK(bench.reserved() == NodeName("n0"));
  // But a list without the reserved node is one.
  CHECK(bench.filter(bench.pod, {"n1"}).node_names == Names{NodeName("n1")});
  CHECK(bench.reserved() == NodeName("n1"));
}

TEST_CASE("while a pod is bound its node is not given up") {
  OnePod bench;
  bench.bind(bench.pod, "n0", 1);
  CHECK(refusal(Reason::reserved_elsewhere, bench.filter(bench.pod, {"n1"})) == "n1 ");
  CHECK(bench.engine.status().binds_in_flight == 1);
  CHECK(bench.reserved() == NodeName("n0"));
}

TEST_CASE("a node that kube-scheduler refused is not offered again, until it changes") {
  OnePod bench;
  CHECK(bench.filter(bench.pod, {"n1"}).node_names == Names{NodeName("n1")});
  CHECK(bench.filter(bench.pod, {}).node_names.empty());
  // Both nodes were refused by now.
  CHECK(bench.filter(bench.pod, {"n0", "n1"}).node_names.empty());
  auto node = make_node("n0");
  node.meta.resource_version = ResourceVersion("2");
  node.meta.labels["x"] = "y";
  bench.tell(node);
  CHECK(bench.filter(bench.pod, {"n0", "n1"}).node_names == Names{NodeName("n0")});
}

TEST_CASE("a pod that bypasses dray gets all nodes, and no longer once a class stands for it") {
  Bench bench;
  bench.add_nodes(2, 1);
  auto pod = make_pod("p", "", false);
  pod.containers[0].requests["example.com/gpu"] = Quantity(1);
  bench.tell(pod);
  CHECK(bench.filter(pod, {"n0", "n1"}).node_names.size() == 2);
  auto device_class = make_class();
  device_class.extended_resource_name = "example.com/gpu";
  bench.tell(device_class);
  CHECK(bench.filter(pod, {"n0", "n1"}).node_names.size() < 2);
}

TEST_CASE("an autoscaler's dry run is answered for each node, and reserves nothing") {
  Bench bench;
  bench.add_nodes(2, 1);
  bench.tell(make_claim("c", 1));
  bench.tell(make_claim("d", 1));
  bench.tell(make_pod("other", "c", false));
  auto pod = make_pod("p", "d", false);
  pod.containers[0].requests["cpu"] = Quantity(1000);
  bench.tell(pod);
  auto answer = bench.engine.filter(dry_run(pod, {"n0", "n1"}), bench.now);
  CHECK(answer.response.node_names.empty());
  CHECK(refusal(Reason::node_resources, answer.response) == "n0 n1 ");
  // One that nobody knows, and that would fit on the free node.
  const auto unknown = make_pod("unknown", "d", false);
  answer = bench.engine.filter(dry_run(unknown, {"n0", "n1"}), bench.now);
  CHECK(answer.response.node_names == Names{NodeName("n1")});
  CHECK(refusal(Reason::devices_in_use, answer.response) == "n0 ");
  CHECK(bench.engine.status().reservations == 1);
  // One that has its place.
  answer = bench.engine.filter(dry_run(make_pod("other", "c", false), {"n0", "n1"}), bench.now);
  CHECK(answer.response.node_names == Names{NodeName("n0")});
  CHECK(refusal(Reason::reserved_elsewhere, answer.response) == "n1 ");
}

TEST_CASE("a dry run goes by the nodes that it brings, and only for its own time") {
  Bench bench;
  bench.add_nodes(2, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c", false);
  auto asked = dry_run(pod, {"n0", "n1"});
  (*asked.nodes)[0].node.taints = {{.key = "full", .value = "", .effect = "NoSchedule"}};
  auto answer = bench.engine.filter(asked, bench.now);
  CHECK(answer.response.node_names == Names{NodeName("n1")});
  CHECK(refusal(Reason::node_taint, answer.response) == "n0 ");
  answer = bench.engine.filter(dry_run(pod, {"n0", "n1"}), bench.now);
  CHECK(answer.response.node_names.size() == 2);

  // The other way round: what the watch has shown of it is not what is asked about.
  auto cordoned = make_node("n0");
  cordoned.unschedulable = true;
  bench.tell(cordoned);
  answer = bench.engine.filter(dry_run(pod, {"n0"}), bench.now);
  CHECK(answer.response.node_names == Names{NodeName("n0")});
  asked = dry_run(pod, {"n0"});
  asked.nodes->front().node.unschedulable = true;
  answer = bench.engine.filter(asked, bench.now);
  CHECK(refusal(Reason::node_unschedulable, answer.response) == "n0 ");
}

TEST_CASE("what a dry run brings of a node ends with it: who asks by names goes by the watch") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c", false);
  auto asked = dry_run(pod, {"n0"});
  asked.nodes->front().node.unschedulable = true;
  CHECK(bench.engine.filter(asked, bench.now).response.node_names.empty());
  bench.tell(pod);
  const auto answer = bench.engine.filter(asking(pod, {"n0"}), bench.now);
  CHECK(answer.response.node_names == Names{NodeName("n0")});
}

TEST_CASE("a node that nobody has seen has the devices that the policy says such nodes have") {
  Bench bench;
  policy::NodeGroup group;
  group.name = "large";
  group.node = make_node("", Labels{{"pool", "large"}});
  group.slices = {make_gpus("", 2)};
  policy::PolicyConfig config;
  config.node_groups = {group};
  bench.apply(engine::PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  bench.add_nodes(1, 1);
  bench.tell(make_claim("two", 2));
  const auto pod = make_pod("p", "two", false);
  auto asked = dry_run(pod, {"n0", "new-0", "new-1", "bare"});
  for (const auto at : {1, 2}) {
    auto& node = (*asked.nodes)[static_cast<std::size_t>(at)].node;
    node.meta.labels = {{"pool", "large"}, {"kubernetes.io/hostname", node.meta.name}};
  }
  auto answer = bench.engine.filter(asked, bench.now);
  CHECK(answer.response.node_names == Names{NodeName("new-0"), NodeName("new-1")});
  CHECK(refusal(Reason::no_devices, answer.response).ends_with("bare "));
  CHECK(bench.engine.status().nodes == 1);
  CHECK(bench.engine.status().reservations == 0);

  (*asked.nodes)[2].node.taints = {{.key = "full", .value = "", .effect = "NoSchedule"}};
  answer = bench.engine.filter(asked, bench.now);
  CHECK(answer.response.node_names == Names{NodeName("new-0")});
}

TEST_CASE("a dry run knows the limits of queues") {
  Bench bench;
  bench.add_nodes(2, 1);
  policy::PolicyConfig config;
  policy::CountingRule rule;
  rule.device_class = ClassName("gpu");
  config.resources = {{.name = "gpu", .rules = {rule}}};
  policy::QueueConfig queue;
  queue.name = policy::QueueName("q");
  queue.limit["gpu"] = Quantity(1);
  config.queues.push_back(queue);
  config.pod_queues.otherwise = policy::QueueName("q");
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  bench.tell(make_claim("c", 1));
  bench.tell(make_claim("d", 1));
  const auto unknown = make_pod("unknown", "d", false);
  auto answer = bench.engine.filter(dry_run(unknown, {"n0", "n1", "n9"}), bench.now);
  CHECK(answer.response.node_names == Names{NodeName("n0"), NodeName("n1")});
  CHECK(refusal(Reason::no_devices, answer.response) == "n9 ");
  bench.tell(make_pod("other", "c", false));
  answer = bench.engine.filter(dry_run(unknown, {"n0", "n1", "n9"}), bench.now);
  CHECK(refusal(Reason::queue_limit, answer.response) == "n0 n1 n9 ");
}

TEST_CASE("prioritize prefers the reserved node, and has no opinion on others") {
  OnePod bench;
  const auto scores = bench.engine.prioritize(asking(bench.pod, {"n1", "n0"}), bench.now);
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].node == NodeName("n1"));
  CHECK(scores[0].score == 0);
  CHECK(scores[1].score == 10);
  const auto unknown = bench.engine.prioritize(asking(make_pod("x", "", false), {"n0"}), bench.now);
  CHECK(unknown.at(0).score == 0);
}

TEST_CASE("preempt keeps the nodes that dray would take the pod on") {
  OnePod bench;
  extender::PreemptRequest request;
  request.pod = bench.pod;
  for (const auto* node : {"n0", "n1"}) {
    request.victims[NodeName(node)].pods.emplace_back();
  }
  const auto kept = [&] {
    Names nodes;
    for (const auto& [node, victims] : bench.engine.preempt(request, bench.now).victims) {
      nodes.push_back(node);
    }
    return nodes;
  };
  CHECK(kept() == Names{NodeName("n0")});
  SECTION("nodes without victims are none") {
    request.victims[NodeName("n0")].pods.clear();
    CHECK(kept().empty());
  }
  SECTION("for a pod that bypasses dray, all") {
    request.pod = make_pod("plain", "", false);
    CHECK(kept().size() == 2);
    bench.tell(request.pod);
    CHECK(kept().size() == 2);
  }
  SECTION("for one that is not known and has devices, none") {
    request.pod = make_pod("x", "c", false);
    CHECK(kept().empty());
  }
}

}  // namespace
}  // namespace dray::engine::verbs_test
