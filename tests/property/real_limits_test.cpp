#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/planner/fixture.h"

// Limits hold for the devices that claims really get: with All, prioritized lists, parts of
// devices and gangs, after any plan and over rows of plans; and a job is placed that has an
// alternative within its limit that fits.

namespace dray::planner::real_limits_test {

using namespace worlds;
namespace {

constexpr int parts_of_device = 8;

/// One alternative: so many whole devices, all of a node, or a part of one.
struct Choice {
  enum class Kind { count, all, part } kind = Kind::count;
  int amount = 1;
  bool nowhere = false;  ///< no device is like that
};
struct JobSketch {
  std::size_t queue = 0;
  int pods = 1;
  bool preemptible = true;
  std::vector<Choice> choices;  ///< several: a prioritized list
};
struct Sketch {
  std::vector<int> nodes;   ///< whole devices of each
  std::vector<int> shared;  ///< shareable devices of each
  std::vector<int> limits;  ///< of queues q0, q1; below them one leaf each has the next two
  std::vector<int> quotas;
  bool reclaim = false;
  std::vector<JobSketch> jobs;
};

std::ostream& operator<<(std::ostream& out, const Sketch& sketch) {
  for (std::size_t i = 0; i < sketch.nodes.size(); ++i) {
    out << "node " << sketch.nodes[i] << " + " << sketch.shared[i] << " shareable\n";
  }
  for (std::size_t i = 0; i < sketch.limits.size(); ++i) {
    out << "queue " << i << " limit " << sketch.limits[i] << " quota " << sketch.quotas[i] << "\n";
  }
  out << (sketch.reclaim ? "all actions\n" : "");
  for (const auto& job : sketch.jobs) {
    out << "job queue " << job.queue << " pods " << job.pods
        << (job.preemptible ? "" : " non-preemptible") << ":";
    for (const auto& choice : job.choices) {
      out << (choice.kind == Choice::Kind::all    ? " all"
              : choice.kind == Choice::Kind::part ? " part "
                                                  : " ");
      if (choice.kind != Choice::Kind::all) out << choice.amount;
      if (choice.nowhere) out << " (nowhere)";
    }
    out << "\n";
  }
  return out;
}

Choice any_choice() {
  Choice choice;
  choice.kind = *rc::gen::element(Choice::Kind::count, Choice::Kind::count, Choice::Kind::all,
                                  Choice::Kind::part);
  choice.amount = *rc::gen::inRange(1, 7);
  choice.nowhere = *rc::gen::inRange(0, 5) == 0;
  return choice;
}

Sketch any_sketch(int most_jobs) {
  Sketch sketch;
  const auto nodes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < nodes; ++i) {
    sketch.nodes.push_back(*rc::gen::inRange(0, 9));
    sketch.shared.push_back(*rc::gen::element(0, 0, 1, 3));
  }
  for (int i = 0; i < 4; ++i) {
    sketch.limits.push_back(*rc::gen::inRange(1, 12));
    sketch.quotas.push_back(*rc::gen::inRange(0, 6));
  }
  sketch.reclaim = *rc::gen::arbitrary<bool>();
  const auto jobs = *rc::gen::inRange(1, most_jobs + 1);
  for (int i = 0; i < jobs; ++i) {
    JobSketch job;
    job.queue = *rc::gen::inRange<std::size_t>(0, 2);
    job.pods = *rc::gen::element(1, 1, 2, 3);
    job.preemptible = *rc::gen::inRange(0, 3) != 0;
    const auto choices = *rc::gen::inRange(1, 4);
    for (int c = 0; c < choices; ++c) job.choices.push_back(any_choice());
    sketch.jobs.push_back(job);
  }
  return sketch;
}

DeviceRequestSpec spec_of(const Choice& choice) {
  auto spec = testing::exactly(choice.amount, "gpu");
  if (choice.kind == Choice::Kind::all) {
    spec.allocation_mode = "All";
    spec.count = 0;
  }
  if (choice.kind == Choice::Kind::part) {
    spec.count = 1;
    spec.device_class = ClassName("shared");
    spec.has_capacity = true;
    spec.capacity_requests["memory"] = Quantity(choice.amount);
  }
  if (choice.nowhere) spec.selectors.push_back({"false"});
  return spec;
}

ResourceClaim claim_of(const std::string& pod, const JobSketch& job) {
  auto claim = make_claim("c-" + pod, 1, pod);
  DeviceRequest asked;
  asked.name = "gpu";
  if (job.choices.size() == 1) {
    asked.exactly = spec_of(job.choices.front());
  } else {
    for (const auto& choice : job.choices) {
      auto& spec = asked.first_available.emplace_back(spec_of(choice));
      spec.name = "n" + std::to_string(asked.first_available.size());
    }
  }
  claim.spec.requests = {asked};
  return claim;
}

std::string leaf(std::size_t top) {
  return "l" + std::to_string(top);
}

/// The sketch as a world, in which pods run that earlier plans have placed.
class Row {
 public:
  explicit Row(const Sketch& sketch) : sketch_(sketch) {}

  Plan plan() {
    auto world = build();
    return planner_.plan(world.make_input());
  }

  /// Does all that the plan says: who is evicted waits again.
  void carry_out(const Plan& plan) {
    for (const auto& eviction : plan.evictions) {
      for (const auto& pod : eviction.pods) places_.erase(pod.get().substr(4));
      for (const auto& placement : eviction.moved) places_[placement.pod.name] = placement;
    }
    for (const auto& outcome : plan.jobs) {
      for (const auto* list : {&outcome.placements, &outcome.held}) {
        for (const auto& placement : *list) places_[placement.pod.name] = placement;
      }
    }
  }

  /// What each top queue holds by the devices of its pods.
  [[nodiscard]] std::vector<double> held() const {
    std::vector<double> held(2, 0);
    for (const auto& [pod, placement] : places_) {
      const auto& job = sketch_.jobs[job_of(pod)];
      for (const auto& claim : placement.claims) {
        for (const auto& device : claim.allocation.devices) {
          const auto memory = device.consumed_capacity.find("memory");
          held[job.queue] += memory == device.consumed_capacity.end()
                                 ? 1
                                 : memory->second.as_approximate_double() / parts_of_device;
        }
      }
    }
    return held;
  }
  /// Of those that are not preemptible.
  [[nodiscard]] std::vector<double> held_for_good() const {
    Row only(sketch_);
    for (const auto& [pod, placement] : places_) {
      if (!sketch_.jobs[job_of(pod)].preemptible) only.places_[pod] = placement;
    }
    return only.held();
  }

 private:
  static std::size_t job_of(const std::string& pod) {
    return static_cast<std::size_t>(std::stoi(pod.substr(1, pod.find('x') - 1)));
  }

  World build() {
    World world;
    world.config.reclaim.enabled = world.config.preemption.enabled =
        world.config.consolidation.enabled = sketch_.reclaim;
    world.tell(testing::make_driver_class("shared", "shared.example.com"));
    policy::CountingRule rule;
    rule.device_class = ClassName("shared");
    world.config.resources[0].rules.push_back(rule);
    for (std::size_t top = 0; top < 2; ++top) {
      const auto name = "q" + std::to_string(top);
      world.queue(name, sketch_.quotas[top]).limit["gpu"] = Quantity(sketch_.limits[top]);
      const auto own = std::min(sketch_.quotas[top], sketch_.quotas[top + 2]);
      world.queue(leaf(top), own, name).limit["gpu"] = Quantity(sketch_.limits[top + 2]);
    }
    for (std::size_t i = 0; i < sketch_.nodes.size(); ++i) {
      const auto name = "n" + std::to_string(i);
      world.node(name, sketch_.nodes[i]);
      auto shared = testing::make_slice(name, {}, "shared.example.com");
      for (int d = 0; d < sketch_.shared[i]; ++d) {
        auto& device = shared.devices.emplace_back(testing::device("s" + std::to_string(d)));
        device.allow_multiple_allocations = true;
        device.capacity["memory"] = {.value = Quantity(parts_of_device), .request_policy = {}};
      }
      if (!shared.devices.empty()) world.tell(shared);
    }
    for (std::size_t i = 0; i < sketch_.jobs.size(); ++i) add_job(world, i);
    return world;
  }

  void add_job(World& world, std::size_t index) {
    const auto& sketch = sketch_.jobs[index];
    const auto name = "j" + std::to_string(index);
    auto& job = world.gang(name, leaf(sketch.queue), sketch.pods);
    job.preemptible = sketch.preemptible;
    for (int p = 0; p < sketch.pods; ++p) {
      const auto pod = name + "x" + std::to_string(p);
      world.member(job, pod, 1);
      auto claim = claim_of(pod, sketch);
      const auto place = places_.find(pod);
      if (place != places_.end()) {
        auto& member = job.members.back();
        auto runs = *member.pod;
        runs.node_name = place->second.node;
        runs.phase = "Running";
        world.tell(runs);
        member = {.pod = std::make_shared<const Pod>(runs),
                  .state = MemberState::placed,
                  .node = place->second.node};
        claim.allocation = place->second.claims.front().allocation;
        claim.reserved_for = {
            {.api_group = {}, .resource = "pods", .name = pod, .uid = Uid("uid-" + pod)}};
      }
      world.tell(claim);
    }
  }

  Sketch sketch_;
  Planner planner_{alloc::AllocatorOptions{}};
  std::map<std::string, Placement> places_;  ///< by pod
};

TEST_CASE("no queue holds more real devices than its limit, over any row of plans") {
  const bool holds = rc::check("limits on real devices", [] {
    const auto sketch = any_sketch(7);
    RC_LOG() << sketch;
    Row row(sketch);
    for (int round = 0; round < 4; ++round) {
      const auto before = row.held();
      const auto before_for_good = row.held_for_good();
      row.carry_out(row.plan());
      const auto held = row.held();
      const auto for_good = row.held_for_good();
      for (std::size_t top = 0; top < 2; ++top) {
        const double limit = std::min(sketch.limits[top], sketch.limits[top + 2]);
        const double quota = std::min(sketch.quotas[top], sketch.quotas[top + 2]);
        RC_ASSERT(held[top] <= std::max(limit, before[top]) + 1e-9);
        RC_ASSERT(for_good[top] <= std::max(quota, before_for_good[top]) + 1e-9);
      }
    }
  });
  CHECK(holds);
}

/// Whether some node has devices for one of the choices, and they are within the bound.
bool can_be_placed(const Sketch& sketch, const JobSketch& job, double bound) {
  for (std::size_t node = 0; node < sketch.nodes.size(); ++node) {
    for (const auto& choice : job.choices) {
      if (choice.nowhere) continue;
      const int devices = sketch.nodes[node];
      switch (choice.kind) {
        case Choice::Kind::count:
          if (choice.amount <= devices && choice.amount <= bound) return true;
          break;
        case Choice::Kind::all:
          if (devices > 0 && devices <= bound) return true;
          break;
        case Choice::Kind::part:
          if (sketch.shared[node] > 0 &&
              static_cast<double>(choice.amount) / parts_of_device <= bound) {
            return true;
          }
          break;
      }
    }
  }
  return false;
}

TEST_CASE("a job that has an alternative within its limit that fits is placed") {
  CHECK(rc::check("placed if it may be", [] {
    auto sketch = any_sketch(1);
    sketch.jobs[0].pods = 1;
    const auto& job = sketch.jobs[0];
    double bound = std::min(sketch.limits[job.queue], sketch.limits[job.queue + 2]);
    if (!job.preemptible) {
      bound = std::min<double>(bound, sketch.quotas[job.queue]);
      bound = std::min<double>(bound, sketch.quotas[job.queue + 2]);
    }
    RC_LOG() << sketch;
    const auto plan = Row(sketch).plan();
    RC_ASSERT(!plan.jobs.front().placements.empty() == can_be_placed(sketch, job, bound));
  }));
}

}  // namespace
}  // namespace dray::planner::real_limits_test
