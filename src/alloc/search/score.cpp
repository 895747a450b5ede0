#include "alloc/search/score.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "alloc/search/result.h"

namespace dray::alloc {
namespace {

constexpr std::int64_t most_places = 64;
constexpr std::int64_t group_weight = 10'000;

/// Numbers from 1 on, in the order in which values come.
template <class T>
class Numbers {
 public:
  std::uint32_t of(const T& value) {
    return numbers_.try_emplace(value, static_cast<std::uint32_t>(numbers_.size() + 1))
        .first->second;
  }

 private:
  std::unordered_map<T, std::uint32_t> numbers_;
};

}  // namespace

std::int64_t Score::total() const {
  constexpr std::int64_t span = std::int64_t{1} << 40U;
  const auto small = std::clamp<std::int64_t>(room, -span + 1, span - 1);
  return std::max<std::int64_t>(alignment, -(std::int64_t{1} << 22U)) * span + small;
}

std::uint32_t unready(const NodeView& view, std::span<const Pick> picks) {
  return static_cast<std::uint32_t>(std::ranges::count_if(picks, [&](const Pick& pick) {
    return view.devices[pick.device].traits().has_binding_conditions;
  }));
}

Scorer::Scorer(const NodeView& view, const PreparedClaims& prepared, CandidateTables& tables,
               const AllocatorOptions& options, AttributeValues& values)
    : view_(view), prepared_(prepared), tables_(tables), options_(options) {
  find_places(values);
  weigh_partitions();
  room_before_ = room(nullptr);
}

/// Where each device is on each level: the first of the level's attributes that says so. Values
/// compare by their text: drivers do not agree on types.
void Scorer::find_places(AttributeValues& values) {
  Numbers<std::string_view> drivers;
  for (const auto& level : options_.alignment) {
    std::vector<AttributeValues::Column*> columns;
    columns.reserve(level.attributes.size());
    for (const auto& attribute : level.attributes) columns.push_back(&values.column(attribute));
    Numbers<std::uint32_t> known;
    Numbers<std::uint64_t> known_groups;
    auto& places = places_.emplace_back(view_.devices.size(), 0);
    auto& groups = groups_.emplace_back(view_.devices.size(), 0);
    for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
      const auto& device = view_.devices[d];
      const auto& driver = view_.pools[device.pool].pool->driver.get();
      for (auto* column : columns) {
        const auto text = values.text_number(values.published(*column, driver, *device.device));
        if (text == 0) continue;
        places[d] = known.of(text);
        groups[d] = known_groups.of(std::uint64_t{drivers.of(driver)} << 32U | places[d]);
        break;
      }
    }
  }
}

std::vector<Bits> Scorer::areas() const {
  std::vector<Bits> areas;
  for (std::size_t level = 0; level < places_.size(); ++level) {
    if (!options_.alignment[level].required) continue;
    const auto& places = places_[level];
    const auto last = places.empty() ? 0 : *std::ranges::max_element(places);
    std::vector<Bits> within;
    for (std::uint32_t place = 1; place <= last; ++place) {
      Bits area(places.size());
      for (std::size_t d = 0; d < places.size(); ++d) {
        if (places[d] == place || places[d] == 0) area.set(d);
      }
      if (areas.empty()) within.push_back(area);
      for (auto both : areas) within.push_back(both &= area);
    }
    if (!within.empty()) areas = std::move(within);
  }
  return areas;
}

/// A partition weighs what it takes of its card, in hundredths of each counter's largest take.
void Scorer::weigh_partitions() {
  weights_.resize(view_.devices.size(), 0);
  std::vector<Amount> largest(view_.counters.size(), 0);
  for (const auto& device : view_.devices) {
    for (const auto& take : device.counters) {
      largest[take.row] = std::max(largest[take.row], take.amount);
    }
  }
  for (std::size_t d = 0; d < weights_.size(); ++d) {
    for (const auto& take : view_.devices[d].counters) {
      if (largest[take.row] <= 0) continue;
      weights_[d] += static_cast<std::int64_t>(take.amount * 100 / largest[take.row]);
    }
  }
}

bool Scorer::free(std::uint32_t device, const Placing* placing) const {
  return !tables_.dedicated(device) && !tables_.shared_already(device) &&
         (placing == nullptr || (placing->holders(device) == 0 && placing->shares(device) == 0));
}

/// 0 if on every level all devices of the pod are in one place; each further place costs, on an
/// earlier level more than all later ones together.
std::int64_t Scorer::alignment(std::span<const Pick> picks) const {
  std::int64_t cost = 0;
  for (const auto& places : places_) {
    std::set<std::uint32_t> used;
    for (const auto& pick : picks) {
      if (places[pick.device] != 0) used.insert(places[pick.device]);
    }
    const auto more = used.empty() ? 0 : static_cast<std::int64_t>(used.size()) - 1;
    cost = cost * most_places + std::min(more, most_places - 1);
  }
  return -cost;
}

/// Large groups of free devices are worth more than the same devices in small ones.
std::int64_t Scorer::room(const Placing* placing) const {
  std::int64_t sum = partitions_left(placing);
  for (const auto& groups : groups_) {
    std::vector<std::int64_t> left;  // by group
    for (std::uint32_t d = 0; d < groups.size(); ++d) {
      if (groups[d] == 0 || weights_[d] != 0 || !free(d, placing)) continue;
      if (left.size() <= groups[d]) left.resize(groups[d] + std::size_t{1}, 0);
      ++left[groups[d]];
    }
    for (const auto count : left) sum += group_weight * count * count;
  }
  return sum;
}

/// What partitions can still be made, the large ones counting most.
std::int64_t Scorer::partitions_left(const Placing* placing) const {
  std::int64_t sum = 0;
  for (std::uint32_t d = 0; d < weights_.size(); ++d) {
    if (weights_[d] == 0 || !free(d, placing)) continue;
    const bool fits = std::ranges::all_of(view_.devices[d].counters, [&](const auto& take) {
      const auto left = placing == nullptr ? view_.counters[take.row] : placing->counter(take.row);
      return take.amount <= left;
    });
    if (fits) sum += weights_[d] * weights_[d];
  }
  return sum;
}

/// Used shares of a card count by the square: more on fewer cards is packed.
std::int64_t Scorer::shares(const Placing& placing) {
  std::int64_t sum = 0;
  for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
    if (!tables_.shareable(d)) continue;
    const auto used = placing.fullness(d);
    sum += used * used;
  }
  return options_.shares == SharePlacement::pack ? sum : -sum;
}

Score Scorer::rate(const Placing& placing) {
  return {.preference = preference(prepared_, placing.picks()),
          .ready = -std::int64_t{unready(view_, placing.picks())},
          .alignment = alignment(placing.picks()),
          .room = room(&placing) - room_before_,
          .shares = shares(placing)};
}

void Scorer::describe(std::uint32_t device, std::vector<std::uint64_t>& key) {
  for (std::size_t level = 0; level < places_.size(); ++level) {
    key.push_back(places_[level][device]);
    key.push_back(groups_[level][device]);
  }
  key.push_back(static_cast<std::uint64_t>(weights_[device]));
  key.push_back((free(device, nullptr) ? 1U : 0U) |
                (view_.devices[device].traits().has_binding_conditions ? 2U : 0U));
  if (!tables_.shareable(device)) return;
  for (const auto amount : tables_.capacity_used(device)) append(key, amount);
}

}  // namespace dray::alloc
