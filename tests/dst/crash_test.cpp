#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <iostream>
#include <set>
#include <string>

#include <fmt/format.h>

#include "tests/dst/invariants.h"
#include "tests/dst/verdict.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/groups.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

// In the small world (two nodes with two devices) the leader dies at every request that it sends,
// one run each, with that request landed, lost or late, and is followed by itself or by another.

namespace dray::dst::crash_test {
namespace {

using namespace testing;
using sim::Fate;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// What becomes of the request that is under way when its sender dies.
struct Ending {
  const char* name;
  Fate fate;
  Duration late{};  ///< after the deadline of five seconds
};
constexpr std::array endings{Ending{"landed", Fate::delivered}, Ending{"lost", Fate::lost},
                             Ending{"late", Fate::late, seconds(1)},
                             Ending{"after the next one leads", Fate::late, seconds(20)}};

/// Fair but for one thing: the n-th request of the first leader is its last.
class LastRequest : public sim::Weather {
 public:
  LastRequest(std::uint64_t last, Ending ending, bool refuses_a_binding)
      : last_(last), ending_(ending), refuses_(refuses_a_binding) {}

  Fate write_fate(std::size_t /*replica*/, const engine::Write& write) override {
    const bool dies = ++sent_ == last_;
    if (dies) {
      die_();
      what_ = engine::name(write);
      return ending_.fate;
    }
    if (!refuses_ || !std::holds_alternative<engine::BindPod>(write)) return Fate::delivered;
    refuses_ = false;
    return Fate::invalid;
  }
  Duration late_by() override { return ending_.late; }
  void when_last(std::function<void()> die) { die_ = std::move(die); }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  std::uint64_t last_;
  Ending ending_;
  bool refuses_;
  std::uint64_t sent_ = 0;
  std::string what_;
  std::function<void()> die_;
};

struct Scenario {
  const char* name;
  bool refuses_a_binding = false;
  bool gang = false;
  bool eviction = false;
  bool takes_over = false;  ///< the other replica leads first, and dies by itself
};
constexpr std::array scenarios{Scenario{"bind"},
                               Scenario{"undo", true},
                               Scenario{"gang", false, true},
                               Scenario{"gang undone", true, true},
                               Scenario{"eviction", false, false, true},
                               Scenario{"take-over", false, true, false, true}};

/// The time in which the leader may die; renewals of the Lease go on for ever.
constexpr Duration busy = seconds(3);

class Run {
 public:
  Run(const Scenario& scenario, std::uint64_t last, Ending ending, bool other_follows)
      : scenario_(scenario),
        story_(story_of(scenario)),
        weather_(last, ending, scenario.refuses_a_binding),
        loop_(options(), weather_),
        checker_(loop_) {
    weather_.when_last([this, other_follows] { die(other_follows); });
  }

  /// How many requests were sent in the busy time; plays the rest if `to_the_end`.
  std::uint64_t play(bool to_the_end) {
    build();
    const auto begin = loop_.now();
    const auto dead_at = scenario_.takes_over ? seconds(30) : seconds(0);
    loop_.run_until(begin + dead_at + busy, 100'000);
    const auto sent = weather_.sent();
    if (!to_the_end) return sent;
    const bool rests = loop_.run_until(begin + dead_at + seconds(150), 400'000);
    if (!rests) checker_.violate("L2: too many events: a hot loop");
    std::set<std::string> seen;
    if (!checker_.violation()) judge(story_, loop_, checker_, seen);
    return sent;
  }

  [[nodiscard]] const Checker& checker() const { return checker_; }
  [[nodiscard]] const std::string& what() const { return weather_.what(); }
  [[nodiscard]] const std::vector<std::string>& trace() const { return loop_.trace(); }

 private:
  static Story story_of(const Scenario& scenario) {
    Story story;
    story.world = {.nodes = 2, .devices = 2, .gated = true};
    story.world.queues = story.world.priorities = scenario.eviction;
    story.world.bind_timeout = seconds(30);
    story.world.reservation_life = seconds(90);
    return story;
  }
  sim::LoopOptions options() {
    auto options = loop_options(story_.world, 1);
    options.keep_trace = true;
    return options;
  }
  void create(KubeObject object) { (void)loop_.server().create(std::move(object), loop_.now()); }
  void after(Duration delay, std::function<void()> action) {
    loop_.at(loop_.now() + delay, std::move(action));
  }

  Pod pod(const std::string& name) { return with_template(make_pod(name), "one"); }

  void build() {
    for (int i = 0; i < 2; ++i) {
      create(make_node(node_name(i)));
      create(make_gpus(node_name(i), 2));
    }
    create(make_driver_class(gpu_driver, gpu_driver));
    create(make_template("one", {request("gpu", exactly(1, gpu_driver))}));
    if (const auto policy = policy_of(story_.world, 0)) loop_.set_policy(policy);
    loop_.start_replica(0, {});
    if (!scenario_.takes_over) return after(milliseconds(100), [this] { add_pods(); });
    // The first leader has all but finished when it dies; what is under way is the next one's.
    after(milliseconds(100), [this] { loop_.start_replica(1, {}); });
    after(milliseconds(500), [this] { add_pods(); });
    after(milliseconds(510), [this] { loop_.kill_replica(0); });
  }

  void add_pods() {
    if (scenario_.eviction) {
      for (int i = 0; i < 4; ++i) add_of_queue("low" + std::to_string(i), 0);
      return after(seconds(1), [this] { add_of_queue("high", 50); });
    }
    if (scenario_.gang) create(make_group("g", 2));
    for (const auto* name : {"p0", "p1"}) {
      auto made = pod(name);
      if (scenario_.gang) made.pod_group = "g";
      create(made);
    }
  }
  void add_of_queue(const std::string& name, std::int32_t priority) {
    auto made = pod(name);
    made.meta.labels[queue_label] = "b";
    made.priority = priority;
    create(made);
  }

  /// Whoever leads.
  void die(bool other_follows) {
    const std::size_t dying = scenario_.takes_over && loop_.replica(0)->process().ended() ? 1 : 0;
    loop_.kill_replica(dying);
    after(seconds(1), [this, next = other_follows ? 1 - dying : dying] {
      auto* replica = loop_.replica(next);
      if (replica == nullptr || replica->process().ended()) loop_.start_replica(next, {});
    });
  }

  Scenario scenario_;
  Story story_;
  LastRequest weather_;
  sim::ClusterLoop loop_;
  Checker checker_;
};

}  // namespace

TEST_CASE("the leader may die at every request that it sends") {
  std::uint64_t runs = 0;
  for (const auto& scenario : scenarios) {
    const auto requests = Run(scenario, 0, endings[0], false).play(false);
    REQUIRE(requests > 5);
    std::uint64_t broken = 0;
    for (std::uint64_t last = 1; last <= requests; ++last) {
      for (const auto& ending : endings) {
        for (const bool other_follows : {false, true}) {
          Run run(scenario, last, ending, other_follows);
          (void)run.play(true);
          ++runs;
          INFO(scenario.name << ", request " << last << " (" << run.what() << ") " << ending.name
                             << ", followed by " << (other_follows ? "another" : "itself"));
          INFO(run.checker().violation().value_or(""));
          CHECK(!run.checker().violation());
          if (!run.checker().violation() || ++broken > 1) continue;
          for (const auto& line : run.trace()) std::cout << line << "\n";
        }
      }
    }
    std::cout << scenario.name << ": " << requests << " requests\n";
  }
  std::cout << runs << " crashes, each played to its end\n";
}

}  // namespace dray::dst::crash_test
