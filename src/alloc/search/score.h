#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "alloc/search/candidate_tables.h"
#include "alloc/search/placing.h"
#include "alloc/view/bits.h"
#include "dray/alloc/allocator.h"

namespace dray::alloc {

/// How good a choice of devices is, most important first; higher is better.
struct Score {
  std::int64_t preference = 0;  ///< of alternatives, as upstream scores them
  std::int64_t ready = 0;       ///< negative: devices that have to be made ready first
  std::int64_t alignment = 0;   ///< 0: every level in one place; else negative
  std::int64_t room = 0;        ///< what is lost for later requests, negative
  std::int64_t shares = 0;      ///< shares packed, or spread

  auto operator<=>(const Score&) const = default;
  /// As one number for comparing nodes, without the preference.
  [[nodiscard]] std::int64_t total() const;
};

/// How many of the devices have binding conditions (KEP-5007): somebody has to make them ready.
[[nodiscard]] std::uint32_t unready(const NodeView& view, std::span<const Pick> picks);

/// Rates placings on one node. Devices that agree in what describe() says are rated alike.
class Scorer {
 public:
  Scorer(const NodeView& view, const PreparedClaims& prepared, CandidateTables& tables,
         const AllocatorOptions& options, AttributeValues& values);

  [[nodiscard]] Score rate(const Placing& placing);

  /// 0 if on every level all of the devices are in one place; else negative.
  [[nodiscard]] std::int64_t alignment(std::span<const Pick> picks) const;
  /// Each a set of devices that agree on all required levels; none: nothing is required here.
  [[nodiscard]] std::vector<Bits> areas() const;

  /// What the rating reads of a device.
  void describe(std::uint32_t device, std::vector<std::uint64_t>& key);

 private:
  void find_places(AttributeValues& values);
  void weigh_partitions();
  [[nodiscard]] std::int64_t room(const Placing* placing) const;
  [[nodiscard]] std::int64_t partitions_left(const Placing* placing) const;
  [[nodiscard]] std::int64_t shares(const Placing& placing);
  [[nodiscard]] bool free(std::uint32_t device, const Placing* placing) const;

  const NodeView& view_;
  const PreparedClaims& prepared_;
  CandidateTables& tables_;
  const AllocatorOptions& options_;
  std::vector<std::vector<std::uint32_t>> places_;  ///< by level and device; 0: unknown
  std::vector<std::vector<std::uint32_t>> groups_;  ///< the same, by driver too
  std::vector<std::int64_t> weights_;               ///< of partitions, by device; 0: not one
  std::int64_t room_before_ = 0;
};

}  // namespace dray::alloc
