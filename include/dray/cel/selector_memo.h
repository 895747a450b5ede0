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

  /// None of so many devices matches, none fails.
  explicit Matches(std::size_t devices) : yes((devices + 63) / 64), failed((devices + 63) / 64) {}
  /// The selector is true of the device at that place.
  [[nodiscard]] bool accepts(std::size_t device) const {
    return (yes[device / 64] >> (device % 64) & 1U) != 0;
  }
  /// It cannot be evaluated for that device.
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
  /// At most so many selectors and answers are kept: the memory is bounded, the answers are not
  /// changed.
  explicit SelectorMemo(std::size_t max_selectors = 1024, std::size_t max_projections = 65536);
  ~SelectorMemo();
  SelectorMemo(SelectorMemo&&) noexcept;
  SelectorMemo& operator=(SelectorMemo&&) noexcept;

  /// Whether the selector holds for the device. An error is a verdict: error_text() says which.
  [[nodiscard]] Verdict match(const ProgramHandle& program, const DeviceShapeHandle& device);
  /// The same for many devices at once.
  [[nodiscard]] Matches match(const ProgramHandle& program,
                              std::span<const DeviceShapeHandle> devices);
  /// Why match() said error: upstream's text. Evaluates again.
  [[nodiscard]] std::string error_text(const Program& program, const DeviceShape& device);

  /// Drops what is known of the program: it will not be asked again.
  void forget(const Program& program);
  /// Drops all.
  void clear();

  /// Evaluations made so far: what the memo could not answer.
  [[nodiscard]] std::uint64_t evaluations() const;

 private:
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace dray::cel
