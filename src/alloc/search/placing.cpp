#include "alloc/search/placing.h"

#include <algorithm>
#include <iterator>

namespace dray::alloc {

Placing::Placing(const NodeView& view, const PreparedClaims& prepared, CandidateTables& tables,
                 const Features& features, const AttributeValues& values)
    : view_(view),
      prepared_(prepared),
      tables_(tables),
      features_(features),
      values_(values),
      per_claim_(prepared.claims.size(), 0),
      held_(view.devices.size()),
      counters_(view.counters),
      groups_(view.group_sets) {
  for (const auto& pool : view.pools) short_rows_.push_back(pool.short_rows);
  for (const auto& claim : prepared.claims) chosen_.emplace_back(claim.constraints.size());
}

bool Placing::admits(std::uint32_t claim, std::uint32_t constraint, ValueId value) const {
  return prepared_.claims[claim].constraints[constraint]->admits(chosen_[claim][constraint], value,
                                                                 values_);
}

bool Placing::admit_groups(const ViewDevice& device, Step& step) {
  if (!features_.compatibility_groups) return true;
  for (const auto& take : device.groups) {
    auto& set = groups_[take.set];
    if (!set.admits(take.groups)) {
      restore(device, step);
      return false;
    }
    step.groups.emplace_back(take.set, set);
    set.add(take.groups);
  }
  return true;
}

/// Takes the device's counters (sign 1) or gives them back; false: some counter of the pool is now
/// overdrawn.
bool Placing::charge(const ViewDevice& device, int sign) {
  auto& short_rows = short_rows_[device.pool];
  for (const auto& take : device.counters) {
    auto& left = counters_[take.row];
    const bool was_short = left < 0;
    left -= sign * take.amount;
    if (was_short != (left < 0)) short_rows += left < 0 ? 1U : UINT32_MAX;
  }
  return short_rows == 0;
}

void Placing::restore(const ViewDevice& device, Step& step) {
  for (auto at = step.groups.rbegin(); at != step.groups.rend(); ++at) {
    groups_[at->first] = std::move(at->second);
  }
  step.groups.clear();
  if (step.charged) (void)charge(device, -1);
  step.charged = false;
}

/// Whether the shares placed so far leave too little of the device's capacities.
bool Placing::full(const Pick& pick) {
  const auto* plan = tables_.row(pick.spec).capacity[pick.device];
  if (plan == nullptr || held_[pick.device].shares == 0) return false;
  const auto& used = tables_.capacity_used(pick.device);
  for (std::size_t i = 0; i < plan->taken.size(); ++i) {
    if (used[i] + held_[pick.device].capacity[i] + plan->taken[i] > plan->total[i]) return true;
  }
  return false;
}

std::optional<Placing::Outcome> Placing::push_values(const Pick& pick) {
  const auto& spec = prepared_.specs[pick.spec];
  const auto& row = tables_.row(pick.spec);
  for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
    const auto value = (*row.values[i])[pick.device];
    if (value != value_error && admits(spec.claim, spec.constraints[i], value)) {
      chosen_[spec.claim][spec.constraints[i]].push_back(value);
      continue;
    }
    failed_constraint_ = spec.constraints[i];
    while (i-- > 0) chosen_[spec.claim][spec.constraints[i]].pop_back();
    return value == value_error ? Outcome::derived_error : Outcome::constraint;
  }
  return std::nullopt;
}

void Placing::pop_values(const Spec& spec) {
  for (const auto constraint : spec.constraints) chosen_[spec.claim][constraint].pop_back();
}

void Placing::mark(const Pick& pick, Step& step) {
  const auto claim = prepared_.specs[pick.spec].claim;
  if (!tables_.shareable(pick.device)) {
    step.marked = ((held_[pick.device].claims >> claim) & 1U) == 0;
    held_[pick.device].claims |= std::uint64_t{1} << claim;
    return;
  }
  ++held_[pick.device].shares;
  step.shared = true;
  const auto* plan = tables_.row(pick.spec).capacity[pick.device];
  if (plan == nullptr) return;
  auto& capacity = held_[pick.device].capacity;
  capacity.resize(plan->taken.size(), 0);
  for (std::size_t i = 0; i < plan->taken.size(); ++i) capacity[i] += plan->taken[i];
}

Placing::Outcome Placing::place(const Pick& pick) {
  const auto& spec = prepared_.specs[pick.spec];
  const auto& device = view_.devices[pick.device];
  if (in_use(spec, pick.device)) return Outcome::rejected;
  // Upstream looks at capacity first, but for `All` last.
  const bool too_full = full(pick);
  if (too_full && !spec.all) return Outcome::rejected;
  Step step;
  const bool counted = tables_.shareable(pick.device) &&
                       (held_[pick.device].shares > 0 || tables_.shared_already(pick.device));
  if (!counted && !device.traits().consumes_counters.empty()) {
    if (!admit_groups(device, step)) return Outcome::rejected;
    step.charged = true;
    if (!charge(device, 1)) {
      restore(device, step);
      return Outcome::rejected;
    }
  }
  if (const auto refused = push_values(pick)) {
    restore(device, step);
    return *refused;
  }
  if (too_full) {
    pop_values(spec);
    restore(device, step);
    return Outcome::rejected;
  }
  mark(pick, step);
  ++per_claim_[spec.claim];
  picks_.push_back(pick);
  steps_.push_back(std::move(step));
  return Outcome::placed;
}

void Placing::undo() {
  const auto pick = picks_.back();
  auto step = std::move(steps_.back());
  picks_.pop_back();
  steps_.pop_back();
  const auto& spec = prepared_.specs[pick.spec];
  --per_claim_[spec.claim];
  if (step.marked) held_[pick.device].claims &= ~(std::uint64_t{1} << spec.claim);
  if (step.shared) {
    --held_[pick.device].shares;
    if (const auto* plan = tables_.row(pick.spec).capacity[pick.device]) {
      for (std::size_t i = 0; i < plan->taken.size(); ++i) {
        held_[pick.device].capacity[i] -= plan->taken[i];
      }
    }
  }
  pop_values(spec);
  restore(view_.devices[pick.device], step);
}

std::int64_t Placing::fullness(std::uint32_t device) const {
  const auto& capacity = view_.devices[device].traits().capacity;
  const auto& used = tables_.capacity_used(device);
  const auto& picked = held_[device].capacity;
  std::int64_t most = held_[device].shares > 0 || tables_.shared_already(device) ? 1 : 0;
  std::size_t i = 0;
  for (const auto& [name, total] : capacity) {
    const auto all = amount_of(total.value);
    const auto taken = used[i] + (picked.empty() ? 0 : picked[i]);
    if (all > 0) most = std::max(most, static_cast<std::int64_t>(taken * 1000 / all));
    ++i;
  }
  return most;
}

void Placing::sign(const std::vector<std::uint32_t>& kinds, std::vector<std::uint64_t>& out) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> held;
  for (std::size_t d = 0; d < held_.size(); ++d) {
    if (held_[d].claims != 0) held.emplace_back(kinds[d], held_[d].claims);
  }
  std::ranges::sort(held);
  for (const auto& [kind, holders] : held) {
    out.push_back(kind);
    out.push_back(holders);
  }
  out.push_back(UINT64_MAX);
  for (std::size_t d = 0; d < held_.size(); ++d) {
    if (held_[d].shares == 0) continue;
    out.push_back(d);
    out.push_back(held_[d].shares);
    for (const auto amount : held_[d].capacity) append(out, amount);
  }
  for (std::size_t claim = 0; claim < chosen_.size(); ++claim) {
    for (std::size_t i = 0; i < chosen_[claim].size(); ++i) {
      out.push_back(UINT64_MAX - 1);
      prepared_.claims[claim].constraints[i]->sign_chosen(chosen_[claim][i], values_, out);
    }
    out.push_back(per_claim_[claim]);
  }
}

}  // namespace dray::alloc
