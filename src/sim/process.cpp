#include "sim/process.h"

#include <cmath>
#include <utility>

namespace dray::sim {

Time Process::now() const {
  const auto passed = static_cast<double>((time_.now() - started_).count());
  return started_ + offset_ + Duration(static_cast<Duration::rep>(passed * rate_));
}

void Process::run(Thread thread, Action action) {
  if (ended_) return;
  if (!stopped_) return action();
  backlog_[static_cast<std::size_t>(thread)].push_back(std::move(action));
}

void Process::after(Duration delay, Thread thread, Action action) {
  arm(time_.now() + delay, thread, std::move(action));
}

void Process::arm(Time at, Thread thread, Action action) {
  time_.at(at, [this, thread, slept = slept_, action = std::move(action)] {
    fire(slept, thread, action);
  });
}

/// `slept`: how long in all the machine had slept when the timer was set.
void Process::fire(Duration slept, Thread thread, const Action& action) {
  const auto behind = slept_ - slept;
  if (asleep_since_) {
    asleep_.push_back({behind + (time_.now() - *asleep_since_), thread, action});
  } else if (behind > Duration{}) {
    arm(time_.now() + behind, thread, action);
  } else {
    run(thread, action);
  }
}

void Process::suspend() {
  if (stopped_ || ended_) return;
  stopped_ = true;
  asleep_since_ = time_.now();
}

void Process::wake_at(Time local, Thread thread, Action action) {
  const auto shown = static_cast<double>((local - started_ - offset_).count());
  const auto passed = Duration(static_cast<Duration::rep>(std::ceil(shown / rate_)) + 1);
  arm(started_ + passed, thread, std::move(action));
}

void Process::go_on(const Order& order) {
  if (!std::exchange(stopped_, false)) return;
  if (const auto since = std::exchange(asleep_since_, std::nullopt)) {
    slept_ += time_.now() - *since;
    for (auto& timer : std::exchange(asleep_, {})) {
      arm(time_.now() + timer.left, timer.thread, std::move(timer.action));
    }
  }
  for (const auto thread : order) {
    for (const auto& action : std::exchange(backlog_[static_cast<std::size_t>(thread)], {})) {
      run(thread, action);
    }
  }
}

void ProcessTimer::set(Time due, Process::Action action) {
  process_.wake_at(due, thread_, [this, mine = ++asked_, action = std::move(action)] {
    if (mine == asked_) action();
  });
}

}  // namespace dray::sim
