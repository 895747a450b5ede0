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
    Stage::counters,        Stage::compatibility,  Stage::constraint};

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
    case Stage::compatibility:
      return Reason::counters;
    case Stage::taint:
      return Reason::device_taint;
    case Stage::constraint:
    case Stage::usable:
      break;
  }
  return Reason::constraint;
}

/// How a device is kept out.
std::string_view words(Stage stage) {
  switch (stage) {
    case Stage::class_selector:
      return "not of the class";
    case Stage::claim_selector:
      return "refused by the request's selectors";
    case Stage::node_scope:
      return "not for this node";
    case Stage::binding_conditions:
      return "with binding conditions, which are switched off";
    case Stage::node_operations:
      return "with operations that the node does not declare";
    case Stage::capacity:
      return "without the capacity left";
    case Stage::in_use:
      return "in use";
    case Stage::counters:
      return "blocked by partitions in use";
    case Stage::compatibility:
      return "not compatible with what is in use of their card";
    case Stage::taint:
      return "tainted";
    case Stage::constraint:
      return "without an attribute that a constraint needs";
    case Stage::usable:
      break;
  }
  return "left";
}

/// Devices that one thing kept out.
struct Kept {
  Stage stage = Stage::usable;
  std::uint8_t which = 0;  ///< of the request's selectors, or of its constraints
  std::size_t count = 0;
  std::uint32_t example = 0;  ///< the last of them

  /// Said after a number of them, or after "is".
  [[nodiscard]] std::string how(const PreparedClaims& prepared, std::size_t spec) const {
    if (stage == Stage::claim_selector) {
      return fmt::format("refused by selector #{} of the request", which);
    }
    if (stage != Stage::constraint) return std::string(words(stage));
    const auto& asked = prepared.specs[spec];
    const auto& constraint = *prepared.claims[asked.claim].constraints[asked.constraints[which]];
    return fmt::format("without {}, which a constraint needs", constraint.attribute());
  }
};

/// What kept devices out, in the order of words.
class Tally {
 public:
  explicit Tally(const CandidateTables::Row& row) {
    for (std::uint32_t d = 0; d < row.stages.size(); ++d) {
      if (row.stages[d] == Stage::usable) continue;
      const bool one_of_several =
          row.stages[d] == Stage::claim_selector || row.stages[d] == Stage::constraint;
      auto& kept = find(row.stages[d], one_of_several ? row.selectors[d] : std::uint8_t{0});
      ++kept.count;
      kept.example = d;
    }
    std::ranges::sort(all_, {}, [](const Kept& kept) {
      return std::pair(std::ranges::find(order, kept.stage), kept.which);
    });
  }

  [[nodiscard]] const std::vector<Kept>& all() const { return all_; }
  [[nodiscard]] std::size_t at(Stage stage) const {
    std::size_t sum = 0;
    for (const auto& kept : all_) sum += kept.stage == stage ? kept.count : 0;
    return sum;
  }

 private:
  Kept& find(Stage stage, std::uint8_t which) {
    for (auto& kept : all_) {
      if (kept.stage == stage && kept.which == which) return kept;
    }
    return all_.emplace_back(Kept{stage, which, 0, 0});
  }

  std::vector<Kept> all_;
};

/// A device of the class that got furthest and still does not do.
std::string nearest_miss(const NodeView& view, const PreparedClaims& prepared, std::size_t spec,
                         const Tally& counts) {
  if (counts.all().empty()) return {};
  const auto& last = counts.all().back();
  if (last.stage == Stage::class_selector) return {};
  return fmt::format("{} ({})", view.id_text(last.example), last.how(prepared, spec));
}

RequestFunnel funnel(const NodeView& view, const PreparedClaims& prepared,
                     const CandidateTables& tables, std::size_t spec) {
  const auto& row = tables.row(spec);
  const Tally counts(row);
  RequestFunnel made;
  made.claim = prepared.claims[prepared.specs[spec].claim].label;
  made.request = prepared.specs[spec].full_name();
  made.wanted = prepared.specs[spec].all ? std::max<std::int64_t>(1, std::ssize(row.all))
                                         : prepared.specs[spec].count;
  made.all = prepared.specs[spec].all;
  made.devices = row.stages.size();
  made.after_class = made.devices - counts.at(Stage::class_selector);
  made.after_selectors = made.after_class - counts.at(Stage::claim_selector) -
                         counts.at(Stage::node_scope) - counts.at(Stage::binding_conditions);
  made.after_taints =
      made.after_selectors - counts.at(Stage::node_operations) - counts.at(Stage::taint);
  made.after_use = made.after_taints - counts.at(Stage::in_use);
  made.after_capacity = made.after_use - counts.at(Stage::capacity);
  made.after_counters =
      made.after_capacity - counts.at(Stage::counters) - counts.at(Stage::compatibility);
  for (const auto& pool : view.pools) {
    made.incomplete_pools += pool.incomplete ? 1U : 0U;
    made.invalid_pools += pool.invalid ? 1U : 0U;
  }
  made.nearest_miss = nearest_miss(view, prepared, spec, counts);
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

/// Whether it is one of the things that make a device suitable, rather than free.
bool unsuitable(Stage stage) {
  return stage == Stage::class_selector || stage == Stage::claim_selector ||
         stage == Stage::node_scope;
}

/// What the node has for a request, in numbers.
Shortage shortage_of(const RequestFunnel& made, const PreparedClaims& prepared, std::size_t spec,
                     const CandidateTables::Row& row) {
  const auto& asked = prepared.specs[spec];
  const Tally counts(row);
  Shortage shortage;
  if (prepared.specs.size() > 1) shortage.request = asked.full_name();
  shortage.device_class = asked.spec->device_class.get();
  shortage.all = asked.all;
  shortage.wanted = asked.all ? std::max<std::int64_t>(1, std::ssize(row.all)) : asked.count;
  shortage.of_class = made.after_class;
  shortage.suitable = made.after_class;
  shortage.left = row.usable.count();
  std::size_t most = 0;
  for (const auto& kept : counts.all()) {
    if (kept.stage == Stage::class_selector) continue;
    if (unsuitable(kept.stage)) {
      shortage.suitable -= kept.count;
    } else {
      shortage.kept_out.push_back({kept.count, kept.how(prepared, spec)});
    }
    if (kept.stage != Stage::claim_selector || kept.count <= most) continue;
    most = kept.count;
    shortage.selector = kept.which;
  }
  shortage.incomplete_pools = made.incomplete_pools;
  shortage.invalid_pools = made.invalid_pools;
  return shortage;
}

/// The devices that would be usable if nobody used any; `values` are those that a constraint
/// compares.
Bits once_free(const CandidateTables::Row& row, const std::vector<ValueId>& values) {
  auto bits = row.usable;
  for (std::uint32_t d = 0; d < row.stages.size(); ++d) {
    const auto stage = row.stages[d];
    const bool used = stage == Stage::in_use || stage == Stage::counters ||
                      stage == Stage::compatibility || stage == Stage::capacity;
    if (used && values[d] != 0 && values[d] != value_error) bits.set(d);
  }
  return bits;
}

/// How a constraint leaves too few devices for the requests that it binds, those with alternatives
/// and `All` left out; nothing if it does not.
std::optional<Shortage> too_few_together(const PreparedClaims& prepared,
                                         const CandidateTables& tables,
                                         const AttributeValues& values, const PreparedClaim& claim,
                                         std::uint32_t number) {
  std::vector<Bits> usable;
  std::vector<Bits> free;
  usable.reserve(claim.requests.size());
  free.reserve(claim.requests.size());
  std::vector<Demand> demands;
  Shortage shortage;
  for (const auto& request : claim.requests) {
    const auto& spec = prepared.specs[request.first];
    if (request.alternatives || spec.all) continue;
    const auto place = std::ranges::find(spec.constraints, number);
    if (place == spec.constraints.end()) continue;
    const auto& row = tables.row(request.first);
    usable.push_back(row.usable);
    const auto at = static_cast<std::size_t>(place - spec.constraints.begin());
    free.push_back(once_free(row, *row.values[at]));
    demands.push_back(
        {.count = spec.count, .candidates = &usable.back(), .values = row.values[at]});
    shortage.device_class = demands.size() == 1 ? spec.spec->device_class.get() : "";
    shortage.request +=
        fmt::format("{}{} {}", demands.size() == 1 ? "" : ", ", spec.count, spec.full_name());
  }
  const auto& constraint = *claim.constraints[number];
  auto left = constraint.together(demands, values);
  if (!left || left->most >= left->wanted) return std::nullopt;
  for (std::size_t i = 0; i < demands.size(); ++i) demands[i].candidates = &free[i];
  const auto all = constraint.together(demands, values);
  if (demands.size() == 1) shortage.request.clear();
  shortage.together = std::move(left->how);
  shortage.wanted = left->wanted;
  shortage.left = static_cast<std::size_t>(left->most);
  shortage.suitable = static_cast<std::size_t>(all ? all->most : left->wanted);
  shortage.of_class = shortage.suitable;
  return shortage;
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

std::shared_ptr<const Shortage> because(std::string why) {
  Shortage shortage;
  shortage.because = std::move(why);
  return std::make_shared<const Shortage>(std::move(shortage));
}

std::shared_ptr<const Shortage> invalid_pools(const NodeView& view) {
  Shortage shortage;
  shortage.because = "invalid resource pools were encountered";
  shortage.invalid_pools =
      static_cast<std::size_t>(std::ranges::count_if(view.pools, &ViewPool::invalid));
  return std::make_shared<const Shortage>(std::move(shortage));
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
      refusal.shortage =
          std::make_shared<const Shortage>(shortage_of(made, prepared, spec, tables.row(spec)));
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
        refusal.shortage = std::make_shared<const Shortage>(*std::move(few));
        return refusal;
      }
    }
  }
  if (counters) refusal.reason = view.counters.empty() ? Reason::devices_in_use : Reason::counters;
  refusal.shortage = because("each request has devices, but not all of them together");
  return refusal;
}

}  // namespace dray::alloc
