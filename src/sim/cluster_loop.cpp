#include "sim/cluster_loop.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace dray::sim {

ClusterLoop::ClusterLoop(LoopOptions options, Weather& weather)
    : options_(std::move(options)),
      weather_(weather),
      time_(options_.start),
      trace_(options_.start, options_.keep_trace),
      server_(options_.server),
      network_(time_, server_, weather_, trace_),
      kubelet_(options_.kubelet),
      scheduler_(options_.scheduler) {
  server_.set_observer([this](const WatchEvent& event) { committed(event); });
  add_informers(Client::scheduler, 0,
                {Kind::node, Kind::pod, Kind::resource_claim, Kind::device_class});
  add_informers(Client::controller, 0,
                {Kind::pod, Kind::resource_claim, Kind::resource_claim_template});
  add_informers(Client::kubelet, 0, {Kind::pod});
  for (auto& informer : informers_) list(*informer);
}

ClusterLoop::~ClusterLoop() = default;

void ClusterLoop::note(std::string_view what, const std::string& details) {
  trace_.note(now(), what, details);
}

// ---- The parts ----

void ClusterLoop::committed(const WatchEvent& event) {
  static constexpr std::string_view types[] = {"added", "modified", "deleted", "bookmark"};
  note(types[static_cast<std::size_t>(event.type)],
       fmt::format("{} rv {}", describe(*event.object), event.revision));
  network_.committed(event);
  if (observers_.commit) observers_.commit(event);
  for (auto& informer : informers_) {
    if (informer->kind == event.kind) expect_change(*informer);
  }
}

void ClusterLoop::step_scheduler(const SchedulerInput& input) {
  carry(scheduler_.step(input, now()));
  wake_scheduler();
}

void ClusterLoop::wake_scheduler() {
  alarms_.scheduler.set(time_, scheduler_.next_tick(), [this] { step_scheduler(TimePassed{}); });
}

void ClusterLoop::carry(const SchedulerCommands& commands) {
  for (const auto& command : commands) {
    if (const auto* filter = std::get_if<CallFilter>(&command)) {
      call_filter(*filter);
    } else if (const auto* prioritize = std::get_if<CallPrioritize>(&command)) {
      call_prioritize(*prioritize);
    } else if (const auto* preempt = std::get_if<CallPreempt>(&command)) {
      call_preempt(*preempt);
    } else if (const auto* bind = std::get_if<CallBind>(&command)) {
      call_bind(*bind);
    } else {
      carry_out(command, server_, now());
    }
  }
}

void ClusterLoop::wake_controller() {
  alarms_.controller.set(time_, controller_.due(now()), [this] {
    (void)controller_.work(server_, now());
    wake_controller();
  });
}

void ClusterLoop::wake_kubelet() {
  alarms_.kubelet.set(time_, kubelet_.due(now()), [this] {
    (void)kubelet_.work(server_, now());
    wake_kubelet();
  });
}

}  // namespace dray::sim
