#include "alloc/search/bounds.h"

#include <algorithm>
#include <utility>

#include "alloc/search/matching.h"
#include "dray/model/claim_limits.h"

namespace dray::alloc {

/// Whether an `All` request may get to a device that a constraint refuses, which is an error: the
/// first device in order that cannot be had ends it without one.
bool Bounds::all_may_fail(std::uint32_t spec_number) const {
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

std::int64_t Bounds::wanted(std::uint32_t spec_number) const {
  const auto& spec = prepared_.specs[spec_number];
  return spec.all ? static_cast<std::int64_t>(tables_.row(spec_number).all.size()) : spec.count;
}

std::vector<bool> Bounds::failing_alls() const {
  std::vector<bool> failing(prepared_.specs.size());
  for (std::uint32_t s = 0; s < failing.size(); ++s) {
    failing[s] = prepared_.specs[s].all && all_may_fail(s);
  }
  return failing;
}

std::int64_t Bounds::most_devices(const PreparedRequest& request) const {
  std::int64_t most = 0;
  for (auto s = request.first; s < request.last; ++s) {
    most = std::max(most, std::min(max_results + 1, wanted(s)));
  }
  return most;
}

Bounds::Bounds(const NodeView& view, const PreparedClaims& prepared, const CandidateTables& tables,
               const AttributeValues& values, const Placing& placing, const Bits* area)
    : view_(view),
      prepared_(prepared),
      tables_(tables),
      values_(values),
      placing_(placing),
      area_(area),
      failing_(failing_alls()) {
  counters_may_grow_ =
      std::ranges::any_of(view_.pools, [](const auto& pool) { return pool.counters_may_grow; });
  const auto claims = static_cast<std::uint32_t>(prepared_.claims.size());
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
        may_fail_here = may_fail_here || tables_.row(s).may_fail || failing_[s];
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
}

Bounds::Pruning Bounds::pruning(std::uint32_t claim, std::uint32_t request) const {
  if (!ignore_errors_) return pruning_[claim][request];
  const auto claims = static_cast<std::uint32_t>(prepared_.claims.size());
  return {.reuse = true, .bound = true, .end = {.claim = claims, .request = 0}};
}

/// What is yet to be served, as far as the bounds may look.
std::vector<Bounds::Pending> Bounds::pending(const SearchPosition& at) const {
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

std::int64_t Bounds::need(const SearchPosition& at, std::uint32_t spec) const {
  const auto count = wanted(spec);
  return spec == at.spec ? count - at.device : count;
}

/// The devices that a spec could still get, each for itself.
Bits Bounds::open_devices(std::uint32_t spec_number) const {
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

bool Bounds::hopeless(const SearchPosition& at, Bits& open_here) const {
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
bool Bounds::narrow_by_constraints(const SearchPosition& at, const std::vector<Pending>& todo,
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
std::vector<Demand> Bounds::demands_of(const SearchPosition& at, const std::vector<Pending>& todo,
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
std::vector<Amount> Bounds::cheapest(const Bits& open) const {
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
bool Bounds::too_few_counters(const SearchPosition& at, const std::vector<Pending>& todo,
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

/// Whether the requests that are yet to be served cannot all have devices of their own.
bool Bounds::no_matching(const SearchPosition& at, const std::vector<Pending>& todo,
                         const std::vector<Bits>& open) const {
  Bits shareable(view_.devices.size());
  for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
    if (tables_.shareable(d)) shareable.set(d);
  }
  std::vector<DevicesWanted> wanting;
  for (const auto& request : todo) {
    DevicesWanted one{.devices = Bits(view_.devices.size()), .units = INT64_MAX};
    for (auto s = request.first; s < request.last; ++s) {
      const auto units = need(at, s);
      const auto there = static_cast<std::int64_t>(open[s].count());
      if (units > there || (prepared_.specs[s].all && wanted(s) == 0)) continue;
      one.devices |= open[s];
      const auto shares = static_cast<std::int64_t>(open[s].count_common(shareable));
      const bool free = prepared_.specs[s].admin;
      one.units = std::min(one.units, free ? 0 : std::max<std::int64_t>(0, units - shares));
    }
    if (one.units == INT64_MAX) return true;
    if (one.units > 0) wanting.push_back(std::move(one));
  }
  if (wanting.size() < 2) return false;
  for (auto& one : wanting) one.devices -= shareable;
  return !all_can_have_their_own(std::move(wanting), view_.devices.size());
}

}  // namespace dray::alloc
