#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "dray/cel/selector_memo.h"

namespace dray::cel {

/// Many devices as selectors see them: a number each, into the few shapes that they have. Four
/// bytes a device where a handle has sixteen, so that a selector goes over a million in a fraction
/// of a millisecond. One owner; holds its shapes alive.
class ShapeColumn {
 public:
  void add(const DeviceShapeHandle& shape);

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::span<const DeviceShapeHandle> shapes() const { return shapes_; }
  /// Of each device, in the order they were added: its place in shapes().
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return numbers_; }

 private:
  std::vector<DeviceShapeHandle> shapes_;
  std::vector<std::uint32_t> numbers_;
  std::unordered_map<const DeviceShape*, std::uint32_t> places_;
};

/// What the selector says of each device; it is asked once a shape, and then only if `memo` does
/// not know.
[[nodiscard]] Matches match(SelectorMemo& memo, const ProgramHandle& program,
                            const ShapeColumn& devices);

}  // namespace dray::cel
