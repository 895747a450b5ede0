#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "alloc/search/candidate_tables.h"
#include "alloc/search/placing.h"
#include "dray/alloc/allowance.h"

namespace dray::alloc {

/// What the picks of a search take of an allowance.
class Spending {
 public:
  Spending(const Allowance& allowance, const NodeView& view, const PreparedClaims& prepared,
           const CandidateTables& tables);

  /// Whether the pick is still within the allowance.
  [[nodiscard]] bool affords(const Pick& pick) const;
  /// Whether so many devices for the spec may be: a bound, by the cheapest ones.
  [[nodiscard]] bool may_afford(std::uint32_t spec, std::int64_t count) const;
  void add(const Pick& pick) { spend(pick, 1); }
  void remove(const Pick& pick) { spend(pick, -1); }

  /// What is spent so far, as numbers.
  void sign(std::vector<std::uint64_t>& key) const;
  /// What a device costs each spec, as numbers.
  void describe(std::uint32_t device, std::vector<std::uint64_t>& key) const;

 private:
  [[nodiscard]] std::span<const double> cost(const Pick& pick) const {
    return std::span(costs_[pick.spec]).subspan(pick.device * most_.size(), most_.size());
  }
  [[nodiscard]] bool within(std::span<const double> cost, double times) const;
  void spend(const Pick& pick, double sign);

  std::vector<double> most_;
  std::vector<double> spent_;
  std::vector<std::vector<double>> costs_;     ///< by spec: by device and resource
  std::vector<std::vector<double>> cheapest_;  ///< by spec and resource: of one device
};

}  // namespace dray::alloc
