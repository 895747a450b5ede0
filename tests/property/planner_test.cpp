#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/policy_world.h"

namespace dray::engine::planner_test {
namespace {

using bench::Gpus;
using bench::PolicyWorld;

struct QueueSketch {
  int parent = -1;  ///< an earlier one, or none
  int quota = 0;
  int weight = 1;
  int limit = 0;  ///< 0: none
};
struct JobSketch {
  std::size_t queue = 0;
  int gpus = 1;
  int pods = 1;
  int minimum = 1;
  int priority = 50;
  bool preemptible = true;
  std::string on;                        ///< all its pods' node; empty: it waits
  std::vector<std::string> places = {};  ///< of each pod; empty: see `on`
  std::vector<planner::EvictedFor> evicted_for = {};
};
struct Sketch {
  std::vector<int> nodes;  ///< GPUs of each
  std::vector<QueueSketch> queues;
  std::vector<JobSketch> jobs;
};

std::ostream& operator<<(std::ostream& out, const Sketch& sketch) {
  out << "nodes";
  for (const auto gpus : sketch.nodes) out << " " << gpus;
  for (const auto& q : sketch.queues) {
    out << "\nqueue parent " << q.parent << " quota " << q.quota << " weight " << q.weight
        << " limit " << q.limit;
  }
  for (const auto& j : sketch.jobs) {
    out << "\njob queue " << j.queue << " gpus " << j.gpus << " pods " << j.pods << " minimum "
        << j.minimum << " priority " << j.priority << (j.preemptible ? "" : " non-preemptible")
        << " on " << (j.on.empty() ? "-" : j.on);
  }
  return out;
}

std::string node_name(std::size_t i) {
  return "node" + std::to_string(i);
}

/// Two top queues with leaves, jobs that wait and jobs that run where there is room.
Sketch any_sketch() {
  Sketch sketch;
  sketch.nodes = *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 5),
                                                       rc::gen::inRange(1, 9));
  sketch.queues = {{}, {}};
  const auto leaves = *rc::gen::inRange(2, 5);
  for (auto& top : sketch.queues) top = {-1, *rc::gen::inRange(0, 12), 1, 0};
  for (int i = 0; i < leaves; ++i) {
    sketch.queues.push_back(
        {i % 2, *rc::gen::inRange(0, 7), *rc::gen::inRange(0, 4), *rc::gen::element(0, 0, 4, 8)});
  }
  auto free = sketch.nodes;
  const auto jobs = *rc::gen::inRange(1, 24);
  for (int i = 0; i < jobs; ++i) {
    JobSketch job;
    job.queue = 2 + static_cast<std::size_t>(*rc::gen::inRange(0, leaves));
    job.gpus = *rc::gen::inRange(1, 4);
    job.pods = *rc::gen::inRange(1, 4);
    job.minimum = *rc::gen::inRange(1, job.pods + 1);
    job.priority = *rc::gen::element(10, 50, 90);
    job.preemptible = *rc::gen::inRange(0, 4) != 0;
    const auto node = *rc::gen::inRange<std::size_t>(0, sketch.nodes.size() * 2);
    if (node < sketch.nodes.size() && free[node] >= job.gpus * job.pods) {
      free[node] -= job.gpus * job.pods;
      job.on = node_name(node);
    }
    sketch.jobs.push_back(job);
  }
  return sketch;
}

struct Names {
  bool reversed = false;  ///< the last queue's name comes first
  int weight = 1;
};

PolicyWorld build(const Sketch& sketch, Gpus kind, const Names& names = {}) {
  PolicyWorld world(kind);
  const auto queue_name = [&](int i) {
    return names.reversed ? "team" + std::to_string(9 - i) : "q" + std::to_string(i);
  };
  for (std::size_t i = 0; i < sketch.queues.size(); ++i) {
    const auto& q = sketch.queues[i];
    world.queue(queue_name(static_cast<int>(i)), q.parent < 0 ? "" : queue_name(q.parent), q.quota,
                std::int64_t{q.weight} * names.weight,
                q.limit > 0 ? std::optional<std::int64_t>(q.limit) : std::nullopt);
  }
  for (std::size_t i = 0; i < sketch.nodes.size(); ++i) world.node(node_name(i), sketch.nodes[i]);
  for (std::size_t i = 0; i < sketch.jobs.size(); ++i) {
    const auto& j = sketch.jobs[i];
    world.job({.name = "job" + std::to_string(100 + i),
               .queue = queue_name(static_cast<int>(j.queue)),
               .gpus = j.gpus,
               .pods = j.pods,
               .on = j.on,
               .required = {},
               .preemptible = j.preemptible,
               .priority = j.priority,
               .minimum = j.minimum,
               .places = j.places,
               .evicted_for = j.evicted_for});
  }
  return world;
}

planner::Plan plan(const Sketch& sketch, Gpus kind, const Names& names = {}) {
  auto world = build(sketch, kind, names);
  planner::Planner planner;
  return planner.plan(world.input({}));
}

std::size_t index_of(const Uid& job) {
  return static_cast<std::size_t>(std::stoi(job.get().substr(3)) - 100);
}

/// Pods of each job that have room once all of the plan is done, by node.
std::vector<std::map<std::string, int>> after(const Sketch& sketch, const planner::Plan& made) {
  std::vector<std::map<std::string, int>> rooms(sketch.jobs.size());
  for (std::size_t i = 0; i < sketch.jobs.size(); ++i) {
    if (!sketch.jobs[i].on.empty()) rooms[i][sketch.jobs[i].on] = sketch.jobs[i].pods;
  }
  for (const auto& job : made.jobs) {
    for (const auto& placement : job.placements) ++rooms[index_of(job.job)][placement.node.get()];
    for (const auto& placement : job.held) ++rooms[index_of(job.job)][placement.node.get()];
  }
  for (const auto& eviction : made.evictions) {
    auto& room = rooms[index_of(eviction.job)];
    room[sketch.jobs[index_of(eviction.job)].on] -= static_cast<int>(eviction.pods.size());
    for (const auto& placement : eviction.moved) ++room[placement.node.get()];
  }
  return rooms;
}

int pods_in(const std::map<std::string, int>& rooms) {
  int pods = 0;
  for (const auto& [node, count] : rooms) pods += count;
  return pods;
}

Gpus any_kind() {
  return *rc::gen::element(Gpus::node_resource, Gpus::slices);
}

void check(const char* name, const std::function<void()>& property) {
  CHECK(rc::check(name, property));
}

TEST_CASE("a plan over-commits no node, and no queue's limit") {
  check("within nodes and limits", [] {
    const auto sketch = any_sketch();
    const auto made = plan(sketch, any_kind());
    RC_LOG() << sketch;
    const auto rooms = after(sketch, made);
    std::map<std::string, int> used;
    std::vector<int> held(sketch.queues.size(), 0);
    std::vector<int> before(sketch.queues.size(), 0);
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      const auto& job = sketch.jobs[i];
      for (const auto& [node, pods] : rooms[i]) used[node] += pods * job.gpus;
      for (int q = static_cast<int>(job.queue); q >= 0;
           q = sketch.queues[static_cast<std::size_t>(q)].parent) {
        held[static_cast<std::size_t>(q)] += pods_in(rooms[i]) * job.gpus;
        if (!job.on.empty()) before[static_cast<std::size_t>(q)] += job.pods * job.gpus;
      }
    }
    for (std::size_t n = 0; n < sketch.nodes.size(); ++n) {
      RC_ASSERT(used[node_name(n)] <= sketch.nodes[n]);
    }
    for (std::size_t q = 0; q < sketch.queues.size(); ++q) {
      const auto limit = sketch.queues[q].limit;
      if (limit > 0) RC_ASSERT(held[q] <= std::max(limit, before[q]));
    }
  });
}

TEST_CASE("a device is given out once") {
  check("no device twice", [] {
    const auto sketch = any_sketch();
    auto world = build(sketch, Gpus::slices);
    planner::Planner planner;
    const auto made = planner.plan(world.input({}));
    RC_LOG() << sketch;
    std::set<DeviceId> taken;
    for (const auto& job : made.jobs) {
      for (const auto* list : {&job.placements, &job.held}) {
        for (const auto& placement : *list) {
          for (const auto& device : placement.claims.front().allocation.devices) {
            RC_ASSERT(taken.insert(device.device).second);
          }
        }
      }
    }
  });
}

TEST_CASE("a gang has nothing, or at least its minimum") {
  check("nothing or the minimum", [] {
    const auto sketch = any_sketch();
    const auto made = plan(sketch, any_kind());
    RC_LOG() << sketch;
    const auto rooms = after(sketch, made);
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      const auto pods = pods_in(rooms[i]);
      RC_ASSERT(pods == 0 || pods >= sketch.jobs[i].minimum);
    }
  });
}

TEST_CASE("what runs and may not be preempted goes on, and nobody is evicted for nobody") {
  check("only who may be evicted, for somebody who starts", [] {
    const auto sketch = any_sketch();
    const auto made = plan(sketch, any_kind());
    RC_LOG() << sketch;
    for (const auto& eviction : made.evictions) {
      RC_ASSERT(sketch.jobs[index_of(eviction.job)].preemptible);
      RC_ASSERT(!sketch.jobs[index_of(eviction.job)].on.empty());
      RC_ASSERT(eviction.beneficiary.has_value());
      const auto helped = std::ranges::any_of(made.jobs, [&](const auto& job) {
        return job.job == *eviction.beneficiary && !job.held.empty();
      });
      RC_ASSERT(helped);
    }
  });
}

TEST_CASE("queues differ from their fair share by one job at most while they wait") {
  check("fair to one job", [] {
    Sketch sketch;
    sketch.nodes = {*rc::gen::inRange(4, 60)};
    const auto queues = *rc::gen::inRange<std::size_t>(2, 5);
    for (std::size_t i = 0; i < queues; ++i) {
      sketch.queues.push_back({-1, 0, *rc::gen::inRange(1, 5), 0});
    }
    // Everybody asks for more than there is, one by one: no room is lost between sizes.
    for (std::size_t i = 0; i < queues * 60; ++i) {
      sketch.jobs.push_back({.queue = i % queues, .on = {}});
    }
    const auto made = plan(sketch, any_kind());
    RC_LOG() << sketch;
    std::vector<int> held(queues, 0);
    const auto rooms = after(sketch, made);
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      held[sketch.jobs[i].queue] += pods_in(rooms[i]);
    }
    for (std::size_t i = 0; i < queues; ++i) {
      RC_ASSERT(std::abs(held[i] - made.queues[i].fair_share[2]) <= 1);
    }
  });
}

TEST_CASE("scaling all weights changes nothing, nor do other names for the queues") {
  check("weights are relative", [] {
    const auto sketch = any_sketch();
    RC_LOG() << sketch;
    const auto kind = any_kind();
    RC_ASSERT(plan(sketch, kind).jobs == plan(sketch, kind, {.reversed = false, .weight = 8}).jobs);
  });
  check("names mean nothing", [] {
    const auto sketch = any_sketch();
    RC_LOG() << sketch;
    const auto kind = any_kind();
    const auto one = after(sketch, plan(sketch, kind));
    const auto other = after(sketch, plan(sketch, kind, {.reversed = true, .weight = 1}));
    RC_ASSERT(one == other);
  });
}

TEST_CASE("an idle node more never hurts") {
  check("as many start", [] {
    auto sketch = any_sketch();
    for (auto& job : sketch.jobs) job.gpus = job.pods = job.minimum = 1;
    for (auto& queue : sketch.queues) queue.quota = 0;
    const auto started = [&] {
      std::size_t count = 0;
      auto world = build(sketch, Gpus::slices);
      planner::Planner planner;
      for (const auto& job : planner.plan(world.input({true, false, false, false, false})).jobs) {
        count += job.placements.size();
      }
      return count;
    };
    RC_LOG() << sketch;
    const auto before = started();
    sketch.nodes.push_back(*rc::gen::inRange(1, 9));
    RC_ASSERT(started() >= before);
  });
}

/// The cluster once all of a plan has been done.
void carry_out(Sketch& sketch, const planner::Plan& made) {
  const auto pod_of = [](const Uid& pod) {
    return static_cast<std::size_t>(std::stoi(pod.get().substr(pod.get().find('-') + 1)));
  };
  for (auto& job : sketch.jobs) {
    job.places.resize(static_cast<std::size_t>(job.pods), job.on);
    job.on.clear();
  }
  for (const auto& eviction : made.evictions) {
    auto& places = sketch.jobs[index_of(eviction.job)].places;
    for (const auto& pod : eviction.pods) places[pod_of(pod)].clear();
    for (const auto& to : eviction.moved) places[pod_of(to.pod_uid)] = to.node.get();
    if (eviction.moved.size() == eviction.pods.size()) continue;
    auto& evicted_for = sketch.jobs[index_of(eviction.job)].evicted_for;
    const planner::EvictedFor mark{eviction.beneficiary->get(), Time::max()};
    const auto at = std::ranges::lower_bound(evicted_for, mark.beneficiary, {},
                                             &planner::EvictedFor::beneficiary);
    if (at == evicted_for.end() || at->beneficiary != mark.beneficiary)
      evicted_for.insert(at, mark);
  }
  for (const auto& job : made.jobs) {
    auto& places = sketch.jobs[index_of(job.job)].places;
    for (const auto* list : {&job.placements, &job.held}) {
      for (const auto& to : *list) places[pod_of(to.pod_uid)] = to.node.get();
    }
  }
}

TEST_CASE("taking back ends: whoever was evicted does not take its room back") {
  check("plan after plan comes to rest", [] {
    auto sketch = any_sketch();
    RC_LOG() << sketch;
    const auto kind = any_kind();
    const auto enough = sketch.jobs.size() + 2;
    std::size_t rounds = 0;
    for (bool moved = true; moved; ++rounds) {
      const auto made = plan(sketch, kind);
      moved = !made.evictions.empty() || std::ranges::any_of(made.jobs, [](const auto& job) {
        return !job.placements.empty() || !job.held.empty();
      });
      for (const auto& eviction : made.evictions)
        RC_LOG() << rounds << " " << eviction.detail << "\n";
      RC_ASSERT(rounds < enough);
      carry_out(sketch, made);
    }
  });
}

TEST_CASE("a plan leaves nothing behind: the next one is the same, and as a new planner's") {
  check("the same again", [] {
    const auto sketch = any_sketch();
    RC_LOG() << sketch;
    auto world = build(sketch, any_kind());
    const auto input = world.input({});
    planner::Planner planner;
    auto first = planner.plan(input);
    auto second = planner.plan(input);
    first.nodes_tried = second.nodes_tried = 0;  // what is remembered saves work
    RC_ASSERT(first == second);
  });
}

}  // namespace
}  // namespace dray::engine::planner_test
