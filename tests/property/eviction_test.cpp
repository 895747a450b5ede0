#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/check.h"
#include "dray/cluster/state.h"
#include "dray/planner/plan.h"
#include "tests/objects/gpus.h"

// Nobody is protected from eviction by size or by sharing a claim: a job of a queue within its
// quota gets its room within so many plans, whatever is in its way and whatever the budget is.

namespace dray::planner::eviction_test {
namespace {

using namespace testing;

constexpr int gpus_of_node = 8;

/// Pods that take GPUs one after another, over as many nodes as they need.
struct Block {
  enum class Kind { single, gang, shared, shared_gang } kind = Kind::single;
  int gpus = 1;  ///< of a single pod, of each of a gang, of a shared claim
  int pods = 1;
  int minimum = 1;
  int protected_pods = 0;   ///< of a shared claim: its last users are not preemptible
  bool idle_queue = false;  ///< its last user is of a queue that owes nothing
};
struct Sketch {
  int nodes = 1;
  std::vector<Block> blocks;
  std::vector<int> owed;  ///< GPUs of each job that waits
  std::size_t evictions = 1;
};

std::ostream& operator<<(std::ostream& out, const Sketch& sketch) {
  out << sketch.nodes << " nodes, budget " << sketch.evictions << ", owed";
  for (const auto gpus : sketch.owed) out << " " << gpus;
  for (const auto& block : sketch.blocks) {
    out << "\nkind " << static_cast<int>(block.kind) << " gpus " << block.gpus << " pods "
        << block.pods << " minimum " << block.minimum << " protected " << block.protected_pods
        << (block.idle_queue ? " idle queue" : "");
  }
  return out;
}

Sketch any_sketch() {
  Sketch sketch;
  sketch.nodes = *rc::gen::inRange(1, 4);
  sketch.evictions = *rc::gen::inRange<std::size_t>(1, 10);
  const auto count = *rc::gen::inRange(1, 10);
  for (int i = 0; i < count; ++i) {
    Block block;
    block.kind = *rc::gen::element(Block::Kind::single, Block::Kind::gang, Block::Kind::shared,
                                   Block::Kind::shared_gang);
    block.gpus = *rc::gen::inRange(1, gpus_of_node + 1);
    if (block.kind == Block::Kind::gang) block.gpus = *rc::gen::inRange(1, 3);
    block.pods = *rc::gen::inRange(1, 13);
    block.minimum = *rc::gen::inRange(1, block.pods + 1);
    block.protected_pods = *rc::gen::inRange(0, block.pods);
    block.idle_queue = *rc::gen::inRange(0, 3) == 0;
    sketch.blocks.push_back(block);
  }
  auto left = sketch.nodes * gpus_of_node;
  const auto owed = *rc::gen::inRange(1, 4);
  for (int i = 0; i < owed && left > 0; ++i) {
    sketch.owed.push_back(*rc::gen::inRange(1, std::min(left, gpus_of_node) + 1));
    left -= gpus_of_node;  // each may need a node to itself
  }
  return sketch;
}

/// A cluster whose jobs run, are evicted and start as plans say.
class Cluster {
 public:
  explicit Cluster(const Sketch& sketch) : free_(static_cast<std::size_t>(sketch.nodes)) {
    tell(make_class());
    policy::CountingRule rule;
    rule.device_class = ClassName("gpu");
    config_.resources = {{.name = "gpu", .rules = {rule}}};
    config_.reclaim.enabled = true;
    add_queue("over", 0);
    add_queue("owed", sketch.nodes * gpus_of_node);
    add_queue("idle", 1);
    for (int i = 0; i < sketch.nodes; ++i) {
      auto node = make_node(name_of(i));
      node.allocatable = {{"cpu", Quantity(10'000)},
                          {"memory", Quantity(2'000'000'000'000)},
                          {"pods", Quantity(1'000)}};
      tell(node);
      tell(make_gpus(name_of(i), gpus_of_node));
    }
    for (const auto& block : sketch.blocks) add(block);
    for (const auto gpus : sketch.owed) wait(gpus);
    input_.budget.evictions = sketch.evictions;
    input_.now = start;
    auto made = policy::compile(config_, {});
    DRAY_CHECK(made.has_value());
    input_.policy = std::make_shared<const policy::Policy>(std::move(*made));
  }

  /// One plan, and all that it asks for.
  void step() {
    input_.snapshot = state_.snapshot();
    input_.jobs = {};
    for (const auto& [uid, job] : jobs_) {
      if (!job.members.empty()) input_.jobs.put(std::make_shared<const Job>(job));
    }
    Planner planner;
    const auto plan = planner.plan(input_);
    input_.now += std::chrono::seconds(1);
    input_.holds.clear();
    for (const auto& outcome : plan.jobs) {
      if (!outcome.held.empty()) input_.holds.push_back({outcome.job, outcome.held});
      if (!outcome.placements.empty()) start_job(outcome);
    }
    for (const auto& eviction : plan.evictions) evict(eviction);
    free_claims();
  }
  [[nodiscard]] bool all_owed_run() const {
    return std::ranges::all_of(owed_, [this](const Uid& job) {
      return jobs_.at(job).members.front().state == MemberState::placed;
    });
  }
  /// Users of a claim of which some are gone and others run.
  [[nodiscard]] bool any_claim_torn() const { return torn_; }

 private:
  static std::string name_of(int node) { return "n" + std::to_string(node); }
  void tell(KubeObject object) { state_.apply(cluster::ObjectChanged{std::move(object)}); }
  void add_queue(const std::string& name, int quota) {
    auto& made = config_.queues.emplace_back();
    made.name = policy::QueueName(name);
    made.quota["gpu"] = Quantity(quota);
  }

  /// So many devices of one node; nothing: no node has them.
  std::optional<AllocationResult> take(int gpus, int& node) {
    for (node = 0; std::cmp_less(node, free_.size()); ++node) {
      auto& used = free_[static_cast<std::size_t>(node)];
      if (used + gpus > gpus_of_node) continue;
      AllocationResult result;
      for (int i = used; i < used + gpus; ++i) {
        auto& device = result.devices.emplace_back();
        device.request = "gpu";
        device.device = {DriverName("gpu.example.com"), PoolName(name_of(node)),
                         DeviceName("gpu-" + std::to_string(i))};
      }
      used += gpus;
      return result;
    }
    return std::nullopt;
  }

  std::shared_ptr<const Pod> run(const std::string& name, const std::string& claim, int node) {
    auto pod = make_pod(name, claim, false);
    pod.node_name = NodeName(name_of(node));
    pod.phase = "Running";
    tell(pod);
    return std::make_shared<const Pod>(std::move(pod));
  }
  void tell_claim(ResourceClaim claim, AllocationResult devices,
                  const std::vector<std::string>& users) {
    claim.allocation = std::move(devices);
    for (const auto& user : users) {
      claim.reserved_for.push_back(
          {.api_group = {}, .resource = "pods", .name = user, .uid = Uid("uid-" + user)});
    }
    claims_[claim.key()] = claim;
    tell(std::move(claim));
  }

  void add(const Block& block) {
    const auto name = "b" + std::to_string(blocks_++);
    const auto pod_name = [&](int i) { return name + "-" + std::to_string(i); };
    const bool shares = block.kind == Block::Kind::shared || block.kind == Block::Kind::shared_gang;
    const bool alone = block.kind == Block::Kind::single || block.kind == Block::Kind::shared;
    std::vector<Member> members;
    int node = 0;
    std::optional<AllocationResult> devices;
    if (shares) devices = take(block.gpus, node);
    if (shares && !devices) return;
    std::vector<std::string> users;
    for (int i = 0; i < (block.kind == Block::Kind::single ? 1 : block.pods); ++i) {
      auto claim = "c-" + pod_name(i);
      if (shares) {
        claim = name;
      } else {
        auto own = take(block.gpus, node);
        if (!own) break;
        tell_claim(make_claim(claim, block.gpus, pod_name(i)), *std::move(own), {pod_name(i)});
      }
      users.push_back(pod_name(i));
      members.push_back({.pod = run(pod_name(i), claim, node),
                         .state = MemberState::placed,
                         .node = NodeName(name_of(node))});
    }
    if (members.empty()) return;
    if (shares) tell_claim(make_claim(name, block.gpus), *std::move(devices), users);
    if (!alone) {
      Job job;
      job.uid = Uid("uid-" + name);
      job.name = job.lineage = "default/" + name;
      job.queue = policy::QueueName("over");
      job.created = job.queued = start;
      const auto size = static_cast<int>(members.size());
      job.gang = plain_gang(members.size(), std::min(block.minimum, size));
      job.members = std::move(members);
      jobs_.emplace(job.uid, std::move(job));
      return;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool last = i > 0 && i + 1 == members.size();
      auto job = single_pod_job(members[i].pod,
                                policy::QueueName(block.idle_queue && last ? "idle" : "over"),
                                start, members[i].node);
      job.preemptible = i == 0 || std::cmp_less(i + static_cast<std::size_t>(block.protected_pods),
                                                members.size());
      jobs_.emplace(job.uid, std::move(job));
    }
  }

  void wait(int gpus) {
    const auto name = "w" + std::to_string(owed_.size());
    tell(make_claim("c-" + name, gpus, name));
    const auto pod = make_pod(name, "c-" + name, false);
    tell(pod);
    auto job = single_pod_job(std::make_shared<const Pod>(pod), policy::QueueName("owed"), start);
    owed_.push_back(job.uid);
    jobs_.emplace(job.uid, std::move(job));
  }

  void start_job(const JobOutcome& outcome) {
    auto& member = jobs_.at(outcome.job).members.front();
    const auto& placement = outcome.placements.front();
    auto pod = *member.pod;
    pod.node_name = placement.node;
    pod.phase = "Running";
    tell(pod);
    auto claim = make_claim("c-" + pod.meta.name, 0, pod.meta.name);
    claim = *state_.claim(claim.key());
    tell_claim(claim, placement.claims.front().allocation, {pod.meta.name});
    member = {.pod = std::make_shared<const Pod>(pod),
              .state = MemberState::placed,
              .node = placement.node};
  }

  void evict(const Eviction& eviction) {
    auto& job = jobs_.at(eviction.job);
    for (const auto& uid : eviction.pods) {
      const auto member = std::ranges::find(job.members, uid,
                                            [](const Member& each) { return each.pod->meta.uid; });
      DRAY_CHECK(member != job.members.end());
      state_.apply(
          cluster::ObjectGone{Kind::pod, "default", member->pod->meta.name, member->pod->meta.uid});
      member->state = MemberState::done;
    }
    // What has gone does not come back; the others' places in the gang stay.
    const bool any = std::ranges::any_of(
        job.members, [](const Member& member) { return member.state != MemberState::done; });
    if (!any) job.members.clear();
  }

  /// As the claim controller does: who is gone uses nothing.
  void free_claims() {
    for (auto& [key, claim] : claims_) {
      const auto before = claim.reserved_for.size();
      std::erase_if(claim.reserved_for, [this](const ClaimConsumer& user) {
        const auto pod = state_.pod({"default", user.name});
        return !pod || pod->meta.uid != user.uid;
      });
      if (claim.reserved_for.size() == before) continue;
      torn_ = torn_ || !claim.reserved_for.empty();
      if (claim.reserved_for.empty()) claim.allocation.reset();
      tell(claim);
    }
  }

  cluster::ClusterState state_;
  policy::PolicyConfig config_;
  PlanInput input_;
  std::map<Uid, Job> jobs_;
  std::map<ClaimKey, ResourceClaim> claims_;
  std::vector<int> free_;  ///< GPUs in use, by node
  std::vector<Uid> owed_;
  int blocks_ = 0;
  bool torn_ = false;
};

TEST_CASE("nobody is protected from eviction by size or by sharing a claim") {
  const bool holds = rc::check("owed jobs run after two plans each", [] {
    const auto sketch = any_sketch();
    Cluster cluster(sketch);
    const auto bound = 2 * sketch.owed.size() + 1;
    for (std::size_t plans = 0; plans < bound && !cluster.all_owed_run(); ++plans) cluster.step();
    if (!cluster.all_owed_run()) RC_LOG() << sketch;
    RC_ASSERT(cluster.all_owed_run());
    RC_ASSERT(!cluster.any_claim_torn());
  });
  CHECK(holds);
}

}  // namespace
}  // namespace dray::planner::eviction_test
