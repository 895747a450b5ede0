#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dray/base/time.h"
#include "sim/virtual_time.h"

namespace dray::sim {

/// A process in virtual time. Its clock has its own rate and offset. While it is stopped (SIGSTOP)
/// time goes on and nothing is done; what came meanwhile is done when it goes on, thread by thread,
/// in whatever order they get the processor. What ended does nothing any more.
class Process {
 public:
  using Action = std::function<void()>;
  /// What runs beside each other in the live service.
  enum class Thread : std::uint8_t { lease, engine, writer };
  static constexpr std::size_t threads = 3;
  using Order = std::array<Thread, threads>;

  /// Its clock shows `offset` more than the true one now, and runs `rate` times as fast.
  Process(VirtualTime& time, double rate, Duration offset)
      : time_(time), started_(time.now()), rate_(rate), offset_(offset) {}

  /// By its own clock.
  [[nodiscard]] Time now() const;
  /// Done now, or when it goes on.
  void run(Thread thread, Action action);
  /// Done when the true clock has moved on by that much.
  void after(Duration delay, Thread thread, Action action);
  /// Done when its own clock shows that time.
  void wake_at(Time local, Thread thread, Action action);

  void stop() { stopped_ = true; }
  /// The machine sleeps: its timers stand still with it (CLOCK_MONOTONIC), so that what they were
  /// set for is late by as long when it goes on. Its clock is right then (CLOCK_BOOTTIME).
  void suspend();
  void go_on(const Order& order);
  void end() { ended_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  struct Asleep {
    Duration left;
    Thread thread;
    Action action;
  };

  void arm(Time at, Thread thread, Action action);
  void fire(Duration slept, Thread thread, const Action& action);

  VirtualTime& time_;
  Time started_;
  double rate_;
  Duration offset_;
  bool stopped_ = false;
  bool ended_ = false;
  std::optional<Time> asleep_since_;
  Duration slept_{};            ///< in all, but for a sleep that lasts
  std::vector<Asleep> asleep_;  ///< timers that would have fired meanwhile
  std::array<std::vector<Action>, threads> backlog_;
};

/// One thing that a process is to be woken for: the last word counts.
class ProcessTimer {
 public:
  ProcessTimer(Process& process, Process::Thread thread) : process_(process), thread_(thread) {}

  /// `action` is done when the process' clock shows `due`; what was asked for before is not.
  void set(Time due, Process::Action action);
  void cancel() { ++asked_; }

 private:
  Process& process_;
  Process::Thread thread_;
  std::uint64_t asked_ = 0;
};

}  // namespace dray::sim
