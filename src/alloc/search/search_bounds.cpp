#include <algorithm>
#include <map>
#include <utility>

#include "alloc/search/search.h"
#include "dray/model/claim_limits.h"

// What makes the search short: bounds that show that a branch holds no solution, devices that are
// as good as others, and states that are known to lead nowhere. All of it only where upstream would
// meet no error in what is left out.

namespace dray::alloc {

std::size_t Search::KeyHash::operator()(const std::vector<std::uint64_t>& key) const {
  std::uint64_t hash = key.size();
  for (const auto word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

/// Whether an `All` request may get to a device that a constraint refuses, which is an error: the
/// first device in order that cannot be had ends it without one.
bool Search::all_may_fail(std::uint32_t spec_number) const {
  const auto& spec = prepared_.specs[spec_number];
  const auto& row = tables_.row(spec_number);
  const auto applies_elsewhere = [&](std::uint32_t constraint) {
    return std::ranges::any_of(prepared_.specs, [&](const Spec& other) {
      return &other != &spec && other.claim == spec.claim &&
             std::ranges::find(other.constraints, constraint) != other.constraints.end();
    });
  };
  const auto& constraints = prepared_.claims[spec.claim].constraints;
  std::vector<std::vector<ValueId>> chosen(spec.constraints.size());
  for (const auto device : row.all) {
    const auto stage = row.stages[device];
    if (stage == Stage::constraint) return true;
    if (stage != Stage::usable && stage != Stage::capacity) return false;
    for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
      const auto value = (*row.values[i])[device];
      const bool refused = value == value_error ||
                           !constraints[spec.constraints[i]]->admits(chosen[i], value, values_);
      if (refused || applies_elsewhere(spec.constraints[i])) return true;
      chosen[i].push_back(value);
    }
    if (stage == Stage::capacity) return false;
  }
  return false;
}

std::vector<bool> Search::failing_alls() const {
  std::vector<bool> failing(prepared_.specs.size());
  for (std::uint32_t s = 0; s < failing.size(); ++s) {
    failing[s] = prepared_.specs[s].all && all_may_fail(s);
  }
  return failing;
}

std::int64_t Search::most_devices(const PreparedRequest& request) const {
  std::int64_t most = 0;
  for (auto s = request.first; s < request.last; ++s) {
    most = std::max(most, std::min(max_results + 1, wanted({.spec = s})));
  }
  return most;
}

void Search::prepare_bounds() {
  counters_may_grow_ =
      std::ranges::any_of(view_.pools, [](const auto& pool) { return pool.counters_may_grow; });
  const auto claims = static_cast<std::uint32_t>(prepared_.claims.size());
  const auto failing = failing_alls();
  Place end{.claim = claims, .request = 0};
  bool reuse = true;
  pruning_.resize(claims);
  for (auto c = claims; c-- > 0;) {
    const auto& requests = prepared_.claims[c].requests;
    pruning_[c].resize(requests.size());
    std::int64_t most = 0;
    bool fails = false;
    for (auto r = static_cast<std::uint32_t>(requests.size()); r-- > 0;) {
      bool may_fail_here = false;
      for (auto s = requests[r].first; s < requests[r].last; ++s) {
        may_fail_here = may_fail_here || tables_.row(s).may_fail || failing[s];
      }
      if (may_fail_here) end = {.claim = c, .request = r};
      fails = fails || may_fail_here;
      // What counters keep from a derived attribute that cannot be computed, they may give back.
      reuse = reuse && !(may_fail_here && counters_may_grow_);
      most += most_devices(requests[r]);
      pruning_[c][r] = {.reuse = reuse, .bound = !may_fail_here, .end = end};
    }
    // Too many results end more than the branch, as far up as their claim: it matters then whether
    // a branch ends for this or for want of devices, if what is left out could be an error.
    if (!fails || most <= max_results) continue;
    for (auto& pruning : pruning_[c]) pruning.bound = false;
  }
  find_kinds(failing);
}

Search::Pruning Search::pruning(std::uint32_t claim, std::uint32_t request) const {
  if (!exploring_) return pruning_[claim][request];
  const auto claims = static_cast<std::uint32_t>(prepared_.claims.size());
  return {.reuse = true, .bound = true, .end = {.claim = claims, .request = 0}};
}

/// What is yet to be served, as far as the bounds may look.
std::vector<Search::Pending> Search::pending(const At& at) const {
  const auto end = pruning(at.claim, at.request).end;
  std::vector<Pending> found{{.claim = at.claim, .first = at.spec, .last = at.spec + 1}};
  for (auto c = at.claim; c < prepared_.claims.size() && c <= end.claim; ++c) {
    const auto& requests = prepared_.claims[c].requests;
    const auto last = c < end.claim ? requests.size() : end.request;
    for (auto r = c == at.claim ? at.request + 1 : 0; r < last; ++r) {
      found.push_back({.claim = c, .first = requests[r].first, .last = requests[r].last});
    }
  }
  return found;
}

/// Devices are of one kind if every request sees the same in them and they take the same of their
/// pool. Its own kind is a device that others hold shares of, and one of an `All` request that ends
/// with an error or without, depending on which of its devices is the first that is in use.
void Search::find_kinds(const std::vector<bool>& failing) {
  Bits alone(view_.devices.size());
  for (std::size_t s = 0; s < failing.size(); ++s) {
    if (!failing[s]) continue;
    for (const auto device : tables_.row(s).all) alone.set(device);
  }
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint64_t> key;
  const auto push = [&](Amount amount) {
    key.push_back(static_cast<std::uint64_t>(amount));
    key.push_back(static_cast<std::uint64_t>(amount >> 64));
  };
  for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
    const auto& device = view_.devices[d];
    key.clear();
    for (std::size_t s = 0; s < prepared_.specs.size(); ++s) {
      const auto& row = tables_.row(s);
      key.push_back(static_cast<std::uint64_t>(row.verdicts[d]) * 64 +
                    static_cast<std::uint64_t>(row.stages[d]));
      for (const auto* values : row.values) key.push_back((*values)[d]);
      if (const auto* plan = row.capacity[d]; plan != nullptr && tables_.shareable(d)) {
        for (const auto amount : plan->taken) push(amount);
        for (const auto amount : plan->total) push(amount);
      }
    }
    key.push_back(tables_.shareable(d) ? 1 : 0);
    if (device.use != nullptr || alone.test(d)) key.push_back(UINT64_MAX - d);
    for (const auto& take : device.counters) {
      key.push_back(take.row);
      push(take.amount);
    }
    for (const auto& take : device.groups) {
      key.push_back(take.set);
      for (const auto& group : take.groups) key.push_back(std::hash<std::string>{}(group));
    }
    if (scorer_ != nullptr) scorer_->describe(d, key);
    const auto next = static_cast<std::uint32_t>(known.size());
    kinds_.push_back(known.try_emplace(key, next).first->second);
  }
}

bool Search::same_kind_failed(std::uint32_t device,
                              const std::vector<std::uint32_t>& failed) const {
  return std::ranges::any_of(failed, [&](std::uint32_t other) {
    return kinds_[other] == kinds_[device] && placing_.holders(other) == placing_.holders(device) &&
           placing_.shares(other) == 0 && placing_.shares(device) == 0;
  });
}

bool Search::known_dead_end(std::uint32_t claim, std::uint32_t request,
                            std::vector<std::uint64_t>& key) const {
  key.push_back(claim);
  key.push_back(request);
  placing_.sign(kinds_, key);
  return dead_ends_.contains(key);
}

std::int64_t Search::need(const At& at, std::uint32_t spec) const {
  const auto count = wanted({.spec = spec});
  return spec == at.spec ? count - at.device : count;
}

/// The devices that a spec could still get, each for itself.
Bits Search::open_devices(std::uint32_t spec_number) const {
  const auto& spec = prepared_.specs[spec_number];
  const auto& row = tables_.row(spec_number);
  Bits open(view_.devices.size());
  const auto consider = [&](std::uint32_t device) {
    if (placing_.in_use(spec, device)) return;
    if (area_ != nullptr && !area_->test(device)) return;
    for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
      const auto value = (*row.values[i])[device];
      if (value == value_error || !placing_.admits(spec.claim, spec.constraints[i], value)) return;
    }
    open.set(device);
  };
  if (spec.all) {
    for (const auto device : row.all) {
      if (row.stages[device] == Stage::usable) consider(device);
    }
    return open;
  }
  for (auto d = row.usable.next(0); d < row.usable.end(); d = row.usable.next(d + 1)) {
    consider(static_cast<std::uint32_t>(d));
  }
  return open;
}

bool Search::hopeless(const At& at, Bits& open_here) const {
  const auto todo = pending(at);
  std::vector<Bits> open(prepared_.specs.size());
  for (const auto& one : todo) {
    for (auto spec = one.first; spec < one.last; ++spec) open[spec] = open_devices(spec);
  }
  open[at.spec].cut_before(at.start);
  if (narrow_by_constraints(at, todo, open) || too_few_counters(at, todo, open) ||
      no_matching(at, todo, open)) {
    return true;
  }
  open_here = std::move(open[at.spec]);
  return false;
}

/// Whether some constraint shows that the requests which it binds cannot all be served; takes out
/// the devices that it knows to be of no use.
bool Search::narrow_by_constraints(const At& at, const std::vector<Pending>& todo,
                                   std::vector<Bits>& open) const {
  for (auto claim = at.claim; claim <= todo.back().claim; ++claim) {
    const auto& constraints = prepared_.claims[claim].constraints;
    for (std::uint32_t c = 0; c < constraints.size(); ++c) {
      auto demands = demands_of(at, todo, {claim, c}, open);
      if (demands.empty()) continue;
      if (constraints[c]->hopeless(placing_.chosen(claim, c), demands, values_)) return true;
    }
  }
  return false;
}

/// The requests without alternatives that a constraint binds.
std::vector<Demand> Search::demands_of(const At& at, const std::vector<Pending>& todo,
                                       ConstraintOf of, std::vector<Bits>& open) const {
  std::vector<Demand> demands;
  for (const auto& one : todo) {
    if (one.claim != of.claim || one.alternatives()) continue;
    const auto& bound_by = prepared_.specs[one.first].constraints;
    const auto place = std::ranges::find(bound_by, of.constraint);
    if (place == bound_by.end()) continue;
    const auto& row = tables_.row(one.first);
    demands.push_back({.count = need(at, one.first),
                       .candidates = &open[one.first],
                       .values = row.values[static_cast<std::size_t>(place - bound_by.begin())]});
  }
  return demands;
}

/// The least that a device of a spec takes of each counter; empty: some device takes nothing.
std::vector<Amount> Search::cheapest(const Bits& open) const {
  std::vector<Amount> least;
  std::vector<Amount> takes(view_.counters.size());
  for (auto d = open.next(0); d < open.end(); d = open.next(d + 1)) {
    const auto& device = view_.devices[d];
    if (device.counters.empty() || tables_.shareable(static_cast<std::uint32_t>(d))) return {};
    std::ranges::fill(takes, 0);
    for (const auto& take : device.counters) takes[take.row] += take.amount;
    if (least.empty()) {
      least = takes;
      continue;
    }
    std::ranges::transform(least, takes, least.begin(),
                           [](Amount a, Amount b) { return std::min(a, b); });
  }
  return least;
}

/// Per counter: even if every request took the device that takes least of it, it would run out.
bool Search::too_few_counters(const At& at, const std::vector<Pending>& todo,
                              const std::vector<Bits>& open) const {
  if (view_.counters.empty() || counters_may_grow_) return false;
  std::vector<Amount> least(view_.counters.size(), 0);
  for (const auto& one : todo) {
    if (one.alternatives() || prepared_.specs[one.first].all) continue;
    const auto takes = cheapest(open[one.first]);
    for (std::size_t row = 0; row < takes.size(); ++row) {
      least[row] += std::max<Amount>(takes[row], 0) * need(at, one.first);
    }
  }
  for (std::size_t row = 0; row < least.size(); ++row) {
    if (least[row] > 0 && least[row] > placing_.counter(row)) return true;
  }
  return false;
}

}  // namespace dray::alloc
