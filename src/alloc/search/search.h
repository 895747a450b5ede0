#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "alloc/search/candidate_tables.h"
#include "alloc/search/placing.h"
#include "alloc/search/score.h"

namespace dray::alloc {

/// How a search ended.
struct Found {
  enum class Kind : std::uint8_t { found, none, error, budget };
  Kind kind = Kind::none;
  std::vector<Pick> picks;  ///< in the order of claims, requests and devices
  Score score;              ///< mode best only
  std::string error;        ///< upstream's text
  std::uint64_t steps = 0;

  /// A solution before an error or a spent budget, these before none.
  [[nodiscard]] bool better_than(const Found& other) const;
};

/// Upstream's depth-first search (allocateOne): the first solution in the order of claims,
/// requests, alternatives and devices. Branches that cannot hold a solution are left out, but never
/// one in which upstream would meet an error.
class Search {
 public:
  /// With a scorer (mode best), a better solution is looked for after the first; with an area, only
  /// devices in that count.
  Search(const NodeView& view, const PreparedClaims& prepared, CandidateTables& tables,
         const AllocatorOptions& options, const AttributeValues& values, Scorer* scorer = nullptr,
         const Bits* area = nullptr);

  [[nodiscard]] Found run();

 private:
  enum class Outcome : std::uint8_t { found, none, exceeded, stop };
  void look_for_better(Found& found);
  [[nodiscard]] Outcome solution();
  /// Where the search is: the `device`th device of a spec of a claim's request.
  struct At {
    std::uint32_t claim = 0;
    std::uint32_t request = 0;
    std::uint32_t spec = 0;
    std::int64_t device = 0;
    std::uint32_t start = 0;
  };

  [[nodiscard]] Outcome begin_request(std::uint32_t claim, std::uint32_t request);
  [[nodiscard]] Outcome choose_alternative(std::uint32_t claim, std::uint32_t request);
  [[nodiscard]] Outcome next_device(At at);
  [[nodiscard]] Outcome take_all(At at);
  [[nodiscard]] Outcome take_any(At at);
  [[nodiscard]] Outcome stop_with(std::string error);
  [[nodiscard]] bool spend();
  [[nodiscard]] std::int64_t wanted(const At& at) const;

  // ---- leaving out branches (search_bounds.cpp, search_matching.cpp)
  struct Place {
    std::uint32_t claim = 0;
    std::uint32_t request = 0;
  };
  /// What may be left out from a request on without hiding an error.
  struct Pruning {
    bool reuse = false;  ///< what failed before: a state, a device of the same kind
    bool bound = false;  ///< what bounds rule out
    Place end;           ///< the bounds look no further than this: an error may wait there
  };
  /// A request that is yet to be served, by its specs: several if they are alternatives.
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
  void prepare_bounds();
  void find_kinds(const std::vector<bool>& failing);
  [[nodiscard]] bool all_may_fail(std::uint32_t spec) const;
  [[nodiscard]] std::vector<bool> failing_alls() const;  ///< by spec
  [[nodiscard]] std::int64_t most_devices(const PreparedRequest& request) const;
  [[nodiscard]] Pruning pruning(std::uint32_t claim, std::uint32_t request) const;
  [[nodiscard]] std::vector<Pending> pending(const At& at) const;
  /// Nothing from here on can be satisfied; `open` gets the devices worth trying at `at`.
  [[nodiscard]] bool hopeless(const At& at, Bits& open) const;
  [[nodiscard]] Bits open_devices(std::uint32_t spec) const;
  [[nodiscard]] bool narrow_by_constraints(const At& at, const std::vector<Pending>& todo,
                                           std::vector<Bits>& open) const;
  [[nodiscard]] std::vector<Demand> demands_of(const At& at, const std::vector<Pending>& todo,
                                               ConstraintOf of, std::vector<Bits>& open) const;
  [[nodiscard]] std::vector<Amount> cheapest(const Bits& open) const;
  [[nodiscard]] bool too_few_counters(const At& at, const std::vector<Pending>& todo,
                                      const std::vector<Bits>& open) const;
  [[nodiscard]] bool no_matching(const At& at, const std::vector<Pending>& todo,
                                 const std::vector<Bits>& open) const;
  [[nodiscard]] bool known_dead_end(std::uint32_t claim, std::uint32_t request,
                                    std::vector<std::uint64_t>& key) const;
  [[nodiscard]] std::int64_t need(const At& at, std::uint32_t spec) const;
  [[nodiscard]] bool same_kind_failed(std::uint32_t device,
                                      const std::vector<std::uint32_t>& failed) const;

  const NodeView& view_;
  const PreparedClaims& prepared_;
  CandidateTables& tables_;
  const AllocatorOptions& options_;
  const AttributeValues& values_;
  Placing placing_;
  std::vector<std::vector<Pruning>> pruning_;  ///< by claim and request
  std::vector<std::uint32_t> kinds_;           ///< of devices: interchangeable ones are equal
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint64_t>& key) const;
  };
  std::unordered_set<std::vector<std::uint64_t>, KeyHash> dead_ends_;
  Scorer* scorer_;
  const Bits* area_;
  bool exploring_ = false;       ///< past the first solution
  std::uint64_t solutions_ = 0;  ///< seen while exploring
  std::vector<Pick> best_;
  Score best_score_;
  std::uint64_t budget_ = 0;
  std::string error_;
  bool counters_may_grow_ = false;  ///< some device consumes a negative amount
  bool over_budget_ = false;
  std::uint64_t steps_ = 0;
};

}  // namespace dray::alloc
