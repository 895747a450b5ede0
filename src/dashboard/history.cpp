#include "dashboard/history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace dray::dashboard {

namespace {

/// Moments up to that age are so far apart at least.
struct Tier {
  Duration age;
  Duration apart;
};
constexpr std::array tiers = {Tier{std::chrono::hours(2), Duration(1)},
                              Tier{std::chrono::days(2), std::chrono::minutes(5)},
                              Tier{History::oldest, std::chrono::hours(1)}};

/// Nothing: too old to be kept.
std::optional<Duration> apart_at(Duration age) {
  const auto tier = std::ranges::find_if(tiers, [&](const Tier& t) { return age <= t.age; });
  return tier == tiers.end() ? std::nullopt : std::optional(tier->apart);
}

}  // namespace

History::Change History::add(Time at, const engine::Engine::Status& status) {
  // Queues are told by plans, and there was none yet.
  if (status.queues.empty()) return {};
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
    if (queue.allocated.size() != names.resources.size()) return {};
    names.queues.push_back(queue.queue.get());
    for (std::size_t r = 0; r < names.resources.size(); ++r) {
      sample.values.push_back(static_cast<float>(queue.allocated[r]));
      sample.values.push_back(static_cast<float>(queue.fair_share[r]));
    }
  }
  Change change{.added = true, .dropped = thin(at)};
  const bool as_before = !samples_.empty() && *samples_.back().names == names;
  sample.names =
      as_before ? samples_.back().names : std::make_shared<const Names>(std::move(names));
  samples_.push_back(std::move(sample));
  return change;
}

void History::restore(std::vector<Sample> samples) {
  samples_.assign(std::move_iterator(samples.begin()), std::move_iterator(samples.end()));
}

/// Of what lies closer together than it may by now, the first is kept. By the clock, and not from
/// one to the next, so that it is the same ones at each call.
std::vector<Time> History::thin(Time now) {
  std::vector<Time> dropped;
  Time last = Time::min();
  std::erase_if(samples_, [&](const Sample& sample) {
    const auto apart = apart_at(now - sample.at);
    const bool keep = apart && sample.at < now &&
                      (last == Time::min() ||
                       sample.at.time_since_epoch() / *apart != last.time_since_epoch() / *apart);
    if (keep) {
      last = sample.at;
    } else {
      dropped.push_back(sample.at);
    }
    return !keep;
  });
  return dropped;
}

History::Curves History::of(const std::string& resource, Duration span) const {
  Curves curves;
  if (samples_.empty()) return curves;
  const auto& names = samples_.back().names;
  const auto at = std::ranges::find(names->resources, resource);
  if (at == names->resources.end()) return curves;
  const auto place = static_cast<std::size_t>(at - names->resources.begin());
  curves.left_out = names->left_out;
  for (const auto& queue : names->queues) curves.queues.push_back({queue, {}, {}});
  for (const auto& sample : samples_) {
    if (sample.names != names || samples_.back().at - sample.at > span) continue;
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
