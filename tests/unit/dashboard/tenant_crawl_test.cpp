#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dashboard/views.h"
#include "dray/model/reason.h"
#include "dray/planner/explanation.h"
#include "kube/write_request.h"
#include "tests/unit/engine/fixture.h"
#include "wire/explanation_codec.h"

// A tenant reads everything that dray shows him or writes into his namespace, while another tenant
// of the same cluster has `zz` in every string that a tenant writes.

namespace dray::dashboard::tenant_crawl_test {
namespace {

using Catch::Contains;
using namespace dray::testing;
using namespace std::chrono_literals;

constexpr std::string_view secret = "zz";

using Texts = std::map<std::string, std::string>;

std::shared_ptr<const policy::PolicyConfig> two_tenants() {
  policy::PolicyConfig config;
  policy::CountingRule rule;
  rule.device_class = ClassName("gpu");
  config.resources = {{.name = "gpu", .rules = {rule}}};
  const auto add = [&](const std::string& name, int quota, std::vector<std::string> namespaces) {
    auto& queue = config.queues.emplace_back();
    queue.name = policy::QueueName(name);
    queue.quota["gpu"] = Quantity(quota);
    queue.namespaces = std::move(namespaces);
  };
  add("mine", 0, {"mine"});
  add("zz-queue", 4, {"zz-space"});
  add("both", 1, {"mine", "zz-space"});
  config.reclaim.enabled = config.preemption.enabled = true;
  return std::make_shared<const policy::PolicyConfig>(std::move(config));
}

Pod pod_of(const std::string& name_space, const std::string& name, const std::string& queue,
           const std::string& node) {
  auto pod = make_pod(name);
  pod.meta.namespace_name = name_space;
  pod.scheduling_gates = {"dray.dev/admission"};
  pod.meta.labels["dray.dev/queue"] = queue;
  pod.node_selector["kubernetes.io/hostname"] = node;
  if (name_space == "mine") return pod;
  pod.meta.labels["zz-label"] = "zz-value";
  pod.meta.annotations["zz-annotation"] = "zz-text";
  pod.containers.front().name = "zz-container";
  return pod;
}

/// A pod and its claim for so many GPUs, which it has on `node` from the device `first` on, or
/// waits for.
class Tenants {
 public:
  Tenants() {
    for (const auto* node : {"n0", "n1", "n2"}) {
      bench.tell(make_node(node, Labels{{"kubernetes.io/hostname", node}}));
      bench.tell(make_gpus(node, node == std::string("n0") ? 4 : 1));
    }
    auto odd = make_class();
    odd.meta.name = "odd";
    odd.meta.uid = Uid("uid-odd");
    odd.extended_resource_name = "example.com/odd";
    bench.tell(odd);
    bench.apply(engine::PolicyChanged{two_tenants()});
    // What the tests add is planned together.
    bench.apply(engine::LeadershipChanged{false, 3});
  }

  void add(Pod pod, int gpus, const std::string& node = {}, int first = 0) {
    const auto prefix = pod.meta.namespace_name == "mine" ? std::string("c-") : "zz-c-";
    auto claim = make_claim(prefix + pod.meta.name, gpus, pod.meta.name);
    claim.meta.namespace_name = pod.meta.namespace_name;
    auto& request = claim.spec.requests.front();
    if (pod.meta.namespace_name != "mine") {
      request.name = "zz-request";
      claim.meta.labels["zz-label"] = "zz-value";
    }
    if (!node.empty()) {
      claim.allocation.emplace();
      for (int i = 0; i < gpus; ++i) {
        claim.allocation->devices.push_back(
            allocated(device_id(node.c_str(), fmt::format("gpu-{}", first + i)), request.name));
      }
      claim.reserved_for = {consumer(pod.meta.name, pod.meta.uid)};
      pod.node_name = NodeName(node);
      pod.phase = "Running";
      pod.scheduling_gates.clear();
    }
    bench.tell(claim);
    bench.tell(with_claim(std::move(pod), claim.meta.name, prefix + "entry"));
  }

  /// Plans for all that was added.
  void begin() {
    bench.apply(engine::LeadershipChanged{true, 4});
    plan();
    // What comes of a plan is told in slices.
    for (auto due = bench.engine.next_tick(); due && *due <= bench.now;
         due = bench.engine.next_tick()) {
      bench.tick();
    }
  }

  /// Answers writes, and reads those that land in the namespace `mine`.
  void run(Duration time) {
    const auto until = bench.now + time;
    do {
      while (!bench.writes.empty()) {
        auto write = std::move(bench.writes.front());
        bench.writes.erase(bench.writes.begin());
        const auto request = kube::request_for(write.write, {.now = bench.now});
        if (request.http.target.contains("/namespaces/mine/")) {
          written[fmt::format("{} {} {}", written.size(), engine::name(write.write),
                              request.http.target)] = request.http.body;
        }
        bench.done(write.id);
      }
      plan();
      bench.now += 100ms;
      bench.tick();
    } while (bench.now < until);
  }

  [[nodiscard]] Picture picture() {
    Picture made;
    made.at = bench.now;
    made.engine = bench.engine.picture();
    made.jobs = bench.engine.jobs_after({}, 100, bench.now);
    made.unformed = bench.engine.unformed(std::nullopt, 100);
    return made;
  }

  /// Every screen, and the explanation of every pod of his.
  [[nodiscard]] Texts shown_to(Viewer viewer) {
    const auto picture = this->picture();
    if (!viewer.everything) viewer.queues = queues_of(viewer.namespaces, picture);
    const Page all{0, 100};
    History::Curves curves;
    for (const auto& queue : picture.engine.policy->queues.queues()) {
      curves.queues.push_back({queue.name.get(), {}, {}});
    }
    Standing standing;
    standing.policy = "line 3: queue zz-queue";
    standing.trouble = "pods: zz-space/zz-taker";
    if (!viewer.everything) standing = without_names(standing);
    Texts texts{{"overview", overview_json(picture, standing, viewer)},
                {"nodes", nodes_json(picture, all, viewer)},
                {"node n0", node_json(picture, "n0", viewer)},
                {"node n1", node_json(picture, "n1", viewer)},
                {"node n2", node_json(picture, "n2", viewer)},
                {"queues", queues_json(picture, viewer)},
                {"history", history_json(picture, curves, "gpu", viewer)},
                {"waiting", waiting_json(picture, "", all, viewer)},
                {"ledger", ledger_json(picture, all, viewer)}};
    for (const auto& row : picture.jobs) {
      texts["waiting " + std::string(name(row.reason))] =
          waiting_json(picture, name(row.reason), all, viewer);
      for (const auto& member : row.job->members) {
        const auto& key = member.pod->key();
        if (!viewer.sees(key.namespace_name)) continue;
        auto question = bench.engine.question(key, bench.now).value();
        if (!viewer.everything) question.named = viewer.namespaces;
        texts["explain " + key.to_string()] = wire::encode(planner::explain(question, {}));
      }
    }
    return texts;
  }

  engine::Bench bench{{}, true};
  Texts written;

 private:
  /// The plan that the engine waits for, if it does.
  void plan() {
    if (bench.wanted.empty()) return;
    const auto wanted = std::exchange(bench.wanted, {}).back();
    planner::Planner planner(engine::allocator_options({}, 1));
    bench.apply(engine::Planned{
        wanted.generation, std::make_shared<const planner::Plan>(planner.plan(*wanted.input))});
  }
};

Viewer viewer_of_mine() {
  Viewer viewer;
  viewer.everything = false;
  viewer.namespaces = {"mine"};
  return viewer;
}

std::string all_of(const Texts& texts) {
  std::string all;
  for (const auto& [where, text] : texts) all.append(where).append(": ").append(text).append("\n");
  return all;
}

void check_silent(const Texts& texts) {
  for (const auto& [where, text] : texts) {
    INFO(where << ": " << text);
    CHECK_FALSE(text.contains(secret));
  }
}

}  // namespace

TEST_CASE("a tenant finds no name of another one, wherever he looks") {
  Tenants c;
  // Two that run above their quota, one that takes room that is left, and somebody who is owed it.
  for (int i = 0; i < 2; ++i)
    c.add(pod_of("mine", fmt::format("r{}", i), "mine", "n0"), 1, "n0", i);
  c.add(pod_of("mine", "waits", "mine", "n0"), 1);
  c.add(pod_of("zz-space", "zz-taker", "zz-queue", "n0"), 3);
  c.add(pod_of("zz-space", "zz-runs", "zz-queue", "n2"), 1, "n2");
  // A higher priority in a queue of both.
  c.add(pod_of("mine", "low", "both", "n1"), 1, "n1");
  auto high = pod_of("zz-space", "zz-high", "both", "n1");
  high.priority = 10;
  c.add(std::move(high), 1);
  // A claim whose tenant says that it is for another one's pod, by uid.
  auto forged = make_claim("forged", 1);
  forged.meta.namespace_name = "mine";
  forged.meta.owners = {owner_pod("guess")};
  forged.meta.owners.front().uid = Uid("uid-zz-taker");
  forged.reserved_for = {consumer("guess", Uid("uid-zz-taker"))};
  c.bench.tell(forged);
  c.begin();
  const auto first = c.shown_to(viewer_of_mine());
  check_silent(first);
  c.run(10s);
  check_silent(c.written);
  check_silent(c.shown_to(viewer_of_mine()));
  CHECK_THAT(c.shown_to(viewer_of_mine()).at("ledger"),
             Contains(R"([{"claim":"mine/forged")") || Contains(R"(,{"claim":"mine/forged")"));
  // What it is about has happened.
  CHECK_THAT(all_of(first), Contains("its room goes to a job of 1 pod of another queue"));
  const auto written = all_of(c.written);
  CHECK_THAT(written, Contains("makes room for a job of 1 pod of another queue"));
  CHECK_THAT(written, Contains("makes room for a job of 1 pod of the same queue with priority 10"));
  CHECK_THAT(c.shown_to(Viewer()).at("node n2"), Contains(R"("request":"zz-request")"));
  CHECK_THAT(c.shown_to(viewer_of_mine()).at("node n2"), Contains(R"("hidden":true)"));
  CHECK_THAT(all_of(c.shown_to(Viewer())), Contains("zz-request") && Contains("zz-taker") &&
                                               Contains("zz-queue") && Contains("zz-c-"));
}

TEST_CASE("pods of two tenants that fail alike are not told each other's claims") {
  Tenants c;
  for (const auto* space : {"zz-space", "mine"}) {
    auto pod = make_pod(space == std::string("mine") ? "many" : "zz-many",
                        ResourceList{{"example.com/odd", Quantity(64)}});
    pod.meta.namespace_name = space;
    pod.scheduling_gates = {"dray.dev/admission"};
    pod.meta.labels["dray.dev/queue"] = "both";
    c.bench.tell(pod);
  }
  c.begin();
  c.run(10s);
  check_silent(c.written);
  check_silent(c.shown_to(viewer_of_mine()));
  CHECK_THAT(all_of(c.written), Contains("claim for extended resources"));
}

}  // namespace dray::dashboard::tenant_crawl_test
