#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "dray/sim/api_server.h"
#include "dray/sim/kube_scheduler.h"
#include "tests/objects/nodes.h"

namespace dray::sim {

/// The answer of a filter that takes one node.
inline extender::FilterResponse only(const std::string& node) {
  return {.node_names = {NodeName(node)}, .failed = {}, .failed_unresolvable = {}, .error = ""};
}

/// One that refuses all.
inline extender::FilterResponse none_of(const extender::FilterRequest& request,
                                        const std::string& reason = "dray: no devices") {
  extender::FilterResponse response;
  if (request.node_names) response.failed_unresolvable[reason] = *request.node_names;
  return response;
}

/// A server, the scheduler, which sees each change at once, and an extender by hand.
struct SchedulerWorld {
  ApiServer server;
  KubeScheduler scheduler;
  std::vector<Watch> watches;
  Time now = testing::at(0);
  std::function<extender::FilterResponse(const extender::FilterRequest&)> filter =
      [](const auto& request) { return extender::FilterResponse{*request.node_names, {}, {}, ""}; };
  std::function<extender::PrioritizeResponse(const extender::FilterRequest&)> prioritize =
      [](const auto&) { return extender::PrioritizeResponse(); };
  std::function<std::string(const CallBind&)> bind = [this](const CallBind& call) {
    const auto done = server.bind(call.request.pod, call.request.uid, call.request.node, now);
    return done ? "" : done.error().message;
  };
  std::function<extender::PreemptResponse(const extender::PreemptRequest&)> preempt =
      [](const auto& request) { return extender::PreemptResponse{request.victims}; };
  std::vector<std::vector<NodeName>> offered;  ///< of each filter call
  std::vector<Time> filter_times;
  std::vector<Time> bind_times;

  explicit SchedulerWorld(KubeSchedulerOptions options = {}) : scheduler(std::move(options)) {
    for (const auto kind : {Kind::node, Kind::pod, Kind::resource_claim, Kind::resource_slice}) {
      watches.push_back(ApiServer::watch(kind, 1));
    }
  }

  void nodes(int count, std::int64_t cpus = 8) {
    for (int i = 0; i < count; ++i) add(testing::make_node("n" + std::to_string(i), cpus));
  }
  template <class T>
  T add(T object) {
    auto stored = server.create(std::move(object), now);
    REQUIRE(stored);
    return std::get<T>(*stored);
  }
  [[nodiscard]] const Pod& pod(const std::string& name) const {
    return *server.find<Pod>("default", name);
  }
  [[nodiscard]] std::string node_of(const std::string& name) const {
    return pod(name).node_name ? pod(name).node_name->get() : "";
  }
  [[nodiscard]] std::string message(const std::string& name) const {
    return pod(name).conditions.empty() ? "" : pod(name).conditions.back().message;
  }

  void carry(const SchedulerCommands& commands) {
    for (const auto& command : commands) {
      std::visit([&](const auto& one) { answer(one); }, command);
    }
  }
  void answer(const CallFilter& call) {
    if (call.request.node_names) offered.push_back(*call.request.node_names);
    filter_times.push_back(now);
    step(FilterAnswered{call.id, filter(call.request)});
  }
  void answer(const CallPrioritize& call) {
    step(PrioritizeAnswered{call.id, prioritize(call.request)});
  }
  void answer(const CallPreempt& call) { step(PreemptAnswered{call.id, preempt(call.request)}); }
  void answer(const CallBind& call) {
    bind_times.push_back(now);
    step(BindAnswered{call.id, extender::BindResponse{bind(call)}});
  }
  template <class Write>
  void answer(const Write& write) {
    carry_out(write, server, now);
  }
  void step(const SchedulerInput& input) { carry(scheduler.step(input, now)); }

  /// Tells the scheduler all changes, in their order.
  void settle() {
    for (bool busy = true; busy;) {
      std::map<std::uint64_t, WatchEvent> in_order;
      for (auto& watch : watches) {
        const auto events = server.poll(watch, 1000).value();
        for (const auto& event : events) in_order[event.revision] = event;
      }
      for (const auto& [revision, event] : in_order) step(event);
      busy = !in_order.empty();
    }
  }
  /// Lets time pass until `end`.
  void run(Time end) {
    for (;;) {
      settle();
      const auto next = scheduler.next_tick();
      if (!next || *next > end) break;
      now = std::max(now, *next);
      step(TimePassed{});
    }
    now = end;
  }
};

}  // namespace dray::sim
