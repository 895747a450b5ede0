#include "dray/cel/selector_memo.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "dray/base/sparse_vector.h"

namespace dray::cel {

namespace {

/// A projection of a shape to what a program reads: the interned values' addresses, which stay
/// theirs as long as the row keeps one shape of the projection.
using Projection = std::vector<const void*>;

struct ProjectionHash {
  std::size_t operator()(const Projection& projection) const {
    std::size_t hash = projection.size();
    for (const void* part : projection) {
      hash = (hash ^ reinterpret_cast<std::uintptr_t>(part)) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29U;
    }
    return hash;
  }
};

/// One selector's verdicts.
struct Row {
  struct Known {
    DeviceShapeHandle shape;
    Verdict verdict;
  };

  ProgramHandle program;
  /// By shape index: the shape's serial and its verdict, `serial * 4 + verdict`.
  SparseVector<std::uint64_t> by_shape;
  std::unordered_map<Projection, Known, ProjectionHash> by_projection;
  std::optional<std::uint64_t> names;  // the serial of the names whose columns are resolved
  std::vector<int> columns;

  void project(const DeviceShape& shape, Projection& out) {
    const Reads& reads = program->reads();
    out.clear();
    if (reads.everything || shape.conversion_error()) {
      out.push_back(&shape);
      return;
    }
    if (reads.driver) out.push_back(&shape.names());
    if (reads.allow_multiple) {
      out.push_back(shape.allow_multiple_allocations() ? this : nullptr);
    }
    if (names != shape.names().serial()) {
      names = shape.names().serial();
      columns.clear();
      for (const Name& name : reads.names) {
        columns.push_back(shape.names().find(name.half, name.domain, name.id));
      }
    }
    for (const int column : columns) {
      out.push_back(column < 0 ? nullptr : &shape.at(column));
    }
  }
};

/// A verdict by the shape's address, within one question.
struct RecentShape {
  const DeviceShape* shape = nullptr;
  Verdict verdict = Verdict::no;
};
constexpr unsigned recent_bits = 9;

/// Where a shape is among the recent ones.
std::size_t recent_place(const DeviceShape* shape) {
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(shape));
  return (address >> 4U) * 0x9E3779B97F4A7C15ULL >> (64U - recent_bits);
}

}  // namespace

struct SelectorMemo::Rows {
  std::size_t max_selectors;
  std::size_t max_projections;
  std::list<Row> by_use;  ///< the one used last stands first
  std::unordered_map<const Program*, std::list<Row>::iterator> rows;
  std::uint64_t evaluations = 0;
  Evaluator evaluator;
  Projection projection;

  Row& row(const ProgramHandle& program) {
    if (!by_use.empty() && by_use.front().program == program) return by_use.front();
    if (const auto known = rows.find(program.get()); known != rows.end()) {
      by_use.splice(by_use.begin(), by_use, known->second);
      return by_use.front();
    }
    if (rows.size() >= max_selectors) forget(*by_use.back().program);
    by_use.emplace_front().program = program;
    rows.emplace(program.get(), by_use.begin());
    return by_use.front();
  }

  void forget(const Program& program) {
    const auto known = rows.find(&program);
    if (known == rows.end()) return;
    const auto gone = known->second;
    rows.erase(known);
    by_use.erase(gone);
  }

  Verdict match(Row& row, const DeviceShapeHandle& device) {
    const DeviceShape& shape = *device;
    const auto* cell = row.by_shape.find(shape.index());
    if (cell != nullptr && *cell / 4 == shape.serial()) return static_cast<Verdict>(*cell % 4);
    return learn(row, device);
  }

  Verdict learn(Row& row, const DeviceShapeHandle& device) {
    row.project(*device, projection);
    auto known = row.by_projection.find(projection);
    if (known == row.by_projection.end()) {
      if (row.by_projection.size() >= max_projections) row.by_projection.clear();
      ++evaluations;
      const Verdict verdict = evaluator.verdict(*row.program, *device);
      known = row.by_projection.emplace(projection, Row::Known{device, verdict}).first;
    }
    row.by_shape[device->index()] =
        device->serial() * 4 + static_cast<std::uint64_t>(known->second.verdict);
    return known->second.verdict;
  }
};

SelectorMemo::SelectorMemo(std::size_t max_selectors, std::size_t max_projections)
    : rows_(std::make_unique<Rows>()) {
  rows_->max_selectors = std::max<std::size_t>(1, max_selectors);
  rows_->max_projections = std::max<std::size_t>(1, max_projections);
}
SelectorMemo::~SelectorMemo() = default;
SelectorMemo::SelectorMemo(SelectorMemo&&) noexcept = default;
SelectorMemo& SelectorMemo::operator=(SelectorMemo&&) noexcept = default;

Verdict SelectorMemo::match(const ProgramHandle& program, const DeviceShapeHandle& device) {
  return rows_->match(rows_->row(program), device);
}

Matches SelectorMemo::match(const ProgramHandle& program,
                            std::span<const DeviceShapeHandle> devices) {
  Row& row = rows_->row(program);
  Matches matches(devices.size());
  // Devices share few shapes: which of them were met of late is known by address alone.
  std::array<RecentShape, std::size_t{1} << recent_bits> recent{};
  for (std::size_t begin = 0; begin < devices.size(); begin += 64) {
    const auto some = devices.subspan(begin, std::min<std::size_t>(64, devices.size() - begin));
    std::uint64_t yes = 0;
    std::uint64_t failed = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const DeviceShape* shape = some[i].get();
      RecentShape& known = recent[recent_place(shape)];
      if (known.shape != shape) known = {shape, rows_->match(row, some[i])};
      yes |= std::uint64_t{known.verdict == Verdict::yes} << i;
      failed |= std::uint64_t{known.verdict == Verdict::error} << i;
    }
    matches.yes[begin / 64] = yes;
    matches.failed[begin / 64] = failed;
  }
  return matches;
}

std::string SelectorMemo::error_text(const Program& program, const DeviceShape& device) {
  const auto result = rows_->evaluator.matches(program, device);
  return result ? std::string{} : result.error().message;
}

void SelectorMemo::forget(const Program& program) {
  rows_->forget(program);
}

void SelectorMemo::clear() {
  rows_->rows.clear();
  rows_->by_use.clear();
}

std::uint64_t SelectorMemo::evaluations() const {
  return rows_->evaluations;
}

}  // namespace dray::cel
