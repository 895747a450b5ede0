#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/view/attribute_values.h"
#include "alloc/view/bits.h"

namespace dray::alloc {

/// A request that a constraint binds: how many devices it wants, and which it may have.
struct Demand {
  std::int64_t count = 0;
  Bits* candidates = nullptr;
  const std::vector<ValueId>* values = nullptr;  ///< of the attribute, by device
};

/// How many of the devices that are wanted a constraint lets one have at the same time.
struct Together {
  std::int64_t wanted = 0;
  std::int64_t most = 0;  ///< at most `wanted`
  std::string how;  ///< after a number of devices: `share one resource.kubernetes.io/pcieRoot`
};

/// Devices by the value that they have of the attribute, of all demands together; nothing where
/// some value is a list: lists share elements, and no device is of one value alone.
[[nodiscard]] std::optional<std::map<ValueId, Bits>> candidates_by_value(
    std::span<const Demand> demands, const AttributeValues& values);

/// For sign_candidates(), where it matters which values are equal and not which they are: values by
/// the order in which they first appear. Lists may overlap without being equal, and stand for
/// themselves.
void sign_by_equality(const std::vector<ValueId>& devices, const AttributeValues& values,
                      std::vector<std::uint64_t>& key);

/// One constraint of a claim, at every stage of an allocation. A kind of constraint is one .cpp
/// file of this folder and a row of kinds.h; it has to say what it admits, all else makes searches
/// shorter, remembered answers more often right, or refusals clearer. Immutable; any thread.
class Constraint {
 public:
  explicit Constraint(std::string attribute) : attribute_(std::move(attribute)) {}
  virtual ~Constraint() = default;
  Constraint(const Constraint&) = delete;
  Constraint& operator=(const Constraint&) = delete;

  /// Prepare: the attribute whose values the constraint compares, by its full name. Nothing else of
  /// a device may matter to it.
  [[nodiscard]] const std::string& attribute() const { return attribute_; }

  /// Decide: whether a device with the value `next` (0: it lacks the attribute) may come to those
  /// that the claim has already, in the order in which they were chosen.
  [[nodiscard]] virtual bool admits(std::span<const ValueId> chosen, ValueId next,
                                    const AttributeValues& values) const = 0;

  /// Remember: adds what of `chosen` decides which devices can follow; equal signs, equal futures.
  /// Unless a kind knows better: every value, in order.
  virtual void sign_chosen(std::span<const ValueId> chosen, const AttributeValues& values,
                           std::vector<std::uint64_t>& key) const;
  /// Remember: adds what of the values of a node's devices (`value_error` among them) decides what
  /// is admitted. Unless a kind knows better: every value.
  virtual void sign_candidates(const std::vector<ValueId>& devices, const AttributeValues& values,
                               std::vector<std::uint64_t>& key) const;

  /// Prune: whether the demands cannot all be met any more by devices of their own; takes out of
  /// the candidates what is in no solution. May know less than is true, never more. Unless a kind
  /// knows better: it cannot tell.
  [[nodiscard]] virtual bool hopeless(std::span<const ValueId> chosen, std::span<Demand> demands,
                                      const AttributeValues& values) const;

  /// Explain: of the candidates, how many can be had together, whatever else is placed; nothing if
  /// the constraint cannot tell.
  [[nodiscard]] virtual std::optional<Together> together(std::span<const Demand> demands,
                                                         const AttributeValues& values) const;
  /// Explain: what a user should know of a device that was chosen with this value.
  [[nodiscard]] virtual std::optional<std::string> warning(ValueId chosen,
                                                           const AttributeValues& values) const;

 private:
  std::string attribute_;
};

}  // namespace dray::alloc
