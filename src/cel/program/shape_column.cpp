#include "cel/program/shape_column.h"

#include <algorithm>

namespace dray::cel {

void ShapeColumn::add(const DeviceShapeHandle& shape) {
  const auto [place, added] =
      places_.try_emplace(shape.get(), static_cast<std::uint32_t>(shapes_.size()));
  if (added) shapes_.push_back(shape);
  numbers_.push_back(place->second);
}

namespace {

/// The bits of the devices whose shape has its place in `chosen` set.
void mark(std::span<const std::uint32_t> numbers, std::span<const std::uint8_t> chosen,
          std::vector<std::uint64_t>& bits) {
  for (std::size_t begin = 0; begin < numbers.size(); begin += 64) {
    const auto some = numbers.subspan(begin, std::min<std::size_t>(64, numbers.size() - begin));
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < some.size(); ++i) word |= std::uint64_t{chosen[some[i]]} << i;
    bits[begin / 64] = word;
  }
}

}  // namespace

Matches match(SelectorMemo& memo, const ProgramHandle& program, const ShapeColumn& devices) {
  std::vector<std::uint8_t> accepted;
  std::vector<std::uint8_t> failed;
  for (const auto& shape : devices.shapes()) {
    const Verdict verdict = memo.match(program, shape);
    accepted.push_back(verdict == Verdict::yes ? 1 : 0);
    failed.push_back(verdict == Verdict::error ? 1 : 0);
  }
  Matches matches(devices.size());
  if (std::ranges::find(accepted, 1) != accepted.end()) {
    mark(devices.numbers(), accepted, matches.yes);
  }
  if (std::ranges::find(failed, 1) != failed.end()) {
    mark(devices.numbers(), failed, matches.failed);
  }
  return matches;
}

}  // namespace dray::cel
