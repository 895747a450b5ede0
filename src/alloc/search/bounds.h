#pragma once

#include <cstdint>
#include <vector>

#include "alloc/request/prepared_claims.h"
#include "alloc/search/candidate_tables.h"
#include "alloc/search/placing.h"
#include "alloc/view/attribute_values.h"
#include "alloc/view/bits.h"
#include "alloc/view/node_view.h"

namespace dray::alloc {

/// Where a search is: at the `device`th device of a spec of a claim's request.
struct SearchPosition {
  std::uint32_t claim = 0;
  std::uint32_t request = 0;
  std::uint32_t spec = 0;
  std::int64_t device = 0;
  std::uint32_t start = 0;  ///< the first device that may come next
};

/// Shows that a branch of a search holds no solution, by counting what its requests could still
/// get. Only where upstream would meet no error in what is left out. The placing is the search's
/// own.
class Bounds {
 public:
  /// With an area, only devices in that count.
  Bounds(const NodeView& view, const PreparedClaims& prepared, const CandidateTables& tables,
         const AttributeValues& values, const Placing& placing, const Bits* area);

  /// From now on every error is a dead end: all that holds no solution may be left out.
  void ignore_errors() { ignore_errors_ = true; }

  struct Place {
    std::uint32_t claim = 0;
    std::uint32_t request = 0;
  };
  /// What may be left out from a request on without hiding an error.
  struct Pruning {
    bool reuse = false;  ///< what failed before: a state, a device of the same kind
    bool bound = false;  ///< what bounds rule out
    Place end;           ///< the bounds go no further than this: an error may wait there
  };
  [[nodiscard]] Pruning pruning(std::uint32_t claim, std::uint32_t request) const;

  /// Nothing from here on can be satisfied; `open` gets the devices worth trying at `at`.
  [[nodiscard]] bool hopeless(const SearchPosition& at, Bits& open) const;

  /// How many devices the spec takes in all.
  [[nodiscard]] std::int64_t wanted(std::uint32_t spec) const;
  /// By spec: the `All` requests that a constraint may end with an error.
  [[nodiscard]] const std::vector<bool>& failing() const { return failing_; }

 private:
  /// A request that is not placed yet, by its specs: several if they are alternatives.
  struct Pending {
    std::uint32_t claim = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    [[nodiscard]] bool alternatives() const { return last - first > 1; }
  };
  struct ConstraintOf {
    std::uint32_t claim = 0;
    std::uint32_t constraint = 0;
  };
  [[nodiscard]] bool all_may_fail(std::uint32_t spec) const;
  [[nodiscard]] std::vector<bool> failing_alls() const;
  [[nodiscard]] std::int64_t most_devices(const PreparedRequest& request) const;
  [[nodiscard]] std::vector<Pending> pending(const SearchPosition& at) const;
  [[nodiscard]] Bits open_devices(std::uint32_t spec) const;
  [[nodiscard]] bool narrow_by_constraints(const SearchPosition& at,
                                           const std::vector<Pending>& todo,
                                           std::vector<Bits>& open) const;
  [[nodiscard]] std::vector<Demand> demands_of(const SearchPosition& at,
                                               const std::vector<Pending>& todo, ConstraintOf of,
                                               std::vector<Bits>& open) const;
  [[nodiscard]] std::vector<Amount> cheapest(const Bits& open) const;
  [[nodiscard]] bool too_few_counters(const SearchPosition& at, const std::vector<Pending>& todo,
                                      const std::vector<Bits>& open) const;
  [[nodiscard]] bool no_matching(const SearchPosition& at, const std::vector<Pending>& todo,
                                 const std::vector<Bits>& open) const;
  [[nodiscard]] std::int64_t need(const SearchPosition& at, std::uint32_t spec) const;

  const NodeView& view_;
  const PreparedClaims& prepared_;
  const CandidateTables& tables_;
  const AttributeValues& values_;
  const Placing& placing_;
  const Bits* area_;
  std::vector<bool> failing_;
  std::vector<std::vector<Pruning>> pruning_;  ///< by claim and request
  bool counters_may_grow_ = false;             ///< some device consumes a negative amount
  bool ignore_errors_ = false;
};

}  // namespace dray::alloc
