#include "dray/policy/usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <utility>

namespace dray::policy {

namespace {

constexpr int parts_of_window = 32;

double seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

/// What is left of the past after `time`.
double faded(Duration time, Duration half_life) {
  return half_life.count() > 0 ? std::exp2(-seconds(time) / seconds(half_life)) : 1;
}

/// The seconds of a step, each faded as of its end: the integral of 0.5^(age/halfLife).
double weight_of(Duration time, Duration half_life) {
  if (half_life.count() <= 0) return seconds(time);
  return seconds(half_life) / std::numbers::ln2 * (1 - faded(time, half_life));
}

/// `integral * by + more * times`, resource by resource.
void scale_and_add(Amounts& integral, double by, const Amounts& more, double times) {
  for (std::size_t r = 0; r < integral.size(); ++r) {
    integral[r] = integral[r] * by + more[r] * times;
  }
}

/// A step of time: what was counted fades, what is held adds up.
void count(UsageSums& sums, const QueueTree& tree, const Amounts& total, Duration time,
           Duration half_life) {
  const auto decay = faded(time, half_life);
  const auto weight = weight_of(time, half_life);
  const Amounts nothing(tree.resources());
  if (sums.capacity.size() != tree.resources()) sums.capacity = nothing;
  scale_and_add(sums.capacity, decay, total, weight);
  for (auto& [name, held] : sums.held) {
    const auto index = tree.find(name.get());
    scale_and_add(held, decay, index ? tree[*index].allocated : nothing, weight);
  }
  for (const auto& queue : tree.queues()) {
    auto [it, is_new] = sums.held.try_emplace(queue.name, nothing);
    if (is_new) scale_and_add(it->second, decay, queue.allocated, weight);
  }
}

/// `sums` without `by` times what `part` has; sums of floating point do not end below nothing.
void take_out(UsageSums& sums, const UsageSums& part, double by) {
  const auto take = [by](Amounts& from, const Amounts& what) {
    if (from.size() != what.size()) return;
    for (std::size_t r = 0; r < from.size(); ++r) from[r] = std::max(0.0, from[r] - what[r] * by);
  };
  take(sums.capacity, part.capacity);
  for (const auto& [name, held] : part.held) {
    if (const auto it = sums.held.find(name); it != sums.held.end()) take(it->second, held);
  }
}

/// How much of what `part` counts was before `edge`, if all of it was used evenly: 0 to 1.
double before(const UsagePart& part, Time edge, Duration half_life) {
  if (edge >= part.until) return 1;
  const auto whole = weight_of(part.until - part.from, half_life);
  const auto after = weight_of(part.until - edge, half_life);
  return whole > 0 ? std::clamp(1 - after / whole, 0.0, 1.0) : 1;
}

/// The window moves on to end at `now`.
void move_window(UsageHistory& history, Time now) {
  const auto edge = now - history.window;
  while (!history.parts.empty() && history.parts.front().from < edge) {
    auto& oldest = history.parts.front();
    const auto gone = before(oldest, edge, history.half_life);
    const auto left = faded(now - oldest.until, history.half_life);
    take_out(history.sums, oldest.sums, gone * left);
    if (gone >= 1) {
      history.parts.pop_front();
      continue;
    }
    take_out(oldest.sums, UsageSums(oldest.sums), gone);
    oldest.from = edge;
  }
}

/// The part of the window that the step from `since` to `now` belongs to.
UsagePart& part_for(UsageHistory& history, Time since, Time now) {
  auto& parts = history.parts;
  if (parts.empty() || now - parts.back().from > history.window / parts_of_window) {
    parts.push_back({.from = since, .until = since, .sums = {}});
  }
  return parts.back();
}

/// Below this part of the capacity what a vanished queue had is forgotten.
constexpr double forgotten = 1e-6;

bool negligible(const Amounts& held, const Amounts& capacity) {
  for (std::size_t r = 0; r < held.size(); ++r) {
    if (held[r] > capacity[r] * forgotten) return false;
  }
  return true;
}

}  // namespace

void remember(UsageHistory& history, const Fairness& fairness) {
  history.half_life = fairness.half_life.value_or(Duration(0));
  history.window = fairness.window.value_or(Duration(0));
  if (!fairness.window) {
    history.parts.clear();
  } else if (history.parts.empty() && history.at) {
    history.parts.push_back(
        {.from = *history.at - history.window, .until = *history.at, .sums = history.sums});
  }
}

void advance(UsageHistory& history, const QueueTree& tree, const Amounts& total, Time now) {
  const auto since = history.at;
  history.at = since ? std::max(*since, now) : now;
  auto& sums = history.sums;
  if (sums.capacity.size() != tree.resources()) {
    // Other resources are counted now: the numbers mean nothing any more.
    sums = {.capacity = Amounts(tree.resources()), .held = {}};
    history.parts.clear();
  }
  if (!since || *since >= now) return;
  if (history.half_life.count() <= 0 && history.window.count() <= 0) return;
  const auto time = now - *since;
  count(sums, tree, total, time, history.half_life);
  if (history.window.count() > 0) {
    auto& part = part_for(history, *since, now);
    count(part.sums, tree, total, time, history.half_life);
    part.until = now;
    move_window(history, now);
  }
  std::erase_if(sums.held, [&](const auto& entry) {
    return !tree.find(entry.first.get()) && negligible(entry.second, sums.capacity);
  });
}

void pass_over(UsageHistory& history, Time now) {
  const auto until = std::exchange(history.at, now);
  if (!until) return;
  if (*until > now) {
    const auto ahead = *until - now;
    for (auto& part : history.parts) {
      part.from -= ahead;
      part.until -= ahead;
    }
    return;
  }
  const auto decay = faded(now - *until, history.half_life);
  const Amounts nothing(history.sums.capacity.size());
  scale_and_add(history.sums.capacity, decay, nothing, 0);
  for (auto& [name, held] : history.sums.held) {
    if (held.size() == nothing.size()) scale_and_add(held, decay, nothing, 0);
  }
  if (history.window.count() > 0) move_window(history, now);
}

void add(UsageHistory& history, const UsageHistory& more) {
  auto& sums = history.sums;
  if (sums.capacity.size() != more.sums.capacity.size()) {
    history = more;
    return;
  }
  sums.capacity += more.sums.capacity;
  for (const auto& [name, held] : more.sums.held) {
    const auto [known, is_new] = sums.held.try_emplace(name, held);
    if (!is_new) known->second += held;
  }
  history.parts.insert(history.parts.end(), more.parts.begin(), more.parts.end());
}

void apply_usage(const UsageHistory& history, QueueTree& tree) {
  const auto& sums = history.sums;
  for (std::uint32_t i = 0; i < tree.queues().size(); ++i) {
    auto& queue = tree[QueueIndex(i)];
    queue.usage = Amounts(tree.resources());
    const auto it = sums.held.find(queue.name);
    if (it == sums.held.end() || it->second.size() != tree.resources()) continue;
    for (std::size_t r = 0; r < tree.resources(); ++r) {
      const auto capacity = sums.capacity[r];
      queue.usage[r] = capacity > 0 ? std::clamp(it->second[r] / capacity, 0.0, 1.0) : 0;
    }
  }
}

}  // namespace dray::policy
