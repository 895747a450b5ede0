#include "alloc/search/search.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "alloc/search/device_kinds.h"
#include "dray/model/claim_limits.h"

namespace dray::alloc {
namespace {

constexpr std::size_t most_dead_ends = 100'000;

}  // namespace

Search::Search(const NodeView& view, const PreparedClaims& prepared, CandidateTables& tables,
               const AllocatorOptions& options, const AttributeValues& values, Scorer* scorer,
               const Bits* area, const Allowance* allowance)
    : view_(view),
      prepared_(prepared),
      tables_(tables),
      options_(options),
      scorer_(scorer),
      area_(area),
      placing_(view, prepared, tables, options.features, values),
      bounds_(view, prepared, tables, values, placing_, area),
      spending_(allowance == nullptr
                    ? std::nullopt
                    : std::optional<Spending>(std::in_place, *allowance, view, prepared, tables)),
      kinds_(device_kinds(view, prepared, tables, bounds_.failing(), scorer,
                          spending_ ? &*spending_ : nullptr)),
      steps_{.budget = options.step_budget} {}

bool Found::better_than(const Found& other) const {
  const auto rank = [](Kind of) { return of == Kind::found ? 2 : of == Kind::none ? 0 : 1; };
  if (rank(kind) != rank(other.kind)) return rank(kind) > rank(other.kind);
  return kind == Kind::found && score > other.score;
}

Found Search::run() {
  const auto outcome = begin_request(0, 0);
  Found found;
  found.steps = steps_.taken;
  if (outcome == Outcome::found) {
    found.kind = Found::Kind::found;
    found.picks = placing_.picks();
    if (scorer_ != nullptr) look_for_better(found);
  } else if (steps_.spent) {
    found.kind = Found::Kind::budget;
  } else if (outcome == Outcome::stop) {
    found.kind = Found::Kind::error;
    found.error = std::move(error_);
  }
  return found;
}

/// Goes on from the start, through all solutions that differ in kind, as far as the steps go. The
/// answer is a solution anyway: what upstream would call an error on the way is a dead end here.
void Search::look_for_better(Found& found) {
  exploration_.score = scorer_->rate(placing_);
  exploration_.best = std::move(found.picks);
  while (!placing_.picks().empty()) undo_place();
  exploration_.active = true;
  bounds_.ignore_errors();
  steps_.budget = steps_.taken + options_.better_step_budget;
  (void)begin_request(0, 0);
  steps_.spent = false;
  found.picks = std::move(exploration_.best);
  found.score = exploration_.score;
  found.steps = steps_.taken;
}

Search::Outcome Search::solution() {
  if (!exploration_.active) return Outcome::found;
  ++exploration_.solutions;
  const auto score = scorer_->rate(placing_);
  if (score > exploration_.score) {
    exploration_.score = score;
    exploration_.best = placing_.picks();
  }
  return Outcome::none;
}

Search::Outcome Search::stop_with(std::string error) {
  error_ = std::move(error);
  return Outcome::stop;
}

/// What goes beyond the allowance is rejected.
Placing::Outcome Search::place(const Pick& pick) {
  if (spending_ && !spending_->affords(pick)) return Placing::Outcome::rejected;
  const auto outcome = placing_.place(pick);
  if (spending_ && outcome == Placing::Outcome::placed) spending_->add(pick);
  return outcome;
}

void Search::undo_place() {
  if (spending_) spending_->remove(placing_.picks().back());
  placing_.undo();
}

bool Search::spend() {
  steps_.spent = steps_.spent || steps_.taken >= steps_.budget;
  ++steps_.taken;
  return !steps_.spent;
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
  if (spending_) spending_->sign(key);
  return dead_ends_.contains(key);
}

Search::Outcome Search::begin_request(std::uint32_t claim, std::uint32_t request) {
  if (claim == prepared_.claims.size()) return solution();
  const auto& asked = prepared_.claims[claim];
  if (request == asked.requests.size()) {
    // Too many devices for the next claim is no reason to leave this one as it is.
    const auto outcome = begin_request(claim + 1, 0);
    return outcome == Outcome::exceeded ? Outcome::none : outcome;
  }
  const bool reuse = bounds_.pruning(claim, request).reuse;
  std::vector<std::uint64_t> key;
  if (reuse && known_dead_end(claim, request, key)) return Outcome::none;
  const auto& entry = asked.requests[request];
  const auto seen = exploration_.solutions;
  const auto outcome = entry.alternatives
                           ? choose_alternative(claim, request)
                           : next_device({.claim = claim, .request = request, .spec = entry.first});
  if (reuse && outcome == Outcome::none && seen == exploration_.solutions &&
      dead_ends_.size() < most_dead_ends) {
    dead_ends_.insert(std::move(key));
  }
  return outcome;
}

Search::Outcome Search::choose_alternative(std::uint32_t claim, std::uint32_t request) {
  const auto& entry = prepared_.claims[claim].requests[request];
  bool all_exceeded = true;
  for (auto spec = entry.first; spec < entry.last; ++spec) {
    const auto outcome = next_device({.claim = claim, .request = request, .spec = spec});
    if (outcome == Outcome::exceeded) continue;
    all_exceeded = false;
    if (outcome != Outcome::none) return outcome;
  }
  return all_exceeded ? Outcome::exceeded : Outcome::none;
}

Search::Outcome Search::next_device(At at) {
  const bool all = prepared_.specs[at.spec].all;
  const auto count = bounds_.wanted(at.spec);
  if (all && count == 0) return Outcome::none;
  if (at.device >= count) return begin_request(at.claim, at.request + 1);
  const auto placed = static_cast<std::int64_t>(placing_.picks_of(at.claim));
  if (count - at.device > max_results - placed) return Outcome::exceeded;
  if (spending_ && !spending_->may_afford(at.spec, count - at.device)) return Outcome::none;
  return all ? take_all(at) : take_any(at);
}

Search::Outcome Search::take_all(At at) {
  if (!spend()) return Outcome::stop;
  const auto& spec = prepared_.specs[at.spec];
  const auto& row = tables_.row(at.spec);
  const auto device = row.all[static_cast<std::size_t>(at.device)];
  const auto stage = row.stages[device];
  if (area_ != nullptr && !area_->test(device)) return Outcome::none;
  if (stage != Stage::usable && stage != Stage::constraint && stage != Stage::capacity) {
    return Outcome::none;
  }
  switch (place({at.spec, device})) {
    case Placing::Outcome::rejected:
      return Outcome::none;
    case Placing::Outcome::constraint:
      if (exploration_.active) return Outcome::none;
      return stop_with(fmt::format(
          "claim {}, request {}: cannot add device {} because a claim constraint would not be "
          "satisfied",
          prepared_.claims[spec.claim].label, spec.name, view_.id_text(device)));
    case Placing::Outcome::derived_error:
      if (exploration_.active) return Outcome::none;
      return stop_with(tables_.derived_error_text(spec, placing_.failed_constraint(), device));
    case Placing::Outcome::placed:
      break;
  }
  if (stage == Stage::capacity) {
    undo_place();
    return Outcome::none;
  }
  ++at.device;
  const auto outcome = next_device(at);
  if (outcome != Outcome::found) undo_place();
  return outcome;
}

Search::Outcome Search::take_any(At at) {
  const auto& spec = prepared_.specs[at.spec];
  const auto& row = tables_.row(at.spec);
  auto open = row.visit;
  if (area_ != nullptr) open &= *area_;
  const auto may = bounds_.pruning(at.claim, at.request);
  if (may.bound && bounds_.hopeless(at, open)) return Outcome::none;
  std::vector<std::uint32_t> failed;
  for (auto d = open.next(at.start); d < open.end(); d = open.next(d + 1)) {
    if (!spend()) return Outcome::stop;
    const auto device = static_cast<std::uint32_t>(d);
    if (placing_.in_use(spec, device)) continue;
    const auto verdict = row.verdicts[device];
    if (verdict != Verdict::yes) {
      if (exploration_.active) continue;
      return stop_with(tables_.error_text(at.spec, device));
    }
    if (may.reuse && same_kind_failed(device, failed)) continue;
    const auto placed = place({at.spec, device});
    if (placed == Placing::Outcome::derived_error && !exploration_.active) {
      return stop_with(tables_.derived_error_text(spec, placing_.failed_constraint(), device));
    }
    if (placed == Placing::Outcome::placed) {
      auto next = at;
      ++next.device;
      next.start = device + 1;
      const auto outcome = next_device(next);
      if (outcome == Outcome::found) return outcome;
      undo_place();
      if (outcome != Outcome::none) return outcome;
    }
    failed.push_back(device);
  }
  return Outcome::none;
}

}  // namespace dray::alloc
