#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/check.h"
#include "dray/cluster/state.h"
#include "dray/planner/plan.h"
#include "tests/objects/gpus.h"

// Pools whose slices are of several nodes, of some by selector, or of all; which share counters,
// and of which some slices are of a newer generation: what happens on one node changes another.

namespace dray::planner::multi_node_pools_test {
namespace {

using namespace testing;

constexpr int most_nodes = 4;
constexpr int most_slices = 7;
constexpr int most_pods = 8;

std::string numbered(const char* prefix, int number) {
  return prefix + std::to_string(number);
}

int any(int from, int to) {
  return *rc::gen::inRange(from, to);
}

NodeSelector one_of(const std::string& a, const std::string& b) {
  return {.terms = {{.match_expressions = {{.key = "name", .op = "In", .values = {a, b}}},
                     .match_fields = {}}}};
}

NodeScope any_scope() {
  const auto node = numbered("n", any(0, most_nodes));
  NodeScope scope;
  switch (any(0, 10)) {
    case 0:
      scope.all_nodes = true;
      break;
    case 1:
      scope.node_selector = one_of(node, "n0");
      break;
    default:
      scope.node_name = NodeName(node);
  }
  return scope;
}

/// Small numbers everywhere, so that slices meet: few pools, two generations, one counter set.
ResourceSlice any_slice(int number, bool shared_scopes) {
  ResourceSlice slice;
  slice.meta = cluster_meta(numbered("s", number));
  slice.driver = DriverName(gpu_driver);
  slice.pool = PoolName(numbered("p", any(0, 2)));
  slice.pool_generation = any(1, 8) == 1 ? 2 : 1;
  slice.pool_slice_count = any(1, 4);
  slice.scope = any_scope();
  if (!shared_scopes && !slice.scope.node_name) {
    slice.scope = {};
    slice.scope.node_name = NodeName("n1");
  }
  if (any(0, 4) == 0) {
    slice.shared_counters = {{.name = "c", .counters = {{"units", Quantity(any(1, 3))}}}};
    return slice;
  }
  slice.per_device_node_selection = shared_scopes && any(0, 8) == 0;
  if (slice.per_device_node_selection) slice.scope = {};
  const auto devices = any(0, 3);
  for (int d = 0; d < devices; ++d) {
    auto made = device(numbered("d", number * 10 + d));
    if (any(0, 2) == 0) {
      made.consumes_counters = {
          {.counter_set = "c", .counters = {{"units", Quantity(1)}}, .compatibility_groups = {}}};
    }
    if (slice.per_device_node_selection) made.scope = any_scope();
    slice.devices.push_back(std::move(made));
  }
  return slice;
}

class World {
 public:
  World() {
    tell(make_class());
    policy::PolicyConfig config;
    policy::CountingRule rule;
    rule.device_class = ClassName("gpu");
    config.resources = {{.name = "gpu", .rules = {rule}}};
    for (const auto* name : {"a", "b"}) {
      auto& queue = config.queues.emplace_back();
      queue.name = policy::QueueName(name);
      queue.quota["gpu"] = Quantity(2);
    }
    config.reclaim.enabled = config.preemption.enabled = config.consolidation.enabled = true;
    auto made = policy::compile(config);
    DRAY_CHECK(made.has_value());
    policy_ = std::make_shared<const policy::Policy>(std::move(*made));
    for (int i = 0; i < most_nodes; ++i) node(i);
  }

  /// Something happens; `memory` is the plan that was made last.
  void change(const Plan& last, bool shared_scopes) {
    switch (any(0, 10)) {
      case 0:
        return node(any(0, most_nodes));
      case 1:
        return remove_slice(any(0, most_slices));
      case 2:
      case 3:
        return put_slice(any(0, most_slices), shared_scopes);
      case 4:
        return end(any(0, most_pods));
      case 5:
        return toggle_node(any(0, most_nodes));
      case 6:
        return start_of(last);
      default:
        return ask(any(0, most_pods));
    }
  }
  void put_slice(int number, bool shared_scopes) { tell(any_slice(number, shared_scopes)); }

  [[nodiscard]] PlanInput input() {
    PlanInput input;
    input.snapshot = state_.snapshot();
    input.policy = policy_;
    for (const auto& [name, job] : jobs_) input.jobs.put(job);
    input.now = start + std::chrono::hours(1);
    return input;
  }

 private:
  void tell(KubeObject object) { state_.apply(cluster::ObjectChanged{std::move(object)}); }

  void node(int number) {
    const auto name = numbered("n", number);
    tell(make_node(name, Labels{{"name", name}, {"other", numbered("v", any(0, 2))}}));
    present_[number] = true;
  }
  void toggle_node(int number) {
    if (!std::exchange(present_[number], !present_[number])) return node(number);
    const auto name = numbered("n", number);
    state_.apply(cluster::ObjectGone{Kind::node, "", name, Uid("uid-" + name)});
  }
  void remove_slice(int number) {
    const auto name = numbered("s", number);
    state_.apply(cluster::ObjectGone{Kind::resource_slice, "", name, Uid("uid-" + name)});
  }

  /// The pod waits, if it was not there.
  void ask(int number) {
    const auto name = numbered("w", number);
    if (jobs_.contains(name)) return;
    auto pod = make_pod(name, "c-" + name, false);
    if (any(0, 3) == 0) pod.node_selector = {{"name", numbered("n", any(0, most_nodes))}};
    auto claim = make_claim("c-" + name, any(1, 3), name);
    if (any(0, 6) == 0) claim.spec.requests.front().exactly->allocation_mode = "All";
    claims_[name] = claim;
    tell(claim);
    tell(pod);
    put(std::make_shared<const Pod>(std::move(pod)), {});
  }
  void put(std::shared_ptr<const Pod> pod, std::optional<NodeName> node) {
    const auto name = pod->meta.name;
    const policy::QueueName queue(name.back() % 2 == 0 ? "a" : "b");
    jobs_[name] =
        std::make_shared<const Job>(single_pod_job(std::move(pod), queue, start, std::move(node)));
  }
  void end(int number) {
    const auto name = numbered("w", number);
    if (jobs_.erase(name) == 0) return;
    state_.apply(cluster::ObjectGone{Kind::pod, "default", name, Uid("uid-" + name)});
    state_.apply(
        cluster::ObjectGone{Kind::resource_claim, "default", "c-" + name, Uid("uid-c-" + name)});
  }

  /// What the last plan placed runs, if that is still there.
  void start_of(const Plan& last) {
    for (const auto& outcome : last.jobs) {
      for (const auto& placement : outcome.placements) {
        const auto name = placement.pod.name;
        const auto known = jobs_.find(name);
        if (known == jobs_.end() || known->second->members.front().node) continue;
        auto pod = known->second->first();
        pod.node_name = placement.node;
        pod.phase = "Running";
        tell(pod);
        for (const auto& part : placement.claims) {
          auto claim = claims_.at(name);
          claim.allocation = part.allocation;
          claim.reserved_for = {consumer(name, Uid("uid-" + name))};
          tell(std::move(claim));
        }
        put(std::make_shared<const Pod>(std::move(pod)), placement.node);
      }
    }
  }

  cluster::ClusterState state_;
  std::shared_ptr<const policy::Policy> policy_;
  std::map<std::string, std::shared_ptr<const Job>> jobs_;
  std::map<std::string, ResourceClaim> claims_;
  std::map<int, bool> present_;
};

/// What is remembered saves work.
Plan without_work(Plan plan) {
  plan.nodes_tried = 0;
  return plan;
}

/// What the plan says of each job, for who reads why two differ.
std::string words(const Plan& plan) {
  std::string text;
  for (const auto& job : plan.jobs) {
    text += job.job.get() + " " + std::to_string(job.placements.size()) + "/" +
            std::to_string(job.held.size()) + " " + std::string(name(job.reason)) + " (" +
            job.detail + "); ";
  }
  return text + std::to_string(plan.evictions.size()) + " evictions";
}

void memory_changes_no_answer(bool shared_scopes) {
  World world;
  for (int i = 0; i < most_slices; ++i) world.put_slice(i, shared_scopes);
  Planner memory;
  Plan last;
  const auto changes = any(1, 24);
  for (int i = 0; i < changes; ++i) {
    const auto together = any(1, 4);
    for (int c = 0; c < together; ++c) world.change(last, shared_scopes);
    const auto input = world.input();
    if (any(0, 4) == 0) static_cast<void>(memory.read_ahead(input, 1));
    last = memory.plan(input);
    const auto anew = Planner().plan(input);
    RC_LOG() << "with memory: " << words(last) << "\nanew: " << words(anew) << "\n";
    RC_ASSERT(without_work(last) == without_work(anew));
  }
}

TEST_CASE("planner memory changes no answer, over multi-node pools with counters and generations") {
  CHECK(rc::check("slices of nodes by name", [] { memory_changes_no_answer(false); }));
  CHECK(rc::check("and of some or all nodes", [] { memory_changes_no_answer(true); }));
}

}  // namespace
}  // namespace dray::planner::multi_node_pools_test
