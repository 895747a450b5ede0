#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cluster_loop.h"
#include "tests/objects/gpus.h"

// A small cluster in virtual time: node n0 with a GPU, and weather that a test makes.

namespace dray::testing {

/// Fair, but for what a test says.
struct MadeWeather : sim::Weather {
  std::function<sim::Fate(const engine::Write&)> of_write;
  std::vector<sim::Fate> of_calls;  ///< of the first calls, in their order
  std::map<Kind, Duration> engine_lists;
  std::vector<Duration> engine_pods;  ///< of the first changes of pods on their way to the engine

  Duration late = std::chrono::seconds(1);

  Duration late_by() override { return late; }
  sim::Fate write_fate(std::size_t /*replica*/, const engine::Write& write) override {
    return of_write ? of_write(write) : sim::Fate::delivered;
  }
  sim::Fate call_fate() override {
    return calls_ < of_calls.size() ? of_calls[calls_++] : sim::Fate::delivered;
  }
  Duration list_delay(sim::Client client, Kind kind) override {
    const auto said = engine_lists.find(kind);
    return client == sim::Client::dray && said != engine_lists.end()
               ? said->second
               : Weather::list_delay(client, kind);
  }
  Duration watch_delay(sim::Client client, Kind kind) override {
    const bool ours = client == sim::Client::dray && kind == Kind::pod;
    return ours && pods_ < engine_pods.size() ? engine_pods[pods_++]
                                              : Weather::watch_delay(client, kind);
  }

 private:
  std::size_t calls_ = 0;
  std::size_t pods_ = 0;
};

struct LoopWorld {
  MadeWeather weather;
  sim::ClusterLoop loop;

  explicit LoopWorld(sim::LoopOptions options = gated())
      : loop(with_trace(std::move(options)), weather) {
    create(make_class());
    create(make_node("n0"));
    create(make_gpus("n0", 1));
    create(make_template("one", {request("gpu", exactly(1, "gpu"))}));
  }
  static sim::LoopOptions gated() {
    sim::LoopOptions options;
    options.server.gate_pods = true;
    options.server.protect_claims = true;
    return options;
  }

  /// dray, as one replica.
  void start() { loop.start_replica(0, {}); }
  void kill() { loop.kill_replica(0); }
  [[nodiscard]] const engine::Engine& engine() { return loop.replica(0)->engine(); }

  void create(const KubeObject& object) { (void)loop.server().create(object, loop.now()); }
  /// A pod that wants the GPU.
  void pod(const std::string& name) { create(with_template(make_pod(name), "one")); }
  bool pass(Duration time) { return loop.run_until(loop.now() + time, 100'000); }

  [[nodiscard]] const Pod* find(const std::string& pod) {
    return loop.server().find<Pod>("default", pod);
  }
  [[nodiscard]] bool bound(const std::string& pod) {
    const auto* found = find(pod);
    return found != nullptr && found->node_name.has_value();
  }
  /// How long it takes until `holds`, to the millisecond; at most a minute.
  template <class Holds>
  std::optional<Duration> until(Holds&& holds) {
    const auto begin = loop.now();
    while (!holds()) {
      if (loop.now() - begin > std::chrono::minutes(1)) return std::nullopt;
      pass(std::chrono::milliseconds(1));
    }
    return loop.now() - begin;
  }
  /// Whether the trace has a line with that text, and when (since the start) the first stands
  /// there.
  [[nodiscard]] bool traced(const std::string& text) const {
    for (const auto& line : loop.trace()) {
      if (line.find(text) != std::string::npos) return true;
    }
    return false;
  }

 private:
  static sim::LoopOptions with_trace(sim::LoopOptions options) {
    options.keep_trace = true;
    return options;
  }
};

/// That fate for the first write of a type, and none for all others.
template <class Write>
std::function<sim::Fate(const engine::Write&)> first(sim::Fate fate) {
  return [fate, done = false](const engine::Write& write) mutable {
    if (done || !std::holds_alternative<Write>(write)) return sim::Fate::delivered;
    done = true;
    return fate;
  };
}

}  // namespace dray::testing
