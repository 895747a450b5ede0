#include "dashboard/history.h"

#include <algorithm>
#include <utility>

namespace dray::dashboard {

void History::add(Time at, const engine::Engine::Status& status) {
  Names names;
  for (const auto& resource : status.resources) names.resources.push_back(resource.name);
  const auto width = std::max<std::size_t>(names.resources.size(), 1);
  const auto kept = std::min(status.queues.size(), most_values / width);
  names.left_out = status.queues.size() - kept;
  Sample sample{at, nullptr, {}};
  sample.values.reserve(kept * width * 2);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto& queue = status.queues[i];
    // A plan made under another policy counted other resources.
    if (queue.allocated.size() != names.resources.size()) return;
    names.queues.push_back(queue.queue.get());
    for (std::size_t r = 0; r < names.resources.size(); ++r) {
      sample.values.push_back(static_cast<float>(queue.allocated[r]));
      sample.values.push_back(static_cast<float>(queue.fair_share[r]));
    }
  }
  const bool as_before = !samples_.empty() && *samples_.back().names == names;
  sample.names =
      as_before ? samples_.back().names : std::make_shared<const Names>(std::move(names));
  samples_.push_back(std::move(sample));
  if (samples_.size() > most_samples) samples_.pop_front();
}

History::Curves History::of(const std::string& resource) const {
  Curves curves;
  if (samples_.empty()) return curves;
  const auto& names = samples_.back().names;
  const auto at = std::ranges::find(names->resources, resource);
  if (at == names->resources.end()) return curves;
  const auto place = static_cast<std::size_t>(at - names->resources.begin());
  curves.left_out = names->left_out;
  for (const auto& queue : names->queues) curves.queues.push_back({queue, {}, {}});
  for (const auto& sample : samples_) {
    if (sample.names != names) continue;
    curves.times.push_back(sample.at);
    for (std::size_t q = 0; q < curves.queues.size(); ++q) {
      const auto value = (q * names->resources.size() + place) * 2;
      curves.queues[q].used.push_back(sample.values[value]);
      curves.queues[q].fair_share.push_back(sample.values[value + 1]);
    }
  }
  return curves;
}

}  // namespace dray::dashboard
