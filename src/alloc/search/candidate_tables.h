#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alloc/request/prepared_claims.h"
#include "alloc/view/attribute_values.h"
#include "alloc/view/bits.h"
#include "alloc/view/node_view.h"
#include "dray/alloc/allocator.h"
#include "dray/cel/selector_memo.h"

namespace dray::alloc {

/// What of one search outlives it: nothing of it depends on the node.
struct Memory {
  Programs programs;
  cel::SelectorMemo selectors;
  AttributeValues attributes;
};

/// What selectors, per-device node selection and static capacity say of a device.
enum class Verdict : std::uint8_t { no, yes, selector_error, scope_error, capacity_error };

/// The first thing that keeps a device from a request, before anything is placed.
enum class Stage : std::uint8_t {
  usable,
  class_selector,
  claim_selector,
  node_scope,
  binding_conditions,
  capacity,
  in_use,
  node_operations,
  counters,
  compatibility,  ///< with what is in use of its counter sets (KEP-5963)
  taint,
  constraint,
};

/// Everything that a search over one node can know before it starts: verdicts without side effects,
/// so it does no harm that upstream would not have asked for all of them.
class CandidateTables {
 public:
  CandidateTables(const NodeView& view, const PreparedClaims& prepared,
                  const AllocatorOptions& options, const cluster::AllocatedState& state,
                  const cluster::NodeFacts& node, Memory& memory);

  struct Row {
    std::vector<Verdict> verdicts;              ///< by device
    std::vector<Stage> stages;                  ///< by device
    std::vector<std::uint8_t> selectors;        ///< by device: which of that stage it was
    std::vector<const CapacityPlan*> capacity;  ///< by device; null: nothing to do
    Bits usable;                                ///< stage usable
    Bits visit;  ///< usable, or an error that the search meets when it gets there
    std::vector<const std::vector<ValueId>*> values;  ///< by place in Spec::constraints, device
    bool may_fail = false;           ///< an error waits for the search, if it gets that far
    std::vector<std::uint32_t> all;  ///< the devices of an `All` request, in order
  };
  [[nodiscard]] const Row& row(std::size_t spec) const { return rows_[spec]; }

  /// All that a search (and what explains its failure) reads, by position and not by name.
  void sign(std::vector<std::uint64_t>& key);

  /// Fills in `all` of an All request; an Error is upstream's.
  [[nodiscard]] Result<void> collect_all(std::size_t spec);

  /// Upstream's texts for the verdicts that are errors.
  [[nodiscard]] std::string error_text(std::size_t spec, std::uint32_t device);
  [[nodiscard]] std::string derived_error_text(const Spec& spec, std::uint32_t constraint,
                                               std::uint32_t device);
  /// How much of a device's capacities is taken already, in their order.
  [[nodiscard]] const std::vector<Amount>& capacity_used(std::uint32_t device);
  /// Whether the device is given away as a whole.
  [[nodiscard]] bool dedicated(std::uint32_t device) const;
  /// Whether shares of the device are held: its counters are charged already.
  [[nodiscard]] bool shared_already(std::uint32_t device) const;
  /// Whether the device may be given to several (and the feature is on).
  [[nodiscard]] bool shareable(std::uint32_t device) const {
    return features_.consumable_capacity &&
           view_.devices[device].traits().allow_multiple_allocations;
  }

 private:
  void fill(std::size_t spec);
  void fill_values(std::size_t spec);
  [[nodiscard]] Stage selection(const Spec& spec, std::uint32_t device, Verdict& verdict,
                                std::uint8_t& failed);
  [[nodiscard]] Stage availability(const Spec& spec, std::uint32_t device,
                                   const CapacityPlan* plan);
  [[nodiscard]] const CapacityPlan* plan(std::size_t spec, std::uint32_t device);
  [[nodiscard]] bool out_of_counters(std::uint32_t device) const;
  [[nodiscard]] bool incompatible(std::uint32_t device) const;
  [[nodiscard]] bool tainted(const Spec& spec, std::uint32_t device) const;
  [[nodiscard]] bool fits(const CapacityPlan& plan, std::uint32_t device);
  [[nodiscard]] const std::vector<ValueId>* values_of(const Spec& spec, std::uint32_t constraint);

  const NodeView& view_;
  const PreparedClaims& prepared_;
  const AllocatorOptions& options_;
  const Features& features_;
  const cluster::AllocatedState& state_;
  const cluster::NodeFacts& node_;
  Memory& memory_;
  bool node_operations_ = false;
  std::vector<Row> rows_;
  struct PlanEntry {
    std::size_t spec;
    const cluster::DeviceTraits* traits;
    std::unique_ptr<CapacityPlan> plan;
  };
  std::vector<PlanEntry> plans_;
  std::vector<std::vector<Amount>> used_;
  struct ValueEntry {
    std::string attribute;
    const cel::Program* program;  ///< null: as published
    std::unique_ptr<std::vector<ValueId>> values;
  };
  std::vector<ValueEntry> values_;
};

}  // namespace dray::alloc
