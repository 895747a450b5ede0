#include "alloc/search/candidate_tables.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "alloc/view/tolerations.h"

namespace dray::alloc {
namespace {

constexpr std::string_view node_operations_feature = "DRAOptionalNodeOperations";

}  // namespace

CandidateTables::CandidateTables(const NodeView& view, const PreparedClaims& prepared,
                                 const AllocatorOptions& options,
                                 const cluster::AllocatedState& state,
                                 const cluster::NodeFacts& node, Memory& memory)
    : view_(view),
      prepared_(prepared),
      options_(options),
      features_(options.features),
      state_(state),
      node_(node),
      memory_(memory),
      rows_(prepared.specs.size()),
      used_(view.devices.size()) {
  node_operations_ = node_.declared_features &&
                     std::ranges::find(*node_.declared_features, node_operations_feature) !=
                         node_.declared_features->end();
  for (std::size_t spec = 0; spec < prepared.specs.size(); ++spec) fill(spec);
}

bool CandidateTables::dedicated(std::uint32_t device) const {
  const auto* use = view_.devices[device].use;
  if (use == nullptr) return false;
  return use->dedicated > 0 || (!features_.consumable_capacity && use->shares > 0);
}

bool CandidateTables::shared_already(std::uint32_t device) const {
  const auto* use = view_.devices[device].use;
  return shareable(device) && use != nullptr && (use->shares > 0 || use->has_consumed);
}

const std::vector<Amount>& CandidateTables::capacity_used(std::uint32_t device) {
  auto& used = used_[device];
  const auto& traits = view_.devices[device].traits();
  if (used.size() == traits.capacity.size()) return used;
  const auto* use = view_.devices[device].use;
  for (const auto& [name, unused] : traits.capacity) {
    const auto at = use == nullptr ? Counters::const_iterator{} : use->consumed.find(name);
    used.push_back(use == nullptr || at == use->consumed.end() ? 0 : amount_of(at->second));
  }
  return used;
}

bool CandidateTables::fits(const CapacityPlan& plan, std::uint32_t device) {
  if (view_.devices[device].use == nullptr) return true;  // as the plan says
  const auto& used = capacity_used(device);
  for (std::size_t i = 0; i < plan.taken.size(); ++i) {
    if (used[i] + plan.taken[i] > plan.total[i]) return false;
  }
  return true;
}

const CapacityPlan* CandidateTables::plan(std::size_t spec, std::uint32_t device) {
  if (!features_.consumable_capacity) return nullptr;
  const auto& traits = view_.devices[device].traits();
  const auto& asked = prepared_.specs[spec].spec->capacity_requests;
  if (traits.capacity.empty() && asked.empty()) return nullptr;
  const auto known = std::ranges::find_if(plans_, [&](const PlanEntry& entry) {
    return entry.spec == spec && entry.traits == &traits;
  });
  if (known != plans_.end()) return known->plan.get();
  plans_.push_back({spec, &traits,
                    std::make_unique<CapacityPlan>(
                        plan_capacity(asked, traits, features_.fractional_capacity_range))});
  return plans_.back().plan.get();
}

bool CandidateTables::tainted(const Spec& spec, std::uint32_t device) const {
  if (!features_.device_taints) return false;
  const auto& view = view_.devices[device];
  const auto& tolerations = spec.spec->tolerations;
  const auto blocked = [&](const DeviceTaint& taint) { return blocks(taint, tolerations); };
  if (std::ranges::any_of(view.traits().taints, blocked)) return true;
  const auto& pool = *view_.pools[view.pool].pool;
  const bool bare = options_.compatibility == Compatibility::v0_37_0;
  return std::ranges::any_of(state_.snapshot().taint_rules(), [&](const auto& rule) {
    return applies(*rule, pool.driver, pool.name, view.name(), bare) && blocked(rule->taint);
  });
}

Stage CandidateTables::selection(const Spec& spec, std::uint32_t device, Verdict& verdict,
                                 std::uint8_t& failed) {
  const auto& view = view_.devices[device];
  verdict = Verdict::no;
  if (!features_.device_binding_and_status && view.traits().has_binding_conditions) {
    return Stage::binding_conditions;
  }
  const auto run = [&](const std::vector<cluster::CompiledSelector>& selectors) {
    failed = 0;
    for (const auto& selector : selectors) {
      if (!selector.program) return cel::Verdict::error;
      const auto said = memory_.selectors.match(selector.program, view.device->shape);
      if (said != cel::Verdict::yes) return said;
      ++failed;
    }
    return cel::Verdict::yes;
  };
  for (const auto stage : {Stage::class_selector, Stage::claim_selector}) {
    const auto said =
        run(stage == Stage::class_selector ? spec.device_class->selectors : spec.selectors);
    if (said == cel::Verdict::yes) continue;
    if (said == cel::Verdict::error) verdict = Verdict::selector_error;
    return stage;
  }
  if (view.slice->per_device) {
    const auto match = view.traits().scope->matches(node_);
    if (!match) verdict = Verdict::scope_error;
    if (!match || !*match) return Stage::node_scope;
  }
  verdict = Verdict::yes;
  return Stage::usable;
}

/// Whether the device can never have its counters, whatever else is placed.
bool CandidateTables::out_of_counters(std::uint32_t device) const {
  const auto& view = view_.devices[device];
  const auto& pool = view_.pools[view.pool];
  if (!pool.counters_may_grow) {
    if (pool.short_rows > 0) return true;
    for (const auto& take : view.counters) {
      if (take.amount > view_.counters[take.row]) return true;
    }
  }
  return false;
}

/// Whether it says that it goes with nothing that is in use of one of its counter sets.
bool CandidateTables::incompatible(std::uint32_t device) const {
  return features_.compatibility_groups &&
         std::ranges::any_of(view_.devices[device].groups, [&](const auto& take) {
           return !view_.group_sets[take.set].admits(take.groups);
         });
}

Stage CandidateTables::availability(const Spec& spec, std::uint32_t device,
                                    const CapacityPlan* plan) {
  const auto& view = view_.devices[device];
  if (!spec.admin && dedicated(device)) return Stage::in_use;
  if (features_.experimental() && !view.slice->skip_node_operations.empty() &&
      !(features_.optional_node_operations && node_operations_)) {
    return Stage::node_operations;
  }
  if (!view.traits().consumes_counters.empty()) {
    if (!features_.partitionable_devices) return Stage::counters;
    if (!shared_already(device) && out_of_counters(device)) return Stage::counters;
    if (!shared_already(device) && incompatible(device)) return Stage::compatibility;
  }
  if (tainted(spec, device)) return Stage::taint;
  // Last, so that an `All` request knows that nothing else is wrong with the device.
  return plan != nullptr && !fits(*plan, device) ? Stage::capacity : Stage::usable;
}

void CandidateTables::fill(std::size_t spec_number) {
  const auto& spec = prepared_.specs[spec_number];
  auto& row = rows_[spec_number];
  if (!spec.device_class || spec.error) return;
  const auto devices = static_cast<std::uint32_t>(view_.devices.size());
  row.verdicts.resize(devices, Verdict::no);
  row.stages.resize(devices, Stage::usable);
  row.selectors.resize(devices, 0);
  row.capacity.resize(devices, nullptr);
  row.usable = Bits(devices);
  for (std::uint32_t device = 0; device < devices; ++device) {
    auto& verdict = row.verdicts[device];
    auto& stage = row.stages[device];
    stage = selection(spec, device, verdict, row.selectors[device]);
    const bool reached = spec.admin || !dedicated(device);
    if (verdict == Verdict::yes) {
      row.capacity[device] = plan(spec_number, device);
      const auto* capacity = row.capacity[device];
      if (capacity != nullptr && capacity->kind != CapacityPlan::Kind::fits) {
        stage = Stage::capacity;
        verdict =
            capacity->kind == CapacityPlan::Kind::error ? Verdict::capacity_error : Verdict::no;
      } else {
        stage = availability(spec, device, capacity);
      }
    }
    if (verdict != Verdict::yes && verdict != Verdict::no && reached) row.may_fail = true;
    if (stage == Stage::usable) row.usable.set(device);
  }
  fill_values(spec_number);
}

void CandidateTables::fill_values(std::size_t spec_number) {
  const auto& spec = prepared_.specs[spec_number];
  auto& row = rows_[spec_number];
  for (const auto constraint : spec.constraints) {
    row.values.push_back(values_of(spec, constraint));
  }
  // A constraint that does not even admit the device as the first refuses it, a value that cannot
  // be computed is an error: whichever comes first.
  const auto& constraints = prepared_.claims[spec.claim].constraints;
  for (auto d = row.usable.next(0); d < row.usable.end(); d = row.usable.next(d + 1)) {
    for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
      const auto id = (*row.values[i])[d];
      if (id == value_error) {
        row.may_fail = true;
        break;
      }
      if (constraints[spec.constraints[i]]->admits({}, id, memory_.attributes)) continue;
      row.stages[d] = Stage::constraint;
      row.selectors[d] = static_cast<std::uint8_t>(i);
      row.usable.reset(d);
      break;
    }
  }
  row.visit = row.usable;
  for (std::size_t d = 0; d < row.verdicts.size(); ++d) {
    const auto verdict = row.verdicts[d];
    const bool error = verdict != Verdict::yes && verdict != Verdict::no;
    if (error && (spec.admin || !dedicated(static_cast<std::uint32_t>(d)))) row.visit.set(d);
  }
}

const std::vector<ValueId>* CandidateTables::values_of(const Spec& spec, std::uint32_t constraint) {
  const auto& attribute = prepared_.claims[spec.claim].constraints[constraint]->attribute();
  const auto* derived = spec.find_derived(attribute);
  const auto* program = derived == nullptr ? nullptr : derived->program.program.get();
  const bool broken = derived != nullptr && program == nullptr;
  const auto known = std::ranges::find_if(values_, [&](const ValueEntry& entry) {
    return !broken && entry.attribute == attribute && entry.program == program;
  });
  if (known != values_.end()) return known->values.get();
  auto values = std::make_unique<std::vector<ValueId>>();
  values->reserve(view_.devices.size());
  auto& column = memory_.attributes.column(attribute);
  for (const auto& device : view_.devices) {
    if (broken) {
      values->push_back(value_error);
    } else if (derived != nullptr) {
      values->push_back(memory_.attributes.derived(derived->program.program, *device.device)
                            .value_or(value_error));
    } else {
      const auto& driver = view_.pools[device.pool].pool->driver.get();
      values->push_back(memory_.attributes.published(column, driver, *device.device));
    }
  }
  values_.push_back({broken ? attribute + " broken" : attribute, program, std::move(values)});
  return values_.back().values.get();
}

Result<void> CandidateTables::collect_all(std::size_t spec_number) {
  const auto& spec = prepared_.specs[spec_number];
  auto& row = rows_[spec_number];
  row.all.clear();
  const auto asks = fmt::format("claim {}, request {}: asks for all devices, but resource pool ",
                                prepared_.claims[spec.claim].label, spec.name);
  for (std::size_t p = 0; p < view_.pools.size(); ++p) {
    const auto& pool = view_.pools[p];
    if (!pool.usable()) {
      return fail(ErrorCode::invalid,
                  asks + pool.id() +
                      (pool.incomplete ? " is currently being updated" : " is currently invalid"));
    }
    for (auto device = pool.first; device < pool.last; ++device) {
      const auto verdict = row.verdicts[device];
      if (verdict == Verdict::yes) row.all.push_back(device);
      if (verdict == Verdict::capacity_error) {
        return fail(ErrorCode::invalid,
                    fmt::format("claim {}, request {}: checking capacity for device {}: {}",
                                prepared_.claims[spec.claim].label, spec.name,
                                view_.devices[device].name(), row.capacity[device]->error));
      }
      if (verdict == Verdict::selector_error || verdict == Verdict::scope_error) {
        return fail(ErrorCode::invalid, error_text(spec_number, device));
      }
    }
  }
  return {};
}

std::string CandidateTables::error_text(std::size_t spec_number, std::uint32_t device) {
  const auto& spec = prepared_.specs[spec_number];
  const auto& claim = prepared_.claims[spec.claim];
  const auto& view = view_.devices[device];
  const auto id = view_.id_text(device);
  switch (rows_[spec_number].verdicts[device]) {
    case Verdict::capacity_error:
      return fmt::format("claim {}, request {}: checking capacity for device {}: {}", claim.label,
                         spec.name, id, rows_[spec_number].capacity[device]->error);
    case Verdict::scope_error:
      return view.traits().scope->matcher_error;
    case Verdict::yes:
    case Verdict::no:
    case Verdict::selector_error:
      break;
  }
  const auto explain = [&](const std::vector<cluster::CompiledSelector>& selectors,
                           const std::string& owner) -> std::optional<std::string> {
    for (std::size_t i = 0; i < selectors.size(); ++i) {
      if (!selectors[i].program) {
        return fmt::format("{}: selector #{}: CEL compile error: {}", owner, i, selectors[i].error);
      }
      if (memory_.selectors.match(selectors[i].program, view.device->shape) ==
          cel::Verdict::error) {
        return fmt::format(
            "{}: selector #{} on device {}: CEL runtime error: {}", owner, i, id,
            memory_.selectors.error_text(*selectors[i].program, *view.device->shape));
      }
    }
    return std::nullopt;
  };
  const auto& device_class = *spec.device_class;
  if (auto text = explain(device_class.selectors, "class " + device_class.object->meta.name)) {
    return std::move(*text);
  }
  return explain(spec.selectors, "claim " + claim.label).value_or("");
}

std::string CandidateTables::derived_error_text(const Spec& spec, std::uint32_t constraint,
                                                std::uint32_t device) {
  const auto& attribute = prepared_.claims[spec.claim].constraints[constraint]->attribute();
  const auto* derived = spec.find_derived(attribute);
  if (!derived->program.program) {
    return fmt::format("compile derived attribute {} failed: {}", attribute,
                       derived->program.error);
  }
  const auto again =
      memory_.attributes.derived(derived->program.program, *view_.devices[device].device);
  return fmt::format("evaluate derived attribute {} on device {} failed: {}", attribute,
                     view_.id_text(device), again ? "" : again.error().message);
}

}  // namespace dray::alloc
