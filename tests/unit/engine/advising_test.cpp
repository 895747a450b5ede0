#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/unit/engine/fixture.h"

// Mode advise: kube-scheduler's plugin allocates, and what it will do is foreseen.

namespace dray::engine::advising_test {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<NodeName>;

Options advise_mode() {
  Options options;
  options.mode = Mode::advise;
  return options;
}

Names names(const std::vector<std::string>& nodes) {
  return {nodes.begin(), nodes.end()};
}

struct Advised : Bench {
  explicit Advised(int nodes = 2, int gpus = 2) : Bench(advise_mode()) { add_nodes(nodes, gpus); }

  /// Without a gate, unless said; its claim is named as it is.
  Pod add(const std::string& name, int devices = 1, bool gated = false) {
    tell(make_claim(name, devices));
    auto pod = make_pod(name, name, gated);
    tell(pod);
    return pod;
  }
  std::vector<std::int64_t> scores(const Pod& pod, const std::vector<std::string>& nodes) {
    extender::FilterRequest request;
    request.pod = pod;
    request.node_names = names(nodes);
    std::vector<std::int64_t> scores;
    for (const auto& each : engine.prioritize(request, now)) scores.push_back(each.score);
    return scores;
  }
  /// `node/device` of each device that the pod is to get, or has got.
  std::string foreseen(const Pod& pod) {
    const auto view = engine.pod(pod.key());
    if (!view || !view->placement) return "nothing";
    std::string devices;
    for (const auto& claim : view->placement->claims) {
      for (const auto& device : claim.allocation.devices) {
        devices += view->placement->node.get() + "/" + device.device.device.get() + " ";
      }
    }
    return devices;
  }
  /// What kube-scheduler writes before it binds.
  void allocate(const Pod& pod, AllocationResult allocation) {
    auto claim = make_claim(pod.meta.name, 1);
    claim.meta.resource_version = ResourceVersion("100");
    claim.allocation = std::move(allocation);
    claim.reserved_for = {consumer(pod.meta.name, pod.meta.uid)};
    tell(claim);
  }
  void allocate_as_foreseen(const Pod& pod) {
    allocate(pod, engine.pod(pod.key())->placement.value().claims.at(0).allocation);
  }
  void refuse(Pod pod, const std::string& reason) {
    pod.conditions = {{.type = "PodScheduled",
                       .status = "False",
                       .reason = reason,
                       .message = "because",
                       .last_transition = now}};
    tell(pod);
  }
  std::size_t in_use() { return engine.status().devices_allocated; }
};

TEST_CASE("filter names every node that will do, and prioritize ranks them") {
  Advised bench(3, 2);
  const auto first = bench.add("first");
  CHECK(bench.filter(first, {"n1"}).node_names == names({"n1"}));
  bench.allocate_as_foreseen(first);
  const auto pod = bench.add("p", 2);
  const auto answer = bench.filter(pod, {"n2", "n1", "n0"});
  CHECK(answer.node_names == names({"n2", "n0"}));
  CHECK(refusal(Reason::devices_in_use, answer) == "n1 ");
  CHECK(bench.scores(pod, {"n2", "n1", "n0"}) == std::vector<std::int64_t>{1, 0, 2});
  // The fullest that has room comes first.
  const auto small = bench.add("small");
  CHECK(bench.filter(small, {"n0", "n1", "n2"}).node_names == names({"n1", "n2"}));
  CHECK(bench.scores(small, {"n1", "n2"}) == std::vector<std::int64_t>{2, 1});
}

TEST_CASE("what was answered counts as taken until the claim shows what it got") {
  Advised bench(1, 2);
  const auto a = bench.add("a");
  bench.filter(a, {"n0"});
  CHECK(bench.foreseen(a) == "n0/gpu-0 ");
  const auto b = bench.add("b");
  bench.filter(b, {"n0"});
  CHECK(bench.foreseen(b) == "n0/gpu-1 ");
  CHECK(bench.in_use() == 2);
  const auto c = bench.add("c");
  CHECK(bench.filter(c, {"n0"}).node_names.empty());
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "c", c.meta.uid});
  SECTION("as foreseen") {
    bench.allocate_as_foreseen(a);
    CHECK(bench.in_use() == 2);
    CHECK(bench.engine.status().foretold == 1);
    CHECK(bench.engine.status().foretold_otherwise == 0);
    SECTION("and what was in flight for the claim is not counted beside it") {
      bench.allocate(a, {});
      CHECK(bench.engine.status().foretold == 1);
    }
  }
  SECTION("another than foreseen counts as what it is") {
    auto other = bench.engine.pod(b.key())->placement.value().claims.at(0).allocation;
    bench.allocate(a, other);
    CHECK(bench.engine.status().foretold == 0);
    CHECK(bench.engine.status().foretold_otherwise == 1);
    CHECK(bench.in_use() == 1);
  }
  SECTION("the pod is gone") {
    bench.apply(cluster::ObjectGone{Kind::pod, "default", "a", a.meta.uid});
    CHECK(bench.in_use() == 1);
  }
  SECTION("it is not bound after all") {
    bench.refuse(a, "SchedulerError");
    // The next plan has a place for it again, and for nobody else.
    CHECK(bench.in_use() == 2);
    CHECK(bench.filter(b, {"n0"}).node_names == names({"n0"}));
  }
  SECTION("it is not bound after all, and there is no place for it") {
    auto cordoned = make_node("n0");
    cordoned.unschedulable = true;
    bench.tell(cordoned);
    CHECK(bench.in_use() == 2);
    bench.refuse(a, "SchedulerError");
    CHECK(bench.in_use() == 1);
  }
  SECTION("nothing is heard of it") {
    const auto before = bench.engine.status().reservations_expired;
    bench.now += 91s;
    bench.tick();
    CHECK(bench.engine.status().reservations_expired == before + 2);
  }
}

TEST_CASE("what kube-scheduler said of a pod before it was told nodes does not end that") {
  Advised bench(1, 1);
  auto pod = bench.add("p");
  pod.conditions = {{.type = "PodScheduled",
                     .status = "False",
                     .reason = "Unschedulable",
                     .message = "before",
                     .last_transition = bench.now}};
  bench.tell(pod);
  CHECK(bench.filter(pod, {"n0"}).node_names == names({"n0"}));
  auto cordoned = make_node("n0");
  cordoned.unschedulable = true;
  bench.tell(cordoned);
  pod.meta.labels["other"] = "change";
  bench.tell(pod);
  CHECK(bench.in_use() == 1);
}

TEST_CASE("a share counts once, though its id in the claim is not the one that was foreseen") {
  Advised bench(0);
  bench.tell(make_node("n0"));
  auto slice = make_gpus("n0", 1);
  slice.devices[0].allow_multiple_allocations = true;
  slice.devices[0].capacity["memory"] = {.value = Quantity(std::int64_t{40} << 30),
                                         .request_policy = {}};
  bench.tell(slice);
  const auto share = [&](const std::string& name) {
    auto claim = make_claim(name, 1);
    claim.spec.requests.at(0).exactly->capacity_requests = {
        {"memory", Quantity(std::int64_t{16} << 30)}};
    bench.tell(claim);
    const auto pod = make_pod(name, name);
    bench.tell(pod);
    return std::pair{claim, pod};
  };
  auto [claim, first] = share("first");
  CHECK(bench.filter(first, {"n0"}).node_names == names({"n0"}));
  claim.allocation = bench.engine.pod(first.key())->placement.value().claims.at(0).allocation;
  REQUIRE(claim.allocation->devices.at(0).share_id);
  claim.allocation->devices[0].share_id = "drawn-by-kube-scheduler";
  claim.meta.resource_version = ResourceVersion("100");
  bench.tell(claim);
  CHECK(bench.engine.status().foretold == 1);
  const auto second = share("second").second;
  CHECK(bench.filter(second, {"n0"}).node_names == names({"n0"}));
  const auto third = share("third").second;
  CHECK(bench.filter(third, {"n0"}).node_names.empty());
}

TEST_CASE("a pod that is bound before its claim is seen keeps its devices until then") {
  Advised bench(1, 2);
  auto pod = bench.add("p");
  bench.filter(pod, {"n0"});
  const auto got = bench.engine.pod(pod.key())->placement.value().claims.at(0).allocation;
  pod.node_name = NodeName("n0");
  bench.tell(pod);
  CHECK(bench.in_use() == 1);
  SECTION("the claim comes") {
    bench.allocate(pod, got);
    CHECK(bench.in_use() == 1);
    CHECK(bench.engine.status().foretold == 1);
    // What is left of it is the claim's alone.
    bench.tell(make_claim("p", 1));
    CHECK(bench.in_use() == 0);
  }
  SECTION("the pod goes") {
    bench.apply(cluster::ObjectGone{Kind::pod, "default", "p", pod.meta.uid});
    CHECK(bench.in_use() == 0);
  }
}

TEST_CASE("a pod that is asked for again is judged without what it was told before") {
  Advised bench(1, 1);
  const auto pod = bench.add("p");
  CHECK(bench.filter(pod, {"n0"}).node_names == names({"n0"}));
  CHECK(bench.filter(pod, {"n0"}).node_names == names({"n0"}));
  CHECK(bench.in_use() == 1);
}

TEST_CASE("who is allocated first gets the first devices, whatever was planned for whom") {
  Advised bench(1, 3);
  // Both are planned, a first; kube-scheduler asks for b first.
  auto a = bench.add("a", 1, true);
  auto b = bench.add("b", 1, true);
  CHECK(bench.foreseen(a) == "n0/gpu-0 ");
  CHECK(bench.foreseen(b) == "n0/gpu-1 ");
  bench.lift(a);
  bench.lift(b);
  b.scheduling_gates.clear();
  CHECK(bench.filter(b, {"n0"}).node_names == names({"n0"}));
  CHECK(bench.foreseen(b) == "n0/gpu-0 ");
  CHECK(bench.foreseen(a) != "n0/gpu-0 ");
  CHECK(bench.in_use() == 2);
}

TEST_CASE("gates go without a mark, and nothing of allocation is written") {
  Advised bench(1, 1);
  bench.add("p", 1, true);
  const auto lift = bench.take_write<LiftGate>();
  REQUIRE(lift);
  CHECK(lift->second.annotations.empty());
  CHECK(std::ranges::none_of(
      bench.writes, [](const SendWrite& send) { return belongs_to_allocation(send.write); }));
}

TEST_CASE("a bind call is an error that says what to change") {
  Advised bench(1, 1);
  const auto pod = bench.add("p");
  bench.filter(pod, {"n0"});
  bench.bind(pod, "n0", 7);
  REQUIRE(bench.answers.size() == 1);
  CHECK_THAT(bench.answers[0].error, Catch::Contains("take bindVerb off"));
}

TEST_CASE(
    "a gated pod that a claim pins to a full node is let go, for the claim to be given back") {
  Advised bench(2, 1);
  const auto other = bench.add("other");
  bench.filter(other, {"n0"});
  bench.allocate_as_foreseen(other);
  auto claim = make_claim("p", 1);
  claim.allocation = bench.engine.pod(other.key())->placement.value().claims.at(0).allocation;
  claim.allocation->devices[0].device.device = DeviceName("gpu-0");
  auto cordoned = make_node("n0");
  cordoned.unschedulable = true;
  bench.tell(cordoned);
  bench.tell(claim);
  auto pod = make_pod("p", "p", true);
  bench.tell(pod);
  const auto lift = bench.take_write<LiftGate>();
  REQUIRE(lift);
  CHECK(lift->second.uid == pod.meta.uid);
  pod.scheduling_gates.clear();
  bench.tell(pod);
  // Only the pinned node is asked for: no, and the plugin takes the devices back.
  CHECK(bench.filter(pod, {"n0"}).node_names.empty());
  bench.tell(make_claim("p", 1));
  CHECK(bench.filter(pod, {"n1"}).node_names == names({"n1"}));
}

TEST_CASE("kube-scheduler's own choice of the node is followed") {
  Advised bench(2, 1);
  auto pod = bench.add("p");
  bench.filter(pod, {"n0", "n1"});
  CHECK(bench.foreseen(pod) == "n0/gpu-0 ");
  pod.nominated_node = NodeName("n1");
  bench.tell(pod);
  CHECK(bench.foreseen(pod) == "n1/gpu-0 ");
}

TEST_CASE("a policy by which dray makes claims does not suit mode advise") {
  policy::PolicyConfig config;
  CHECK(unfit_policy(Mode::advise, config).empty());
  config.fractions.emplace();
  CHECK(unfit_policy(Mode::allocate, config).empty());
  CHECK_THAT(unfit_policy(Mode::advise, config), Catch::Contains("fractions"));
}

}  // namespace
}  // namespace dray::engine::advising_test
