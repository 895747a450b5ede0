#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/planner/fixture.h"

// The promise of room that is kept (docs/policy.md): a job for which it is kept starts at the
// latest when the jobs that run there then have ended, whatever others submit.

namespace dray::planner::kept_room_test {
namespace {

using namespace std::chrono_literals;
using worlds::World;

struct JobSketch {
  std::string name;
  int queue = 0;
  int pods = 1;
  int gpus = 1;
  int priority = 0;
  int arrives = 0;  ///< minutes
  int runs = 1;     ///< minutes
  bool known = false;
};

struct Sketch {
  std::vector<int> nodes;
  int queues = 1;
  std::vector<JobSketch> jobs;
};

std::ostream& operator<<(std::ostream& out, const Sketch& sketch) {
  out << sketch.queues << " queues, nodes";
  for (const auto gpus : sketch.nodes) out << " " << gpus;
  for (const auto& job : sketch.jobs) {
    out << "\n"
        << job.name << " queue " << job.queue << " " << job.pods << "x" << job.gpus << " priority "
        << job.priority << " at " << job.arrives << " runs " << job.runs
        << (job.known ? " known" : "");
  }
  return out;
}

/// More small jobs than there is room for, and some that need several nodes or a whole one.
Sketch any_sketch() {
  Sketch sketch;
  const auto size = *rc::gen::element(2, 4);
  sketch.nodes.assign(*rc::gen::inRange<std::size_t>(1, 4), size);
  sketch.queues = *rc::gen::inRange(1, 4);
  const auto add = [&](const char* kind, int pods, int gpus, bool known) {
    JobSketch job;
    job.name = kind + std::to_string(100 + sketch.jobs.size());
    job.queue = *rc::gen::inRange(0, sketch.queues);
    job.pods = pods;
    job.gpus = gpus;
    job.priority = *rc::gen::element(0, 0, 0, 7);
    job.arrives = *rc::gen::inRange(0, 90);
    job.runs = *rc::gen::inRange(1, 60);
    job.known = known;
    sketch.jobs.push_back(std::move(job));
  };
  const int all_known = *rc::gen::inRange(0, 3);
  const auto known = [&] {
    return all_known == 2 || (all_known == 1 && *rc::gen::inRange(0, 2) == 0);
  };
  const auto small = *rc::gen::inRange(5, 40);
  for (int i = 0; i < small; ++i) add("s", 1, *rc::gen::inRange(1, size), known());
  const auto large = *rc::gen::inRange(1, 4);
  for (int i = 0; i < large; ++i) {
    const auto nodes = static_cast<int>(sketch.nodes.size());
    add("g", *rc::gen::inRange(1, nodes + 1), *rc::gen::inRange(std::max(1, size / 2), size + 1),
        known());
  }
  return sketch;
}

/// Plays a sketch minute by minute with one plan after another.
class Play {
 public:
  explicit Play(const Sketch& sketch) : sketch_(sketch) {
    world_.config.gangs.reserve_after = 10min;
    for (int i = 0; i < sketch.queues; ++i) world_.queue(queue_name(i), 0);
    for (std::size_t i = 0; i < sketch.nodes.size(); ++i) {
      world_.node("n" + std::to_string(i), sketch.nodes[i]);
    }
  }

  void run() {
    for (int minute = 0; minute < 24 * 60 && started_.size() < sketch_.jobs.size(); ++minute) {
      now_ = testing::start + std::chrono::minutes(minute);
      end_jobs();
      for (const auto& job : sketch_.jobs) {
        if (job.arrives == minute) arrive(job);
      }
      plan();
      check_promises();
    }
    for (const auto& job : sketch_.jobs) {
      RC_LOG() << job.name << (started_.contains(job.name) ? "" : " has not started") << "\n";
    }
    RC_ASSERT(started_.size() == sketch_.jobs.size());
  }

 private:
  static std::string queue_name(int queue) { return "q" + std::to_string(queue); }

  void arrive(const JobSketch& sketch) {
    const auto edit = [&](Pod& pod) {
      if (sketch.known) pod.active_deadline_seconds = sketch.runs * 60;
    };
    auto& job = world_.gang(sketch.name, queue_name(sketch.queue), sketch.pods);
    for (int i = 0; i < sketch.pods; ++i) {
      world_.member(job, sketch.name + "-" + std::to_string(i), sketch.gpus, {}, 0, edit);
    }
    job.created = job.queued = now_;
    job.priority = sketch.priority;
  }

  void end_jobs() {
    for (auto running = ends_.begin(); running != ends_.end();) {
      if (running->second > now_) {
        ++running;
        continue;
      }
      auto& job = world_.job(running->first);
      for (auto& member : job.members) {
        member.state = MemberState::done;
        const auto& meta = member.pod->meta;
        world_.state.apply(cluster::ObjectGone{Kind::pod, "default", meta.name, meta.uid});
        const auto claim = "c-" + meta.name;
        world_.state.apply(
            cluster::ObjectGone{Kind::resource_claim, "default", claim, Uid("uid-" + claim)});
      }
      running = ends_.erase(running);
    }
  }

  void plan() {
    world_.input.now = now_;
    const auto made = planner_.plan(world_.make_input());
    for (const auto& outcome : made.jobs) {
      if (!outcome.placements.empty()) start(outcome);
    }
    world_.input.kept = made.kept ? std::make_shared<const KeptRoom>(*made.kept) : nullptr;
    if (made.kept) promise(*made.kept);
  }

  void start(const JobOutcome& outcome) {
    const auto name = outcome.job.get().substr(4);
    auto& job = world_.job(name);
    for (const auto& placement : outcome.placements) {
      const auto member = std::ranges::find_if(
          job.members, [&](const Member& each) { return each.pod->meta.uid == placement.pod_uid; });
      auto pod = *member->pod;
      pod.node_name = placement.node;
      pod.phase = "Running";
      pod.start_time = now_;
      world_.tell(pod);
      for (const auto& part : placement.claims) {
        auto claim = *world_.state.claim(part.claim);
        claim.allocation = part.allocation;
        claim.reserved_for.push_back(
            {.api_group = {}, .resource = "pods", .name = pod.meta.name, .uid = pod.meta.uid});
        world_.tell(claim);
      }
      member->pod = std::make_shared<const Pod>(std::move(pod));
      member->state = MemberState::placed;
      member->node = placement.node;
    }
    job.started = now_;
    started_.insert(name);
    ends_[name] = now_ + std::chrono::minutes(sketch_of(name).runs);
  }

  /// From when room is first kept for a job: it starts when all that run there then have ended.
  void promise(const KeptRoom& kept) {
    const auto name = kept.job.get().substr(4);
    if (promises_.contains(name) || own_in_the_way(kept)) return;
    auto until = now_;
    for (const auto& [running, end] : ends_) {
      const bool there =
          std::ranges::any_of(world_.job(running).members, [&](const Member& member) {
            return std::ranges::find(kept.placements, member.node, &Placement::node) !=
                   kept.placements.end();
          });
      if (there) until = std::max(until, end);
    }
    promises_.emplace(name, until);
  }

  [[nodiscard]] const JobSketch& sketch_of(const std::string& job) const {
    return *std::ranges::find(sketch_.jobs, job, &JobSketch::name);
  }

  /// Whether the job waits for pods of its own queue whose end is not known: then others who have
  /// waited for long come first.
  [[nodiscard]] bool own_in_the_way(const KeptRoom& kept) const {
    const auto queue = sketch_of(kept.job.get().substr(4)).queue;
    return std::ranges::any_of(kept.in_the_way, [&](const Uid& pod) {
      const auto name = pod.get().substr(4);
      const auto& job = sketch_of(name.substr(0, name.rfind('-')));
      return job.queue == queue && !job.known;
    });
  }

  void check_promises() const {
    for (const auto& [name, until] : promises_) {
      RC_LOG() << "at " << (now_ - testing::start) / 1min << " " << name << "\n";
      RC_ASSERT(started_.contains(name) || now_ < until);
    }
  }

  const Sketch& sketch_;
  World world_;
  Planner planner_;
  Time now_;
  std::map<std::string, Time> ends_;  ///< of running jobs
  std::set<std::string> started_;
  std::map<std::string, Time> promises_;
};

TEST_CASE("a job for which room is kept starts when those have ended who ran there") {
  CHECK(rc::check("the promise of kept room", [] {
    const auto sketch = any_sketch();
    RC_LOG() << sketch << "\n";
    Play(sketch).run();
  }));
}

}  // namespace
}  // namespace dray::planner::kept_room_test
