#include "simulate/place/fleet.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace dray::simulate {
namespace {

/// Pods that a node may hold: what the FGD artifact's nodes have.
constexpr std::uint16_t most_pods = 1001;

NodeState empty_node(const GpuNode& node, const std::vector<std::string>& models) {
  NodeState state;
  state.milli_cpu = node.milli_cpu;
  state.memory_mib = node.memory_mib;
  state.gpus = static_cast<std::uint8_t>(node.gpus);
  state.gpu_milli = std::int64_t{node.gpus} * whole_gpu;
  state.pods_left = most_pods;
  const auto model = std::ranges::lower_bound(models, node.model);
  state.model = static_cast<std::uint8_t>(model - models.begin());
  for (std::size_t i = 0; i < state.gpus; ++i) state.free[i] = whole_gpu;
  return state;
}

}  // namespace

Fleet::Fleet(const std::vector<GpuNode>& nodes, std::span<const std::uint32_t> ranks,
             const ShapeTable& shapes, Strategy strategy, std::uint64_t seed)
    : strategy_(strategy),
      shapes_(&shapes),
      rank_of_(ranks.begin(), ranks.end()),
      by_rank_(nodes.size()),
      measure_(shapes.typical),
      random_(seed),
      winners_(shapes.shapes.size()) {
  nodes_.reserve(nodes.size());
  closed_.resize(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    by_rank_[rank_of_[i]] = i;
    nodes_.push_back(empty_node(nodes[i], shapes.models));
    capacity_ += nodes_.back().gpu_milli;
    fragmented_of_.push_back(measure_.of(nodes_.back()));
    fragmented_ += fragmented_of_.back();
  }
}

/// More is better: the score first, then the lower rank. Never 0.
std::uint64_t Fleet::key_of(std::uint32_t rank, const Shape& shape) {
  const auto& node = nodes_[by_rank_[rank]];
  if (closed_[by_rank_[rank]] != 0 || !node.fits(shape)) return 0;
  const std::uint64_t score = score_of(strategy_, measure_, shapes_->prices, node, shape).score;
  return (score << 32U) | (std::numeric_limits<std::uint32_t>::max() - rank);
}

void Fleet::build(Winners& winners, const Shape& shape) {
  const auto count = nodes_.size();
  winners.keys.assign(count * 2, 0);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    winners.keys[count + rank] = key_of(rank, shape);
  }
  for (auto i = count - 1; i > 0; --i) {
    winners.keys[i] = std::max(winners.keys[2 * i], winners.keys[2 * i + 1]);
  }
  winners.seen = changes_.size();
}

void Fleet::refresh(Winners& winners, const Shape& shape) {
  const auto count = nodes_.size();
  if (winners.keys.empty() || changes_.size() - winners.seen > count) return build(winners, shape);
  for (; winners.seen < changes_.size(); ++winners.seen) {
    const auto rank = changes_[winners.seen];
    auto at = count + rank;
    auto key = key_of(rank, shape);
    while (winners.keys[at] != key) {
      winners.keys[at] = key;
      if (at <= 1) break;
      key = std::max(key, winners.keys[at ^ 1U]);
      at /= 2;
    }
  }
}

std::optional<Spot> Fleet::any(const Winners& winners, const Shape& shape) {
  const auto leaves = std::span(winners.keys).subspan(nodes_.size());
  const auto fitting = std::ranges::count_if(leaves, [](auto key) { return key != 0; });
  if (fitting == 0) return std::nullopt;
  auto left = random_.below(static_cast<std::uint64_t>(fitting));
  std::uint32_t rank = 0;
  for (; leaves[rank] == 0 || left-- > 0; ++rank) {
  }
  const auto place = by_rank_[rank];
  if (shape.gpus != 1 || shape.gpu_milli == whole_gpu) {
    return Spot{place, least_left(nodes_[place], shape)};
  }
  GpuBits fit = 0;
  for (std::size_t i = 0; i < nodes_[place].gpus; ++i) {
    if (nodes_[place].free[i] >= shape.gpu_milli) fit |= GpuBits{1} << i;
  }
  for (auto skip = random_.below(static_cast<std::uint64_t>(std::popcount(fit))); skip > 0;
       --skip) {
    fit &= fit - 1;
  }
  return Spot{place, fit & (~fit + 1)};
}

std::optional<Spot> Fleet::place(ShapeIndex index) {
  const auto& shape = shapes_->shapes[index];
  auto& winners = winners_[index];
  refresh(winners, shape);
  std::optional<Spot> spot;
  if (strategy_ == Strategy::random) {
    spot = any(winners, shape);
  } else if (const auto best = winners.keys[1]; best != 0) {
    const auto rank = std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(best);
    const auto place = by_rank_[rank];
    spot = Spot{place, score_of(strategy_, measure_, shapes_->prices, nodes_[place], shape).gpus};
  }
  if (spot) take(shape, *spot);
  return spot;
}

std::optional<Spot> Fleet::hold(ShapeIndex index, std::uint32_t node, GpuBits gpus) {
  const auto& shape = shapes_->shapes[index];
  const auto& free = nodes_[node].free;
  if (!nodes_[node].fits(shape)) return std::nullopt;
  for (std::size_t i = 0; i < most_gpus; ++i) {
    if (((gpus >> i) & 1U) != 0 && free.at(i) < shape.gpu_milli) return std::nullopt;
  }
  const Spot spot{node, gpus == 0 ? least_left(nodes_[node], shape) : gpus};
  take(shape, spot);
  return spot;
}

void Fleet::take(const Shape& shape, const Spot& spot) {
  nodes_[spot.node].take(shape, spot.gpus);
  used_ += shape.total_gpu_milli();
  changed(spot.node);
}

void Fleet::give_back(ShapeIndex index, const Spot& spot) {
  const auto& shape = shapes_->shapes[index];
  nodes_[spot.node].give_back(shape, spot.gpus);
  used_ -= shape.total_gpu_milli();
  changed(spot.node);
}

void Fleet::set_open(std::uint32_t node, bool open) {
  closed_[node] = open ? 0 : 1;
  changed(node);
}

void Fleet::changed(std::uint32_t node) {
  changes_.push_back(rank_of_[node]);
  const auto now = measure_.of(nodes_[node]);
  fragmented_ += now - fragmented_of_[node];
  fragmented_of_[node] = now;
}

}  // namespace dray::simulate
