#include "dray/engine/standby.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace dray::engine {

LeaseKey StandbyKeeper::lease(const LeaseKey& leader, std::size_t place) {
  return {leader.namespace_name, leader.name + "-standby-" + std::to_string(place + 1)};
}

StandbyKeeper::StandbyKeeper(Options options) : options_(std::move(options)) {}

void StandbyKeeper::Place::see(const Lease& now_there, Time now) {
  if (now_there.holder != lease.holder || now_there.renewed != lease.renewed) seen = now;
  lease = now_there;
}

bool StandbyKeeper::Place::is_held(Time now) const {
  return !lease.holder.empty() && now < seen + std::chrono::seconds(lease.duration_seconds);
}

StandbyKeeper::Commands StandbyKeeper::tick(Time now, bool stands_by) {
  if (busy_ != Busy::no || now < next_tick_) return {};
  next_tick_ = now + options_.every;
  stands_by_ = stands_by;
  at_ = 0;
  busy_ = Busy::reading;
  return {ReadLease{lease(options_.leader, at_)}};
}

StandbyKeeper::Commands StandbyKeeper::step(const WriteOutcome& outcome, Time now) {
  if (std::exchange(busy_, Busy::no) == Busy::reading) return read(outcome, now);
  note(write_refused_, outcome,
       places_[at_].lease.meta.resource_version.get().empty() ? "create" : "update");
  // What another was quicker to take is read in the next round.
  if (const auto* written = outcome ? std::get_if<Lease>(&*outcome) : nullptr) {
    places_[at_].see(*written, now);
  }
  return {};
}

void StandbyKeeper::note(std::optional<Refused>& refused, const WriteOutcome& outcome,
                         const char* verb) const {
  if (!outcome && outcome.error().code == ErrorCode::denied) {
    refused = Refused{verb, lease(options_.leader, at_)};
  } else if (outcome || outcome.error().code != ErrorCode::unavailable) {
    refused.reset();
  }
}

StandbyKeeper::Commands StandbyKeeper::read(const WriteOutcome& outcome, Time now) {
  note(read_refused_, outcome, "get");
  const auto* found = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (found == nullptr) {
    if (outcome || outcome.error().code != ErrorCode::not_found) return {};
    // They are made in order: there is none beyond.
    for (auto place = at_; place < places; ++place) places_[place].see({}, now);
    return end_round(now);
  }
  places_[at_].see(*found, now);
  if (++at_ == places) return end_round(now);
  busy_ = Busy::reading;
  return {ReadLease{lease(options_.leader, at_)}};
}

StandbyKeeper::Commands StandbyKeeper::end_round(Time now) {
  if (!stands_by_) write_refused_.reset();
  const auto ours = std::ranges::find_if(
      places_, [&](const Place& each) { return each.lease.holder == options_.identity; });
  const auto index = [&](auto place) {
    return static_cast<std::size_t>(std::distance(places_.begin(), place));
  };
  if (!stands_by_) return ours == places_.end() ? Commands() : put(index(ours), "", now);
  const auto place =
      ours != places_.end()
          ? ours
          : std::ranges::find_if(places_, [&](const Place& each) { return !each.is_held(now); });
  return place == places_.end() ? Commands() : put(index(place), options_.identity, now);
}

StandbyKeeper::Commands StandbyKeeper::put(std::size_t place, std::string holder, Time now) {
  auto next = places_[place].lease;
  const auto key = lease(options_.leader, place);
  next.meta.namespace_name = key.namespace_name;
  next.meta.name = key.name;
  if (next.holder != holder) next.acquired = now;
  next.holder = std::move(holder);
  next.duration_seconds =
      static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(options_.duration).count());
  next.renewed = now;
  at_ = place;
  busy_ = Busy::writing;
  const auto version = next.meta.resource_version;
  return {PutLease{key, version, std::move(next)}};
}

std::vector<std::string> StandbyKeeper::standbys(Time now) const {
  std::vector<std::string> names;
  for (const auto& place : places_) {
    if (place.is_held(now)) names.push_back(place.lease.holder);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::unique(names);
  names.erase(twice.begin(), twice.end());
  return names;
}

}  // namespace dray::engine
