#include <algorithm>
#include <map>
#include <utility>

#include "alloc/search.h"

// What makes the search short: bounds that show that a branch holds no solution, devices that are
// as good as others, and states that are known to lead nowhere. All of it only where upstream would
// meet no error in what is left out.

namespace dray::alloc {
namespace {

constexpr std::int64_t most_results = 32;

}  // namespace

std::size_t Search::KeyHash::operator()(const std::vector<std::uint64_t>& key) const {
  std::uint64_t hash = key.size();
  for (const auto word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

void Search::prepare_bounds() {
  std::vector<std::vector<bool>> may_fail;
  // Too many results end more than the branch, as far up as their claim: it matters then whether
  // a branch ends for this or for want of devices, if what is left out there could be an error.
  std::vector<bool> may_exceed;
  for (const auto& claim : ask_.claims) {
    std::int64_t most = 0;
    auto& flags = may_fail.emplace_back();
    for (const auto& request : claim.requests) {
      std::int64_t largest = 0;
      bool any = false;
      for (auto s = request.first; s < request.last; ++s) {
        const auto& spec = ask_.specs[s];
        const auto& row = tables_.row(s);
        any = any || row.may_fail || (spec.all && !spec.constraints.empty());
        largest = std::max(largest, std::min(most_results + 1, wanted({.spec = s})));
      }
      flags.push_back(any);
      most += largest;
    }
    may_exceed.push_back(most > most_results);
  }
  bool later = false;
  prune_from_.resize(may_fail.size());
  for (auto c = may_fail.size(); c-- > 0;) {
    const auto& flags = may_fail[c];
    const bool any_here = std::ranges::find(flags, true) != flags.end();
    prune_from_[c].resize(flags.size());
    for (auto r = flags.size(); r-- > 0;) {
      later = later || flags[r];
      prune_from_[c][r] = !later && !(may_exceed[c] && any_here);
    }
  }
  counters_may_grow_ =
      std::ranges::any_of(view_.pools, [](const auto& pool) { return pool.counters_may_grow; });
  find_kinds();
}

bool Search::may_prune(std::uint32_t claim, std::uint32_t request) const {
  return exploring_ || prune_from_[claim][request];
}

/// Devices are of one kind if every request sees the same in them and they take the same of their
/// pool. A device that others hold shares of is its own kind.
void Search::find_kinds() {
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint64_t> key;
  const auto push = [&](Amount amount) {
    key.push_back(static_cast<std::uint64_t>(amount));
    key.push_back(static_cast<std::uint64_t>(amount >> 64));
  };
  for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
    const auto& device = view_.devices[d];
    key.clear();
    for (std::size_t s = 0; s < ask_.specs.size(); ++s) {
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
    if (device.use != nullptr) key.push_back(UINT64_MAX - d);
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
  const auto& spec = ask_.specs[spec_number];
  const auto& row = tables_.row(spec_number);
  Bits open(view_.devices.size());
  const auto consider = [&](std::uint32_t device) {
    if (placing_.in_use(spec, device)) return;
    if (area_ != nullptr && !area_->test(device)) return;
    for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
      const auto value = (*row.values[i])[device];
      if (value == value_error || !placing_.allows(spec.claim, spec.constraints[i], value)) return;
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
  std::vector<Bits> open(ask_.specs.size());
  const auto last = static_cast<std::uint32_t>(ask_.specs.size());
  const auto& current = ask_.claims[at.claim].requests[at.request];
  for (auto spec = current.first; spec < last; ++spec) {
    const bool other_alternative = spec < current.last && spec != at.spec;
    if (other_alternative) continue;
    open[spec] = open_devices(spec);
    if (spec == at.spec) open[spec].cut_before(at.start);
  }
  if (narrow_by_values(at, open) || too_few_counters(at, open) || no_matching(at, open)) {
    return true;
  }
  open_here = std::move(open[at.spec]);
  return false;
}

bool Search::narrow_by_values(const At& at, std::vector<Bits>& open) const {
  for (auto claim = at.claim; claim < ask_.claims.size(); ++claim) {
    const auto& constraints = ask_.claims[claim].constraints;
    for (std::uint32_t c = 0; c < constraints.size(); ++c) {
      const bool begun = !placing_.constraint(claim, c).values.empty();
      if (begun && !constraints[c].distinct) continue;
      if (too_few_values(at, claim, c, open)) return true;
    }
  }
  return false;
}

/// Whether no value (of a distinctAttribute: too few values) is left with which all requests of the
/// constraint can be served. Takes out the devices whose value is of no use.
bool Search::too_few_values(const At& at, std::uint32_t claim, std::uint32_t constraint,
                            std::vector<Bits>& open) const {
  const auto& requests = ask_.claims[claim].requests;
  const auto from = claim == at.claim ? at.request : 0;
  std::map<ValueId, Bits> by_value;
  std::vector<std::uint32_t> scope;
  std::int64_t together = 0;
  for (auto r = from; r < requests.size(); ++r) {
    const bool here = claim == at.claim && r == at.request;
    if (requests[r].alternatives && !here) continue;
    const auto s = here ? at.spec : requests[r].first;
    const auto& constraints = ask_.specs[s].constraints;
    const auto place = std::ranges::find(constraints, constraint);
    if (place == constraints.end()) continue;
    const auto& values =
        *tables_.row(s).values[static_cast<std::size_t>(place - constraints.begin())];
    scope.push_back(s);
    together += need(at, s);
    for (auto d = open[s].next(0); d < open[s].end(); d = open[s].next(d + 1)) {
      if (!values_.value(values[d]).scalar) return false;  // lists share elements: no bound
      by_value.try_emplace(values[d], Bits(view_.devices.size())).first->second.set(d);
    }
  }
  if (scope.empty()) return false;
  if (ask_.claims[claim].constraints[constraint].distinct) {
    return std::cmp_less(by_value.size(), together);
  }
  Bits good(view_.devices.size());
  for (const auto& [value, devices] : by_value) {
    const bool enough = std::ranges::all_of(scope, [&](auto s) {
      return std::cmp_greater_equal(open[s].count_common(devices), need(at, s));
    });
    if (enough) good |= devices;
  }
  return std::ranges::any_of(scope, [&](auto s) {
    open[s] &= good;
    return open[s].none() && need(at, s) > 0;
  });
}

/// Per counter: even if every request took the device that takes least of it, it would run out.
bool Search::too_few_counters(const At& at, const std::vector<Bits>& open) const {
  if (view_.counters.empty() || counters_may_grow_) return false;
  std::vector<Amount> least(view_.counters.size(), 0);
  std::vector<Amount> takes(view_.counters.size());
  for (auto c = at.claim; c < ask_.claims.size(); ++c) {
    const auto& requests = ask_.claims[c].requests;
    for (auto r = c == at.claim ? at.request : 0; r < requests.size(); ++r) {
      const bool here = c == at.claim && r == at.request;
      if (requests[r].alternatives && !here) continue;
      const auto s = here ? at.spec : requests[r].first;
      if (ask_.specs[s].all || open[s].none()) continue;
      std::vector<Amount> cheapest;
      bool free_of_counters = false;
      for (auto d = open[s].next(0); d < open[s].end(); d = open[s].next(d + 1)) {
        const auto& device = view_.devices[d];
        if (device.counters.empty() || tables_.shareable(static_cast<std::uint32_t>(d))) {
          free_of_counters = true;
          break;
        }
        std::ranges::fill(takes, 0);
        for (const auto& take : device.counters) takes[take.row] += take.amount;
        if (cheapest.empty()) {
          cheapest = takes;
        } else {
          std::ranges::transform(cheapest, takes, cheapest.begin(),
                                 [](Amount a, Amount b) { return std::min(a, b); });
        }
      }
      if (free_of_counters) continue;
      for (std::size_t row = 0; row < least.size(); ++row) {
        least[row] += std::max<Amount>(cheapest[row], 0) * need(at, s);
      }
    }
  }
  for (std::size_t row = 0; row < least.size(); ++row) {
    if (least[row] > 0 && least[row] > placing_.counter(row)) return true;
  }
  return false;
}

}  // namespace dray::alloc
