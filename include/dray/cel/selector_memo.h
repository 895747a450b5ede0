#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dray/cel/evaluator.h"

namespace dray::cel {

/// Which of some devices a selector accepts, and on which it failed: bit i for device i.
struct Matches {
  std::vector<std::uint64_t> yes;
  std::vector<std::uint64_t> failed;

  explicit Matches(std::size_t devices) : yes((devices + 63) / 64), failed((devices + 63) / 64) {}
  [[nodiscard]] bool accepts(std::size_t device) const {
    return (yes[device / 64] >> (device % 64) & 1U) != 0;
  }
  [[nodiscard]] bool fails(std::size_t device) const {
    return (failed[device / 64] >> (device % 64) & 1U) != 0;
  }
};

/// Runs a selector once per distinct projection of what it reads, and remembers the verdict per
/// shape: the second question about a (selector, shape) pair is two loads. Exact, errors included.
/// Bounded: at most `max_selectors` selectors (least recently used go first) and
/// `max_projections` projections each. Holds programs and at most one shape a projection alive;
/// forget() lets go. One thread at a time; shapes may come from any Interner, but one only.
class SelectorMemo {
 public:
  explicit SelectorMemo(std::size_t max_selectors = 1024, std::size_t max_projections = 65536);
  ~SelectorMemo();
  SelectorMemo(SelectorMemo&&) noexcept;
  SelectorMemo& operator=(SelectorMemo&&) noexcept;

  [[nodiscard]] Verdict match(const ProgramHandle& program, const DeviceShapeHandle& device);
  /// The same for many devices at once.
  [[nodiscard]] Matches match(const ProgramHandle& program,
                              std::span<const DeviceShapeHandle> devices);
  /// Why match() said error: upstream's text. Evaluates again.
  [[nodiscard]] std::string error_text(const Program& program, const DeviceShape& device);

  void forget(const Program& program);
  void clear();

  /// Evaluations made so far: what the memo could not answer.
  [[nodiscard]] std::uint64_t evaluations() const;

 private:
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace dray::cel
