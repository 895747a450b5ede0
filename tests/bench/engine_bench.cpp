#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/engine/engine.h"
#include "dray/planner/explanation.h"
#include "tests/objects/gpus.h"

// How long the engine's strand is held by one step where 20,000 pods wait, 8,000 of them in 2,000
// gangs, on 5,000 full nodes, without queues, with two, with gangs whose groups are not there
// (yet), and with a tenant who makes 20,000 pods more, of which no two ask for the same: CPU time,
// by what the step was told or asked. Everything is played twice, step by step the same, and of
// each step the lesser time counts: the machine's other work is not the strand's. A plan itself
// runs beside the strand; what it takes to ask for it, and to take it, is in the rows of that name.
//
// usage: dray_engine_bench

namespace dray::bench {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr int node_count = 5'000;
constexpr int gpus_a_node = 8;
constexpr int singles = 12'000;
constexpr int gangs = 2'000;
constexpr int members = 4;
constexpr int rounds = 40;
constexpr int unlike = 20'000;     ///< more than planners and allocators remember
constexpr std::size_t page = 256;  ///< as the dashboard reads
constexpr double most_microseconds = 500;

/// As long as those of clouds are: longer than what a std::string holds in itself.
std::string node_name(int i) {
  return fmt::format("accelerator-{:05}.region.compute.internal", i);
}

double microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

engine::Options options() {
  engine::Options made;
  made.plan_pause = 50ms;
  return made;
}

ResourceClaim held(const std::string& pod, const std::string& node) {
  auto claim = make_claim("c-" + pod, gpus_a_node, pod);
  auto& allocation = claim.allocation.emplace();
  for (int i = 0; i < gpus_a_node; ++i) {
    allocation.devices.push_back(allocated(device_id(node, "gpu-" + std::to_string(i))));
  }
  claim.reserved_for = {
      {.api_group = "", .resource = "pods", .name = pod, .uid = Uid("uid-" + pod)}};
  return claim;
}

/// Two queues that share all GPUs; waiting pods and running ones are in both.
std::shared_ptr<const policy::PolicyConfig> two_queues() {
  auto made = std::make_shared<policy::PolicyConfig>();
  for (const auto* name : {"research", "service"}) {
    policy::QueueConfig queue;
    queue.name = policy::QueueName(name);
    made->queues.push_back(queue);
  }
  made->pod_queues.otherwise = policy::QueueName("research");
  return made;
}

/// What the service does on other threads: the strand's memory is not theirs to leave in disorder.
template <class Work>
auto beside(Work work) {
  return std::async(std::launch::async, std::move(work)).get();
}

/// One engine, and what its steps took.
class Strand {
 public:
  /// `groups`: those that pods name are there; else these pods are in no job.
  explicit Strand(std::shared_ptr<const policy::PolicyConfig> policy, bool groups = true)
      : engine_(options()), groups_(groups) {
    if (policy) step("loading", engine::PolicyChanged{std::move(policy)});
    load();
    steps_.clear();
  }

  /// kube-scheduler asks where the pod, which was not planned, may run: of all nodes.
  void ask(const char* what, const Pod& pod) {
    auto request = beside([&] {
      extender::FilterRequest made;
      made.pod = pod;
      made.node_names.emplace();
      for (int i = 0; i < node_count; ++i) made.node_names->emplace_back(node_name(i));
      return made;
    });
    const auto begin = microseconds();
    auto answer = engine_.filter(request, now_);
    note(what, microseconds() - begin, answer.effects);
    beside([gone = std::pair(std::move(request), std::move(answer))] {});
  }

  /// What others read on the strand: metrics, the dashboard page by page, an explanation.
  void look() {
    engine::Engine::Status status;
    timed("a probe", [&] { status = engine_.figures(); });
    std::optional<Uid> counted;
    do {
      timed("a page of pods is counted",
            [&] { counted = engine_.count_pods(counted, page, status); });
    } while (counted);
    timed("a picture begins", [&] { static_cast<void>(engine_.picture()); });
    std::optional<Uid> last;
    for (bool more = true; more;) {
      std::vector<engine::Engine::JobRow> rows;
      timed("a page of jobs", [&] { rows = engine_.jobs_after(last, page, now_); });
      more = rows.size() == page;
      if (more) last = rows.back().job->uid;
      beside([gone = std::move(rows)] {});
    }
    last.reset();
    for (bool more = true; more;) {
      std::vector<engine::Engine::UnformedPod> pods;
      timed("a page of pods in no job", [&] { pods = engine_.unformed(last, page); });
      more = pods.size() == page;
      if (more) last = pods.back().uid;
      beside([gone = std::move(pods)] {});
    }
    timed("a pod's explanation begins", [&] {
      static_cast<void>(engine_.question({"default", fmt::format("s{:05}", 7)}, now_));
    });
    timed("a gang's explanation begins", [&] {
      static_cast<void>(engine_.question({"default", fmt::format("g{:05}", 7)}, now_));
    });
  }

  void tell(const char* what, KubeObject object) {
    step(what, cluster::ObjectChanged{std::move(object)});
  }

  void step(const char* what, const engine::Event& event) {
    const auto begin = microseconds();
    auto effects = engine_.apply(event, now_);
    note(what, microseconds() - begin, effects);
  }

  /// Carries out what is due until a plan was made and taken; writes succeed.
  void settle() {
    for (int i = 0; i < 1000; ++i) {
      answer_writes();
      if (wanted_) {
        const auto want = *std::exchange(wanted_, std::nullopt);
        last_ = beside(
            [&] { return std::make_shared<const planner::Plan>(planner_.plan(*want.input)); });
        step("a plan is taken", engine::Planned{want.generation, last_});
        continue;
      }
      const auto next = engine_.next_tick();
      if (!next || *next > now_ + 100ms) break;
      now_ = std::max(now_, *next);
      tick();
    }
    now_ += 100ms;
    tick();
  }

  /// `other` was told and asked the same.
  void keep_lesser(const Strand& other) {
    for (auto& [what, times] : steps_) {
      const auto& again = other.steps_.at(what);
      if (again.size() != times.size()) throw std::logic_error(what + ": other steps");
      std::ranges::transform(times, again, times.begin(), std::ranges::min);
    }
  }

  bool print(const char* title) {
    bool good = true;
    fmt::print("{:<40} {:>7} {:>9} {:>9}  {}\n", "a step, us of CPU", "steps", "median", "most",
               title);
    for (auto& [what, times] : steps_) {
      std::ranges::sort(times);
      fmt::print("{:<40} {:>7} {:>9.0f} {:>9.0f}\n", what, times.size(), times[times.size() / 2],
                 times.back());
      good = good && times.back() <= most_microseconds;
    }
    return good;
  }

  Pod waiting(const std::string& name, const std::string& group = {}) {
    auto pod = make_pod(name, "c-" + name);
    if (!group.empty()) pod.pod_group = group;
    return pod;
  }
  [[nodiscard]] static Pod running(int i) {
    const auto name = fmt::format("r{:05}", i);
    auto pod = make_pod(name, "c-" + name, false);
    pod.node_name = NodeName(node_name(i));
    return pod;
  }

 private:
  void load() {
    tell("loading", make_class());
    for (int i = 0; i < node_count; ++i) {
      const auto node = node_name(i);
      tell("loading", make_node(node));
      tell("loading", make_gpus(node, gpus_a_node));
      const auto pod = running(i);
      tell("loading", held(pod.meta.name, node));
      tell("loading", pod);
    }
    for (int i = 0; i < singles; ++i) add(fmt::format("s{:05}", i), {});
    for (int i = 0; i < gangs; ++i) {
      const auto group = fmt::format("g{:05}", i);
      if (groups_) tell("loading", make_group(group, members));
      for (int k = 0; k < members; ++k) add(fmt::format("{}-{}", group, k), group);
    }
    step("loading", engine::Synced{});
    step("loading", engine::LeadershipChanged{true, 1});
    for (int i = 0; i < 3; ++i) settle();
    now_ += 5s;
    settle();
  }

  void add(const std::string& name, const std::string& group) {
    tell("loading", make_claim("c-" + name, 1, name));
    tell("loading", waiting(name, group));
  }

  template <class Step>
  void timed(const char* what, const Step& step) {
    const auto begin = microseconds();
    step();
    steps_[what].push_back(microseconds() - begin);
  }

  void tick() {
    const auto begin = microseconds();
    auto effects = engine_.tick(now_);
    note("a timer", microseconds() - begin, effects);
  }

  void note(const char* what, double took, engine::Effects& effects) {
    for (auto& effect : effects) {
      if (auto* want = std::get_if<engine::WantPlan>(&effect)) {
        wanted_ = std::move(*want);
        what = "a plan is asked for";
      }
      if (auto* send = std::get_if<engine::SendWrite>(&effect)) writes_.push_back(send->id);
    }
    steps_[what].push_back(took);
  }

  void answer_writes() {
    for (const auto id : std::exchange(writes_, {})) {
      step("a write is done", engine::WriteDone{id, engine::WrittenObject{}});
    }
  }

  engine::Engine engine_;
  const bool groups_;
  planner::Planner planner_;
  std::shared_ptr<const planner::Plan> last_;
  Time now_ = start;
  std::optional<engine::WantPlan> wanted_;
  std::vector<engine::WriteId> writes_;
  std::map<std::string, std::vector<double>> steps_;
};

void play(Strand& strand) {
  for (int i = 0; i < rounds; ++i) {
    const auto name = fmt::format("new{:04}", i);
    strand.tell("a claim appears", make_claim("c-" + name, 1, name));
    strand.tell("a pod appears", strand.waiting(name));
    auto pod = strand.waiting(fmt::format("s{:05}", i));
    pod.meta.labels["x"] = "y";
    strand.tell("a waiting pod changes", pod);
    auto heartbeat = make_node(node_name(i + 1000));
    heartbeat.meta.resource_version = ResourceVersion("77");
    strand.tell("a node's heartbeat", heartbeat);
    heartbeat.meta.labels["x"] = "y";
    strand.tell("a node's label changes", heartbeat);
    strand.tell("a claim appears", make_claim("c-open" + name, 1, "open" + name));
    auto open = make_pod("open" + name, "c-open" + name, false);
    strand.tell("a pod without a gate", open);
    strand.ask("a pod is asked for", open);
    strand.ask("a pod is asked for again", open);
    // What it may have is its own: nothing that nodes said to others counts for it.
    auto sharing = make_pod("sharing" + name, "c-" + name, false);
    strand.tell("a pod without a gate", sharing);
    strand.ask("a pod with another's claim is asked for", sharing);
    strand.tell("a group appears", make_group("h" + name, 2));
    strand.tell("a group changes", make_group(fmt::format("g{:05}", i), members + i % 2));
    strand.settle();
    const auto over = Strand::running(i);
    strand.step("a pod ends",
                cluster::ObjectGone{Kind::pod, "default", over.meta.name, over.meta.uid});
    strand.step("a claim goes",
                cluster::ObjectGone{Kind::resource_claim, "default", "c-" + over.meta.name,
                                    Uid("uid-c-" + over.meta.name)});
    strand.settle();
    if (i % 10 == 0) strand.look();
  }
}

/// Each pod and each selector is like no other, and gone soon: what is remembered of them, too.
void play_unlike(Strand& strand) {
  for (int i = 0; i < unlike; ++i) {
    const auto name = fmt::format("unlike{:05}", i);
    auto claim = make_claim("c-" + name, 1, name);
    claim.spec.requests[0].exactly->selectors.push_back(
        {.cel = fmt::format("device.driver != 'd{}.example.com'", i)});
    strand.tell("a claim like no other appears", claim);
    auto pod = make_pod(name, "c-" + name, false);
    pod.containers[0].requests["cpu"] = Quantity::from_milli(i + 1);
    strand.tell("a pod like no other appears", pod);
    strand.ask("a pod like no other is asked for", pod);
    strand.step("a pod like no other goes",
                cluster::ObjectGone{Kind::pod, "default", name, pod.meta.uid});
    strand.step("a claim like no other goes", cluster::ObjectGone{Kind::resource_claim, "default",
                                                                  claim.meta.name, claim.meta.uid});
    if (i % 100 == 0) strand.settle();
  }
}

}  // namespace
}  // namespace dray::bench

int main() {
  using dray::bench::Strand;
  bool good = true;
  const auto run = [&](const char* title, const auto& policy, bool groups, const auto& play) {
    Strand strand(policy, groups);
    play(strand);
    Strand again(policy, groups);
    play(again);
    strand.keep_lesser(again);
    good = strand.print(title) && good;
  };
  run("(no queues)", nullptr, true, dray::bench::play);
  run("(two queues)", dray::bench::two_queues(), true, dray::bench::play);
  run("(groups are missing)", nullptr, false, dray::bench::play);
  run("(no two alike)", nullptr, true, dray::bench::play_unlike);
  return good ? 0 : 1;
}
