#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "dray/engine/engine.h"
#include "dray/planner/explain_until.h"
#include "tests/objects/gpus.h"

// How long an explanation takes that the dashboard gives, pod by pod: of a cluster of 5,000 nodes
// with 8 GPUs each, where 15,000 pods in three queues run and 5,000 wait, with and without a policy
// that evicts. CPU time of the one thread; `cost` is ExplainWork's, which a test bounds. It fails
// where the 95th percentile is above half a second.
//
// usage: dray_explain_bench [NODES [RUNNING [WAITING [ASKED]]]]

namespace dray::bench {
namespace {

using namespace testing;

constexpr int gpus_a_node = 8;
constexpr int queues = 3;
constexpr double most_milliseconds = 500;

double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct Size {
  int nodes = 5'000;
  int running = 15'000;
  int waiting = 5'000;
  int asked = 40;
};

std::shared_ptr<const policy::PolicyConfig> policy_of(const Size& size, bool evicts) {
  policy::PolicyConfig config;
  policy::CountingRule rule;
  rule.device_class = ClassName("gpu");
  config.resources = {{.name = "gpu", .rules = {rule}}};
  for (int q = 0; q < queues; ++q) {
    auto& queue = config.queues.emplace_back();
    queue.name = policy::QueueName(fmt::format("q{}", q));
    queue.quota["gpu"] = Quantity(std::int64_t{size.nodes} * gpus_a_node / queues);
  }
  config.pod_queues.otherwise = policy::QueueName("q0");
  config.reclaim.enabled = config.preemption.enabled = evicts;
  return std::make_shared<const policy::PolicyConfig>(std::move(config));
}

/// A pod in the namespace of its queue, with its claim.
class Cluster {
 public:
  Cluster(const Size& size, bool evicts) : engine_({}) {
    tell(engine::PolicyChanged{policy_of(size, evicts)});
    see(make_class());
    for (int i = 0; i < size.nodes; ++i) {
      const auto name = fmt::format("node-{:05}", i);
      see(make_node(name));
      see(make_gpus(name, gpus_a_node));
    }
    int device = 0;
    for (int i = 0; i < size.running; ++i) {
      const auto gpus = i % 3 == 0 ? 4 : 2;  // 2.67 of each pod's
      if (device % gpus_a_node + gpus > gpus_a_node) device += gpus_a_node - device % gpus_a_node;
      const auto node = device / gpus_a_node;
      if (node >= size.nodes) break;
      pod(fmt::format("r{:05}", i), i, gpus, fmt::format("node-{:05}", node), device % gpus_a_node);
      device += gpus;
    }
    for (int i = 0; i < size.waiting; ++i) pod(fmt::format("w{:05}", i), i, i % 5 == 0 ? 8 : 4);
    tell(engine::Synced{});
    tell(engine::LeadershipChanged{true, 1});
    now_ += std::chrono::minutes(10);
  }

  planner::Question question(int i) {
    const auto space = fmt::format("team-{}", i % queues);
    return engine_.question({space, fmt::format("w{:05}", i)}, now_).value();
  }

 private:
  void tell(const engine::Event& event) { static_cast<void>(engine_.apply(event, now_)); }
  void see(KubeObject object) { tell(cluster::ObjectChanged{std::move(object)}); }

  void pod(const std::string& name, int number, int gpus, const std::string& node = {},
           int first = 0) {
    auto made = with_claim(make_pod(name), "c-" + name);
    made.meta.namespace_name = fmt::format("team-{}", number % queues);
    made.meta.labels["dray.dev/queue"] = fmt::format("q{}", number % queues);
    auto claim = make_claim("c-" + name, gpus, name);
    claim.meta.namespace_name = made.meta.namespace_name;
    if (!node.empty()) {
      auto& allocation = claim.allocation.emplace();
      for (int i = 0; i < gpus; ++i) {
        allocation.devices.push_back(allocated(device_id(node, fmt::format("gpu-{}", first + i))));
      }
      claim.reserved_for = {consumer(name, made.meta.uid)};
      made.node_name = NodeName(node);
      made.phase = "Running";
    } else {
      made.scheduling_gates = {"dray.dev/admission"};
    }
    see(std::move(claim));
    see(std::move(made));
  }

  engine::Engine engine_;
  Time now_ = start;
};

}  // namespace

/// Whether the bound is kept.
bool run(const Size& size, bool evicts) {
  Cluster cluster(size, evicts);
  std::vector<double> took;
  // Of those that a plan reaches, and of those behind them.
  for (int i = 0; i < size.asked; ++i) {
    const auto at = i % 2 == 0 ? i : i * (size.waiting / size.asked);
    const auto question = cluster.question(at);
    planner::ExplainWork work;
    const auto begin = milliseconds();
    const auto made =
        planner::explain_until(question, engine::allocator_options({}, 3), {}, &work).value();
    took.push_back(milliseconds() - begin);
    fmt::print("{:8.1f} ms {:4} plans {:8} cost  {} {}: {}\n", took.back(), work.plans, work.cost,
               made.pod, planner::name(made.standing), made.summary.substr(0, 60));
  }
  std::ranges::sort(took);
  const auto p95 = took[took.size() * 95 / 100];
  fmt::print("{} evictions: p50 {:.1f} ms, p95 {:.1f} ms, most {:.1f} ms\n",
             evicts ? "with" : "without", took[took.size() / 2], p95, took.back());
  return p95 <= most_milliseconds;
}

}  // namespace dray::bench

int main(int argc, char** argv) {
  dray::bench::Size size;
  const std::array places{&size.nodes, &size.running, &size.waiting, &size.asked};
  for (int i = 1; i < std::min(argc, 5); ++i) {
    *places.at(static_cast<std::size_t>(i - 1)) = std::max(std::atoi(argv[i]), 1);
  }
  bool kept = true;
  for (const bool evicts : {true, false}) kept = dray::bench::run(size, evicts) && kept;
  return kept ? 0 : 1;
}
