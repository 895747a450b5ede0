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
  time_.at(time_.now() + delay,
           [this, thread, action = std::move(action)] { run(thread, action); });
}

void Process::wake_at(Time local, Thread thread, Action action) {
  const auto shown = static_cast<double>((local - started_ - offset_).count());
  const auto passed = Duration(static_cast<Duration::rep>(std::ceil(shown / rate_)) + 1);
  time_.at(started_ + passed, [this, thread, action = std::move(action)] { run(thread, action); });
}

void Process::go_on(const Order& order) {
  if (!std::exchange(stopped_, false)) return;
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
