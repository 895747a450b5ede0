#include "alloc/report/explain.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
      return "the class";
    case Stage::claim_selector:
      return "the request";
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

/// Devices that one thing kept out.
struct Kept {
  Stage stage = Stage::usable;
  std::uint8_t selector = 0;
  std::size_t count = 0;
  std::uint32_t example = 0;  ///< the last of them

  [[nodiscard]] std::string by() const {
    if (stage != Stage::class_selector && stage != Stage::claim_selector) {
      return std::string(words(stage));
    }
    return fmt::format("selector #{} of {}", selector, words(stage));
  }
};

/// What kept devices out, in the order of words.
class Tally {
 public:
  explicit Tally(const CandidateTables::Row& row) {
    for (std::uint32_t d = 0; d < row.stages.size(); ++d) {
      if (row.stages[d] == Stage::usable) continue;
      const bool selector =
          row.stages[d] == Stage::class_selector || row.stages[d] == Stage::claim_selector;
      auto& kept = find(row.stages[d], selector ? row.selectors[d] : std::uint8_t{0});
      ++kept.count;
      kept.example = d;
    }
    std::ranges::sort(all_, {}, [](const Kept& kept) {
      return std::pair(std::ranges::find(order, kept.stage), kept.selector);
    });
  }

  [[nodiscard]] const std::vector<Kept>& all() const { return all_; }
  [[nodiscard]] std::size_t at(Stage stage) const {
    std::size_t sum = 0;
    for (const auto& kept : all_) sum += kept.stage == stage ? kept.count : 0;
    return sum;
  }

 private:
  Kept& find(Stage stage, std::uint8_t selector) {
    for (auto& kept : all_) {
      if (kept.stage == stage && kept.selector == selector) return kept;
    }
    return all_.emplace_back(Kept{stage, selector, 0, 0});
  }

  std::vector<Kept> all_;
};

/// A device that got furthest and still does not do.
std::string nearest_miss(const NodeView& view, const Tally& counts) {
  if (counts.all().empty()) return {};
  const auto& last = counts.all().back();
  return fmt::format("{} (kept out by {})", view.id_text(last.example), last.by());
}

RequestFunnel funnel(const NodeView& view, const PreparedClaims& prepared,
                     const CandidateTables& tables, std::size_t spec) {
  const auto& row = tables.row(spec);
  const Tally counts(row);
  RequestFunnel made;
  made.claim = prepared.claims[prepared.specs[spec].claim].label;
  made.request = prepared.specs[spec].full_name();
  made.wanted = prepared.specs[spec].count;
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
Stage emptied_by(const CandidateTables::Row& row, std::int64_t wanted) {
  const Tally counts(row);
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
  for (const auto& kept : counts.all()) {
    text += fmt::format(", {} kept out by {}", kept.count, kept.by());
  }
  if (made.incomplete_pools > 0)
    text += fmt::format(", {} incomplete pools", made.incomplete_pools);
  if (made.invalid_pools > 0) text += fmt::format(", {} invalid pools", made.invalid_pools);
  return text;
}

/// Why a constraint leaves too few devices for the requests that it binds, those with alternatives
/// and `All` left out; nothing if it does not.
std::optional<std::string> too_few_together(const PreparedClaims& prepared,
                                            const CandidateTables& tables,
                                            const AttributeValues& values,
                                            const PreparedClaim& claim, std::uint32_t number) {
  std::vector<Bits> usable;
  usable.reserve(claim.requests.size());
  std::vector<Demand> demands;
  for (const auto& request : claim.requests) {
    const auto& spec = prepared.specs[request.first];
    if (request.alternatives || spec.all) continue;
    const auto place = std::ranges::find(spec.constraints, number);
    if (place == spec.constraints.end()) continue;
    const auto& row = tables.row(request.first);
    usable.push_back(row.usable);
    const auto at = static_cast<std::size_t>(place - spec.constraints.begin());
    demands.push_back(
        {.count = spec.count, .candidates = &usable.back(), .values = row.values[at]});
  }
  auto text = claim.constraints[number]->shortage(demands, values);
  if (!text) return std::nullopt;
  return fmt::format("constraint #{}: {}", number, *text);
}

}  // namespace

std::vector<RequestFunnel> funnels(const NodeView& view, const PreparedClaims& prepared,
                                   const CandidateTables& tables) {
  std::vector<RequestFunnel> made;
  made.reserve(prepared.specs.size());
  for (std::size_t spec = 0; spec < prepared.specs.size(); ++spec) {
    made.push_back(funnel(view, prepared, tables, spec));
  }
  return made;
}

Remembered diagnose(const NodeView& view, const PreparedClaims& prepared,
                    const CandidateTables& tables, const AttributeValues& values) {
  Remembered refusal;
  refusal.reason = Reason::constraint;
  bool counters = false;
  for (const auto& claim : prepared.claims) {
    for (const auto& request : claim.requests) {
      std::optional<std::pair<std::size_t, Stage>> furthest;
      bool served = false;
      for (auto s = request.first; s < request.last; ++s) {
        const auto& row = tables.row(s);
        const auto& spec = prepared.specs[s];
        const auto wanted =
            spec.all ? std::max<std::int64_t>(1, static_cast<std::int64_t>(row.all.size()))
                     : spec.count;
        const auto stage = emptied_by(row, wanted);
        served = served || stage == Stage::usable;
        if (!furthest || stage > furthest->second) furthest = {s, stage};
      }
      if (served || !furthest) continue;
      const auto [spec, stage] = *furthest;
      const auto made = funnel(view, prepared, tables, spec);
      refusal.spec = static_cast<std::uint32_t>(spec);
      refusal.detail = describe(made, prepared.specs[spec].count, Tally(tables.row(spec)));
      refusal.reason = reason_of(stage);
      if (made.devices == 0 && made.incomplete_pools > 0)
        refusal.reason = Reason::pool_incomplete;
      else if (std::cmp_less(made.devices, std::max<std::int64_t>(1, prepared.specs[spec].count))) {
        refusal.reason = Reason::no_devices;
      }
      return refusal;
    }
    counters = counters || claim.constraints.empty();
  }
  for (const auto& claim : prepared.claims) {
    for (std::uint32_t i = 0; i < claim.constraints.size(); ++i) {
      if (auto few = too_few_together(prepared, tables, values, claim, i)) {
        refusal.detail = *std::move(few);
        return refusal;
      }
    }
  }
  if (counters) refusal.reason = view.counters.empty() ? Reason::devices_in_use : Reason::counters;
  refusal.detail = "each request has devices, but not all of them together";
  return refusal;
}

}  // namespace dray::alloc
