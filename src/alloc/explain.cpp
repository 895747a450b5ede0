#include "alloc/explain.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace dray::alloc {
namespace {

/// In the order in which people think of them, which is not quite the order of the search.
constexpr std::array order{
    Stage::class_selector,  Stage::claim_selector, Stage::node_scope, Stage::binding_conditions,
    Stage::node_operations, Stage::taint,          Stage::in_use,     Stage::capacity,
    Stage::counters,        Stage::constraint};

Reason reason_of(Stage stage) {
  switch (stage) {
    case Stage::class_selector:
      return Reason::class_selector;
    case Stage::claim_selector:
    case Stage::node_scope:
      return Reason::claim_selector;
    case Stage::binding_conditions:
    case Stage::node_operations:
      return Reason::unsupported;
    case Stage::capacity:
      return Reason::capacity;
    case Stage::in_use:
      return Reason::devices_in_use;
    case Stage::counters:
      return Reason::counters;
    case Stage::taint:
      return Reason::device_taint;
    case Stage::constraint:
    case Stage::usable:
      break;
  }
  return Reason::constraint;
}

std::string_view words(Stage stage) {
  switch (stage) {
    case Stage::class_selector:
      return "the class's selectors";
    case Stage::claim_selector:
      return "the request's selectors";
    case Stage::node_scope:
      return "their own node selection";
    case Stage::binding_conditions:
      return "binding conditions, which are switched off";
    case Stage::node_operations:
      return "optional node operations, which the node does not declare";
    case Stage::capacity:
      return "capacity";
    case Stage::in_use:
      return "being in use";
    case Stage::counters:
      return "shared counters";
    case Stage::taint:
      return "taints";
    case Stage::constraint:
      return "an attribute that a constraint needs";
    case Stage::usable:
      break;
  }
  return "nothing";
}

struct Tally {
  std::array<std::size_t, 16> by_stage{};
  std::array<std::uint32_t, 16> example{};

  [[nodiscard]] std::size_t at(Stage stage) const {
    return by_stage[static_cast<std::size_t>(stage)];
  }
};

Tally tally(const Tables::Row& row) {
  Tally made;
  for (std::uint32_t d = 0; d < row.stages.size(); ++d) {
    const auto stage = static_cast<std::size_t>(row.stages[d]);
    if (made.by_stage[stage]++ == 0) made.example[stage] = d;
  }
  return made;
}

/// A device that got furthest and still does not do.
std::string nearest_miss(const NodeView& view, const Tally& counts) {
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    if (counts.at(*at) == 0) continue;
    return fmt::format("{} (kept out by {})",
                       view.id_text(counts.example[static_cast<std::size_t>(*at)]), words(*at));
  }
  return {};
}

RequestFunnel funnel(const NodeView& view, const Ask& ask, const Tables& tables, std::size_t spec) {
  const auto& row = tables.row(spec);
  const auto counts = tally(row);
  RequestFunnel made;
  made.claim = ask.claims[ask.specs[spec].claim].label;
  made.request = ask.specs[spec].full_name();
  made.wanted = ask.specs[spec].count;
  made.devices = row.stages.size();
  made.after_class = made.devices - counts.at(Stage::class_selector);
  made.after_selectors = made.after_class - counts.at(Stage::claim_selector) -
                         counts.at(Stage::node_scope) - counts.at(Stage::binding_conditions);
  made.after_taints =
      made.after_selectors - counts.at(Stage::node_operations) - counts.at(Stage::taint);
  made.after_use = made.after_taints - counts.at(Stage::in_use);
  made.after_capacity = made.after_use - counts.at(Stage::capacity);
  made.after_counters = made.after_capacity - counts.at(Stage::counters);
  for (const auto& pool : view.pools) {
    made.incomplete_pools += pool.incomplete ? 1U : 0U;
    made.invalid_pools += pool.invalid ? 1U : 0U;
  }
  made.nearest_miss = nearest_miss(view, counts);
  return made;
}

/// The first stage, in the order of words, that leaves fewer devices than wanted; usable if none.
Stage emptied_by(const Tables::Row& row, std::int64_t wanted) {
  const auto counts = tally(row);
  auto left = row.stages.size();
  for (const auto stage : order) {
    left -= counts.at(stage);
    if (std::cmp_less(left, wanted)) return stage;
  }
  return Stage::usable;
}

/// By numbers only: the text is remembered for other nodes that look the same.
std::string describe(const RequestFunnel& made, std::int64_t wanted, const Tally& counts) {
  auto text = fmt::format("wants {} of {} devices", wanted, made.devices);
  for (const auto stage : order) {
    if (counts.at(stage) > 0) {
      text += fmt::format(", {} kept out by {}", counts.at(stage), words(stage));
    }
  }
  if (made.incomplete_pools > 0)
    text += fmt::format(", {} incomplete pools", made.incomplete_pools);
  if (made.invalid_pools > 0) text += fmt::format(", {} invalid pools", made.invalid_pools);
  return text;
}

}  // namespace

std::vector<RequestFunnel> funnels(const NodeView& view, const Ask& ask, const Tables& tables) {
  std::vector<RequestFunnel> made;
  for (std::size_t spec = 0; spec < ask.specs.size(); ++spec) {
    made.push_back(funnel(view, ask, tables, spec));
  }
  return made;
}

Remembered diagnose(const NodeView& view, const Ask& ask, const Tables& tables) {
  Remembered refusal;
  refusal.reason = Reason::constraint;
  bool counters = false;
  for (const auto& claim : ask.claims) {
    for (const auto& request : claim.requests) {
      std::optional<std::pair<std::size_t, Stage>> furthest;
      bool served = false;
      for (auto s = request.first; s < request.last; ++s) {
        const auto& row = tables.row(s);
        const auto& spec = ask.specs[s];
        const auto wanted =
            spec.all ? std::max<std::int64_t>(1, static_cast<std::int64_t>(row.all.size()))
                     : spec.count;
        const auto stage = emptied_by(row, wanted);
        served = served || stage == Stage::usable;
        if (!furthest || stage > furthest->second) furthest = {s, stage};
      }
      if (served || !furthest) continue;
      const auto [spec, stage] = *furthest;
      const auto made = funnel(view, ask, tables, spec);
      refusal.spec = static_cast<std::uint32_t>(spec);
      refusal.detail = describe(made, ask.specs[spec].count, tally(tables.row(spec)));
      refusal.reason = reason_of(stage);
      if (made.devices == 0 && made.incomplete_pools > 0)
        refusal.reason = Reason::pool_incomplete;
      else if (std::cmp_less(made.devices, std::max<std::int64_t>(1, ask.specs[spec].count))) {
        refusal.reason = Reason::no_devices;
      }
      return refusal;
    }
    counters = counters || claim.constraints.empty();
  }
  if (counters) refusal.reason = view.counters.empty() ? Reason::devices_in_use : Reason::counters;
  refusal.detail = "each request has devices, but not all of them together";
  return refusal;
}

}  // namespace dray::alloc
