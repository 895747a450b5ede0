#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/search/candidate_tables.h"

namespace dray::alloc {

/// One device chosen for one (sub)request.
struct Pick {
  std::uint32_t spec = 0;
  std::uint32_t device = 0;

  bool operator==(const Pick&) const = default;
};

/// What the devices chosen so far leave, with undo: the part of upstream's allocateDevice that
/// depends on other choices.
class Placing {
 public:
  Placing(const NodeView& view, const PreparedClaims& prepared, CandidateTables& tables,
          const Features& features, const AttributeValues& values);

  enum class Outcome : std::uint8_t {
    placed,
    rejected,
    constraint,     ///< rejected by a constraint
    derived_error,  ///< a derived attribute could not be computed: see failed_constraint()
  };
  [[nodiscard]] Outcome place(const Pick& pick);
  void undo();

  [[nodiscard]] const std::vector<Pick>& picks() const { return picks_; }
  [[nodiscard]] std::size_t picks_of(std::uint32_t claim) const { return per_claim_[claim]; }
  [[nodiscard]] std::uint32_t failed_constraint() const { return failed_constraint_; }

  /// Claims (as bits) that hold the device as a whole.
  [[nodiscard]] std::uint64_t holders(std::uint32_t device) const { return held_[device].claims; }
  [[nodiscard]] std::uint32_t shares(std::uint32_t device) const { return held_[device].shares; }
  [[nodiscard]] bool in_use(const Spec& spec, std::uint32_t device) const {
    const auto held = held_[device].claims;
    return spec.admin ? (held >> spec.claim & 1U) != 0 : held != 0;
  }
  /// How full a shareable device is, in thousandths of its scarcest capacity.
  [[nodiscard]] std::int64_t fullness(std::uint32_t device) const;
  [[nodiscard]] Amount counter(std::size_t row) const { return counters_[row]; }

  /// The values of a claim's devices so far, as one of its constraints sees them.
  [[nodiscard]] const std::vector<ValueId>& chosen(std::uint32_t claim,
                                                   std::uint32_t constraint) const {
    return chosen_[claim][constraint];
  }
  /// Whether a value may come next.
  [[nodiscard]] bool admits(std::uint32_t claim, std::uint32_t constraint, ValueId value) const;

  /// Everything that decides what can still be placed, as numbers: equal signatures, equal futures.
  /// `kind` names devices that are interchangeable.
  void sign(const std::vector<std::uint32_t>& kinds, std::vector<std::uint64_t>& out) const;

 private:
  struct Step {
    bool marked = false;
    bool charged = false;
    bool shared = false;
    std::vector<std::pair<std::uint32_t, GroupSet>> groups;
  };

  [[nodiscard]] bool full(const Pick& pick);
  [[nodiscard]] std::optional<Outcome> push_values(const Pick& pick);
  void mark(const Pick& pick, Step& step);
  [[nodiscard]] bool admit_groups(const ViewDevice& device, Step& step);
  [[nodiscard]] bool charge(const ViewDevice& device, int sign);
  void pop_values(const Spec& spec);
  void restore(const ViewDevice& device, Step& step);

  const NodeView& view_;
  const PreparedClaims& prepared_;
  CandidateTables& tables_;
  const Features& features_;
  const AttributeValues& values_;
  std::vector<Pick> picks_;
  std::vector<Step> steps_;
  std::vector<std::size_t> per_claim_;
  /// What the picks take of a device.
  struct Held {
    std::uint64_t claims = 0;      ///< as bits: those that have it as a whole
    std::uint32_t shares = 0;      ///< of a shareable one
    std::vector<Amount> capacity;  ///< of a shareable one, in the order of its capacities
  };
  std::vector<Held> held_;  ///< by device
  std::vector<Amount> counters_;
  std::vector<std::uint32_t> short_rows_;  ///< by pool
  std::vector<GroupSet> groups_;
  std::vector<std::vector<std::vector<ValueId>>> chosen_;  ///< by claim and constraint
  std::uint32_t failed_constraint_ = 0;
};

}  // namespace dray::alloc
