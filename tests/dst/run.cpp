#include "tests/dst/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "tests/dst/invariants.h"
#include "tests/dst/odd_storm.h"
#include "tests/dst/oddity.h"
#include "tests/dst/patience.h"
#include "tests/dst/scenes.h"
#include "tests/dst/shares.h"
#include "tests/dst/trouble.h"
#include "tests/dst/verdict.h"
#include "tests/dst/workload.h"

namespace dray::dst {
namespace {

constexpr std::uint64_t max_events = 400'000;
/// After that somebody leads, and all are listed.
constexpr Duration settling_time = std::chrono::seconds(60);

sim::LoopOptions options_of(const Story& story, bool keep_trace) {
  auto options = loop_options(story.world, story.seed);
  options.keep_trace = keep_trace;
  return options;
}

/// All that is there in one run.
class Run {
 public:
  Run(const Story& story, bool keep_trace)
      : story_(story),
        storm_(story_),
        loop_(options_of(story, keep_trace), storm_),
        checker_(loop_),
        workload_(story_, loop_),
        trouble_(story_, loop_, workload_, checker_),
        patience_(story_, loop_, checker_),
        shares_(story_, checker_),
        scenes_(story_, loop_, checker_, storm_) {
    loop_.set_observer([this](const sim::WatchEvent& event) {
      checker_.committed(event);
      workload_.committed(event);
      scenes_.committed(event);
    });
    loop_.set_bind_observer([this](const auto& request, const auto& error) {
      checker_.bind_answered(request, error);
      trouble_.bind_answered(request);
    });
  }

  Outcome play() {
    workload_.build();
    workload_.plan();
    trouble_.plan();
    scenes_.plan();
    const auto begin = loop_.now();
    const auto healed = begin + storm_time;
    loop_.at(healed, [this] { heal(); });
    std::optional<Duration> recovered;
    std::string last_unrest;
    bool ended = loop_.run_until(healed, max_events);
    const auto order = story_.strict.order.value_or(order_patience);
    for (auto at = healed; ended && at < healed + calm_time + story_.more_calm;) {
      at += std::chrono::seconds(1);
      ended = loop_.run_until(at, max_events);
      if (at >= healed + order_patience) patience_.look();
      if (at >= healed + settling_time) shares_.look();
      const bool is_late = at > healed + order;
      if (is_late || (at - healed) % std::chrono::seconds(5) != Duration{}) continue;
      // What ends later makes room, and unrest, anew: that is judged at the end.
      if (recovered) continue;
      last_unrest = unrest(story_, loop_, checker_.facts());
      if (last_unrest.empty()) recovered = at - healed;
    }
    if (!ended) checker_.violate("L2: too many events: a hot loop");
    auto seen = states();
    if (!checker_.violation()) judge(story_, loop_, checker_, seen);
    scenes_.judge();
    if (!recovered) checker_.violate("L1: order comes too late: " + last_unrest);
    return {.violation = checker_.violation(),
            .trace_hash = loop_.trace_hash(),
            .events = loop_.events(),
            .seen = std::move(seen),
            .recovered_after = recovered,
            .trace = loop_.trace()};
  }

 private:
  void heal() {
    storm_.heal();
    workload_.heal();
    trouble_.heal();
    scenes_.heal();
    loop_.note("fair", "weather from here on");
  }

  std::set<std::string> states() {
    auto seen = trouble_.seen();
    seen.insert(workload_.seen().begin(), workload_.seen().end());
    seen.insert(scenes_.seen().begin(), scenes_.seen().end());
    seen.insert(patience_.seen().begin(), patience_.seen().end());
    const auto add_if = [&](bool on, const char* state) {
      if (on) seen.insert(state);
    };
    const auto& counts = loop_.counts();
    const auto& weather = storm_.seen();
    add_if(weather.lost_writes > 0, "a write was lost");
    add_if(weather.unanswered_binds > 0, "a binding was made without an answer");
    add_if(weather.unanswered_allocations > 0, "an allocation was made without an answer");
    add_if(weather.refused_writes > 0, "a write was refused");
    add_if(weather.overloads > 0, "the API server was overloaded");
    add_if(weather.doomed_writes > 1, "a doomed pod was tried again");
    add_if(weather.doomed_lifts > 1, "a gate that stays was tried again");
    add_if(weather.doomed_releases > 7, "a claim could not be given back");
    add_if(weather.lost_calls > 0, "an extender call was lost");
    add_if(loop_.network().landed_late() > 0, "a write landed late");
    add_if(loop_.network().fenced_off() > 0, "a write of an old epoch was refused");
    add_if(checker_.facts().highest_epoch > 2, "leadership moved twice");
    add_if(counts.binds_failed > 0, "a bind was answered with an error");
    add_if(counts.relists > 60, "a watch was lost for good");
    if (const auto* leader = loop_.leader()) {
      const auto status = leader->engine().status();
      add_if(status.binds_undone > 0, "a bind was undone");
      add_if(status.reservations_expired > 0, "a reservation expired");
      add_if(status.pods_waiting > 0, "a pod waits for devices at the end");
    }
    for (const auto& item : loop_.server().list(Kind::resource_claim).items) {
      add_if(std::get<ResourceClaim>(*item).reserved_for.size() > 1, "a claim is shared");
    }
    return seen;
  }

  Story story_;
  OddStorm storm_;
  sim::ClusterLoop loop_;
  Checker checker_;
  Workload workload_;
  Trouble trouble_;
  Patience patience_;
  ShareWatch shares_;
  Scenes scenes_;
};

std::string number_of(const std::string& violation) {
  return violation.substr(0, violation.find(':'));
}

}  // namespace

Outcome run(const Story& story, bool keep_trace) {
  return Run(story, keep_trace).play();
}

Story shrunk(Story story, const std::string& violation) {
  const auto still = [&](const Story& smaller) {
    const auto outcome = run(smaller, false);
    return outcome.violation && number_of(*outcome.violation) == number_of(violation);
  };
  const auto attempt = [&](auto change) {
    auto smaller = story;
    change(smaller);
    if (!still(smaller)) return false;
    story = smaller;
    return true;
  };
  for (const auto& [fault, name] : all_faults) {
    if (story.faults.*fault) (void)attempt([&](Story& each) { each.faults.*fault = false; });
  }
  if (!story.oddities.empty()) return story;  // small as it is
  for (auto feature :
       {&World::queues, &World::priorities, &World::budgets, &World::fabric, &World::parts,
        &World::counters, &World::conditions, &World::models, &World::nominate}) {
    if (story.world.*feature) (void)attempt([&](Story& each) { each.world.*feature = false; });
  }
  for (auto count : {&World::gangs, &World::pods, &World::nodes, &World::replicas}) {
    const int least = count == &World::gangs || count == &World::pods ? 0 : 1;
    for (int step = std::max(1, story.world.*count / 2); step > 0;) {
      const bool went = story.world.*count - step >= least &&
                        attempt([&](Story& each) { each.world.*count -= step; });
      if (!went) step /= 2;
    }
  }
  return story;
}

std::string describe(const Story& story) {
  const auto& world = story.world;
  auto text = fmt::format(
      "seed {}: {} nodes of {} devices, {} pods, {} gangs, {} replicas\nfaults:", story.seed,
      world.nodes, world.devices, world.pods, world.gangs, world.replicas);
  for (const auto& [fault, name] : all_faults) {
    if (story.faults.*fault) text += fmt::format(" {},", name);
  }
  for (const auto* oddity : story.oddities) text += fmt::format(" {},", oddity->name);
  text += "\nworld:";
  const auto add_if = [&](bool on, const char* what) {
    if (on) text += fmt::format(" {},", what);
  };
  add_if(world.gated, "gated");
  add_if(world.protect_claims, "claims are protected");
  add_if(world.nominate, "nominates");
  add_if(world.plan_inline, "plans inline");
  add_if(world.queues, "queues");
  add_if(world.moves, "moves");
  add_if(world.priorities, "priorities");
  add_if(world.budgets, "budgets");
  add_if(world.fabric, "fabric");
  add_if(world.parts, "parts");
  add_if(world.counters, "counters");
  add_if(world.conditions, "conditions");
  add_if(world.models, "models");
  return text + "\n";
}

}  // namespace dray::dst
