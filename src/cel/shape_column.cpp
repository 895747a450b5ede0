#include "dray/cel/shape_column.h"

#include <algorithm>

namespace dray::cel {

void ShapeColumn::add(const DeviceShapeHandle& shape) {
  const auto [place, added] =
      places_.try_emplace(shape.get(), static_cast<std::uint32_t>(shapes_.size()));
  if (added) shapes_.push_back(shape);
  numbers_.push_back(place->second);
}

Matches match(SelectorMemo& memo, const ProgramHandle& program, const ShapeColumn& devices) {
  std::vector<std::uint8_t> accepted;
  std::vector<std::uint8_t> failed;
  for (const auto& shape : devices.shapes()) {
    const Verdict verdict = memo.match(program, shape);
    accepted.push_back(verdict == Verdict::yes ? 1 : 0);
    failed.push_back(verdict == Verdict::error ? 1 : 0);
  }
  const auto numbers = devices.numbers();
  Matches matches;
  matches.yes.resize((numbers.size() + 63) / 64);
  for (std::size_t begin = 0; begin < numbers.size(); begin += 64) {
    const auto some = numbers.subspan(begin, std::min<std::size_t>(64, numbers.size() - begin));
    std::uint64_t yes = 0;
    for (std::size_t i = 0; i < some.size(); ++i) yes |= std::uint64_t{accepted[some[i]]} << i;
    matches.yes[begin / 64] = yes;
  }
  if (std::ranges::find(failed, 1) == failed.end()) return matches;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (failed[numbers[i]] != 0) matches.errors.push_back(static_cast<std::uint32_t>(i));
  }
  return matches;
}

}  // namespace dray::cel
