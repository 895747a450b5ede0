#include "sim/cluster_loop.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace dray::sim {

ClusterLoop::ClusterLoop(LoopOptions options, Weather& weather)
    : options_(std::move(options)),
      weather_(weather),
      now_(options_.start),
      server_(options_.server),
      kubelet_(options_.kubelet),
      scheduler_(options_.scheduler) {
  server_.set_observer([this](const WatchEvent& event) { committed(event); });
  add_informers(Client::scheduler,
                {Kind::node, Kind::pod, Kind::resource_claim, Kind::device_class});
  add_informers(Client::controller,
                {Kind::pod, Kind::resource_claim, Kind::resource_claim_template});
  add_informers(Client::kubelet, {Kind::pod});
  std::vector<Kind> all;
  for (const auto& info : kind_table) all.push_back(info.kind);
  add_informers(Client::engine, all);
  for (auto& informer : informers_) {
    if (informer->client != Client::engine) list(*informer);
  }
}

ClusterLoop::~ClusterLoop() = default;

// ---- Time ----

void ClusterLoop::at(Time time, std::function<void()> action) {
  queue_.emplace(std::pair(std::max(time, now_), ++sequence_), std::move(action));
}

bool ClusterLoop::run_until(Time end, std::uint64_t max_events) {
  std::uint64_t done = 0;
  while (!queue_.empty() && queue_.begin()->first.first <= end) {
    if (++done > max_events) return false;
    auto next = queue_.extract(queue_.begin());
    now_ = next.key().first;
    ++events_done_;
    next.mapped()();
  }
  now_ = std::max(now_, end);
  return true;
}

/// Wakes `action` when something is due; once, however often it is asked for.
void ClusterLoop::arm(std::optional<Time>& armed, std::optional<Time> due,
                      void (ClusterLoop::*action)()) {
  if (!due || (armed && *armed <= *due)) return;
  armed = *due;
  at(*due, [this, &armed, time = *due, action] {
    if (armed != time) return;
    armed.reset();
    (this->*action)();
  });
}

/// FNV-1a over everything that happens.
void ClusterLoop::note(std::string_view what, const std::string& details) {
  const auto offset = (now_ - options_.start).count();
  auto line = fmt::format("{:>12} {:<10} {}", offset, what, details);
  for (const auto byte : line) {
    trace_hash_ ^= static_cast<unsigned char>(byte);
    trace_hash_ *= 0x100000001b3U;
  }
  if (options_.keep_trace) trace_.push_back(std::move(line));
}

// ---- The parts ----

void ClusterLoop::committed(const WatchEvent& event) {
  static constexpr std::string_view types[] = {"added", "modified", "deleted", "bookmark"};
  note(types[static_cast<std::size_t>(event.type)],
       fmt::format("{} rv {}", describe(*event.object), event.revision));
  if (observer_) observer_(event);
  for (auto& informer : informers_) {
    if (informer->kind == event.kind) expect_change(*informer);
  }
}

void ClusterLoop::step_scheduler(const SchedulerInput& input) {
  carry(scheduler_.step(input, now_));
  arm(scheduler_armed_, scheduler_.next_tick(), &ClusterLoop::tick_scheduler);
}

void ClusterLoop::tick_scheduler() {
  step_scheduler(TimePassed{});
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
      carry_out(command, server_, now_);
    }
  }
}

void ClusterLoop::work_controller() {
  (void)controller_.work(server_, now_);
  arm(controller_armed_, controller_.due(now_), &ClusterLoop::work_controller);
}

void ClusterLoop::work_kubelet() {
  (void)kubelet_.work(server_, now_);
  arm(kubelet_armed_, kubelet_.due(now_), &ClusterLoop::work_kubelet);
}

}  // namespace dray::sim
