#include "dray/policy/usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace dray::policy {

namespace {

/// What a step of time does to an integral: what was counted shrinks, what is held adds up.
struct Step {
  double decay = 1;
  double weight = 0;

  void count(Amounts& integral, const Amounts& held) const {
    for (std::size_t r = 0; r < integral.size(); ++r) {
      integral[r] = integral[r] * decay + held[r] * weight;
    }
  }
};

Step step_of(Duration time, Duration half_life) {
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  const auto decay = std::exp2(-seconds(time) / seconds(half_life));
  // The integral of 0.5^(age/halfLife) over the step.
  return {decay, seconds(half_life) / std::numbers::ln2 * (1 - decay)};
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

void advance(UsageHistory& history, const QueueTree& tree, const Amounts& total, Time now) {
  const auto since = history.at;
  history.at = now;
  if (history.capacity.size() != tree.resources()) {
    // Other resources are counted now: the numbers mean nothing any more.
    history.capacity = Amounts(tree.resources());
    history.held.clear();
  }
  if (!since || *since >= now || history.half_life.count() <= 0) return;
  const auto step = step_of(now - *since, history.half_life);
  step.count(history.capacity, total);
  const Amounts nothing(tree.resources());
  for (auto& [name, held] : history.held) {
    const auto index = tree.find(name.get());
    step.count(held, index ? tree[*index].allocated : nothing);
  }
  for (const auto& queue : tree.queues()) {
    auto [it, is_new] = history.held.try_emplace(queue.name, nothing);
    if (is_new) step.count(it->second, queue.allocated);
  }
  std::erase_if(history.held, [&](const auto& entry) {
    return !tree.find(entry.first.get()) && negligible(entry.second, history.capacity);
  });
}

void apply_usage(const UsageHistory& history, QueueTree& tree) {
  for (std::uint32_t i = 0; i < tree.queues().size(); ++i) {
    auto& queue = tree[QueueIndex(i)];
    queue.usage = Amounts(tree.resources());
    const auto it = history.held.find(queue.name);
    if (it == history.held.end() || it->second.size() != tree.resources()) continue;
    for (std::size_t r = 0; r < tree.resources(); ++r) {
      const auto capacity = history.capacity[r];
      queue.usage[r] = capacity > 0 ? std::clamp(it->second[r] / capacity, 0.0, 1.0) : 0;
    }
  }
}

}  // namespace dray::policy
