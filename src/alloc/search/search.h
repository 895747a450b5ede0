#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "alloc/search/bounds.h"
#include "alloc/search/candidate_tables.h"
#include "alloc/search/placing.h"
#include "alloc/search/score.h"
#include "alloc/search/spending.h"
#include "dray/base/hash.h"

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
  /// devices in that count; with an allowance, only what is within it is a solution.
  Search(const NodeView& view, const PreparedClaims& prepared, CandidateTables& tables,
         const AllocatorOptions& options, const AttributeValues& values, Scorer* scorer = nullptr,
         const Bits* area = nullptr, const Allowance* allowance = nullptr);

  [[nodiscard]] Found run();

 private:
  enum class Outcome : std::uint8_t { found, none, exceeded, stop };
  void look_for_better(Found& found);
  [[nodiscard]] Outcome solution();
  using At = SearchPosition;

  [[nodiscard]] Outcome begin_request(std::uint32_t claim, std::uint32_t request);
  [[nodiscard]] Outcome choose_alternative(std::uint32_t claim, std::uint32_t request);
  [[nodiscard]] Outcome next_device(At at);
  [[nodiscard]] Outcome take_all(At at);
  [[nodiscard]] Outcome take_any(At at);
  [[nodiscard]] Placing::Outcome place(const Pick& pick);
  void undo_place();
  [[nodiscard]] Outcome stop_with(std::string error);
  [[nodiscard]] bool spend();
  [[nodiscard]] bool known_dead_end(std::uint32_t claim, std::uint32_t request,
                                    std::vector<std::uint64_t>& key) const;
  [[nodiscard]] bool same_kind_failed(std::uint32_t device,
                                      const std::vector<std::uint32_t>& failed) const;

  const NodeView& view_;
  const PreparedClaims& prepared_;
  CandidateTables& tables_;
  const AllocatorOptions& options_;
  Scorer* scorer_;
  const Bits* area_;
  Placing placing_;
  Bounds bounds_;
  std::optional<Spending> spending_;
  std::vector<std::uint32_t> kinds_;  ///< of devices: interchangeable ones are equal
  /// States from which no solution can be reached.
  std::unordered_set<std::vector<std::uint64_t>, WordsHash> dead_ends_;
  struct Steps {
    std::uint64_t taken = 0;
    std::uint64_t budget = 0;
    bool spent = false;
  };
  Steps steps_;
  /// Past the first solution, in mode best.
  struct Exploration {
    bool active = false;
    std::uint64_t solutions = 0;
    std::vector<Pick> best;
    Score score;
  };
  Exploration exploration_;
  std::string error_;
};

}  // namespace dray::alloc
