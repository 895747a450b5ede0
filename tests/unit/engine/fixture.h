#pragma once

#include <string>
#include <vector>

#include "dray/engine/engine.h"
#include "tests/objects/gpus.h"

// One engine with nodes of identical GPUs, told everything by hand.

namespace dray::engine {

using namespace testing;

/// The nodes that a filter answer refuses for that reason.
inline std::string refusal(Reason reason, const extender::FilterResponse& response) {
  const auto found = response.failed_unresolvable.find(std::string(text(reason)));
  if (found == response.failed_unresolvable.end()) return "none";
  std::string nodes;
  for (const auto& node : found->second) nodes += node.get() + " ";
  return nodes;
}

/// The engine, and the writes that it has asked for.
struct Bench {
  /// Plans are made inline, or (`by_hand`) left to the test: see `wanted` and planned().
  explicit Bench(Options options = {}, bool by_hand = false)
      : engine(with_plans(std::move(options), !by_hand)) {
    tell(make_class());
    apply(Synced{});
    apply(LeadershipChanged{true, 3});
  }

  static Options with_plans(Options options, bool inline_plans) {
    options.plan_inline = inline_plans;
    return options;
  }

  /// Answers the last WantPlan.
  void planned(planner::Plan plan) {
    const auto generation = wanted.back().generation;
    apply(Planned{generation, std::make_shared<const planner::Plan>(std::move(plan))});
  }

  void add_nodes(int count, int gpus) {
    for (int i = 0; i < count; ++i) {
      tell(make_node("n" + std::to_string(i)));
      tell(make_gpus("n" + std::to_string(i), gpus));
    }
  }

  void tell(KubeObject object) { apply(cluster::ObjectChanged{std::move(object)}); }
  void apply(const Event& event) { take(engine.apply(event, now)); }
  void tick() { take(engine.tick(now)); }
  /// Until the next timer.
  void wait() {
    now = engine.next_tick().value();
    tick();
  }

  void take(Effects effects) {
    for (auto& effect : effects) {
      if (auto* send = std::get_if<SendWrite>(&effect)) writes.push_back(std::move(*send));
      if (auto* answer = std::get_if<AnswerBind>(&effect)) answers.push_back(std::move(*answer));
      if (auto* want = std::get_if<WantPlan>(&effect)) wanted.push_back(std::move(*want));
    }
  }

  /// The oldest write of that type that has not been taken yet.
  template <class T>
  std::optional<std::pair<WriteId, T>> take_write() {
    for (auto it = writes.begin(); it != writes.end(); ++it) {
      const auto* write = std::get_if<T>(&it->write);
      if (write == nullptr) continue;
      std::pair<WriteId, T> found{it->id, *write};
      writes.erase(it);
      return found;
    }
    return std::nullopt;
  }

  void done(WriteId id, WriteOutcome outcome = WrittenObject{}) {
    apply(WriteDone{id, std::move(outcome)});
  }

  /// Carries out the lifting of `pod` as the API server would.
  void lift(Pod pod) {
    const auto write = take_write<LiftGate>();
    if (!write) return;
    done(write->first);
    pod.scheduling_gates.clear();
    for (const auto& [key, value] : write->second.annotations) pod.meta.annotations[key] = value;
    tell(pod);
  }

  extender::FilterResponse filter(const Pod& pod, const std::vector<std::string>& nodes) {
    extender::FilterRequest request;
    request.pod = pod;
    request.node_names.emplace();
    for (const auto& node : nodes) request.node_names->emplace_back(node);
    auto answer = engine.filter(request, now);
    take(std::move(answer.effects));
    if (const auto all = std::exchange(answer.response.all_unresolvable, {});
        all && !nodes.empty()) {
      answer.response.failed_unresolvable[*all] = *request.node_names;
    }
    return answer.response;
  }

  void bind(const Pod& pod, const std::string& node, std::uint64_t id) {
    take(engine.bind(RequestId(id), {pod.key(), pod.meta.uid, NodeName(node)}, now));
  }

  Engine engine;
  Time now = start;
  std::vector<SendWrite> writes;
  std::vector<AnswerBind> answers;
  std::vector<WantPlan> wanted;
};

}  // namespace dray::engine
