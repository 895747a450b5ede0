#include "simulate/place/scores.h"

#include <algorithm>
#include <bit>
#include <cmath>

// Each formula in the order of operations of its source, kubernetes-scheduler-simulator (FGD's
// artifact) pkg/simulator/plugin: some scores stand right at a rounding edge.

namespace dray::simulate {
namespace {

/// The largest node that the artifact knows.
constexpr double most_milli_cpu = 128'000;
constexpr std::int64_t most_gpu_milli = 8'000;

std::uint32_t best_fit_score(const NodeState& node, const Shape& shape) {
  double left = 0;
  left += static_cast<double>(node.milli_cpu - shape.milli_cpu) / most_milli_cpu * 0.5;
  left += static_cast<double>(node.gpu_milli - shape.total_gpu_milli()) /
          static_cast<double>(most_gpu_milli) * 0.5;
  return static_cast<std::uint32_t>(std::max(0.0, (1.0 - left) * 100));
}

std::uint32_t dot_product_score(const NodeState& node, const Shape& shape) {
  double product = 0;
  product += static_cast<double>(node.milli_cpu) / most_milli_cpu *
             (static_cast<double>(shape.milli_cpu) / most_milli_cpu) * 0.5;
  product += static_cast<double>(node.gpu_milli) / static_cast<double>(most_gpu_milli) *
             (static_cast<double>(shape.total_gpu_milli()) / static_cast<double>(most_gpu_milli)) *
             0.5;
  return static_cast<std::uint32_t>(std::max(0.0, (1.0 - product) * 100));
}

/// Shared GPUs 50 to 100, idle GPUs of a used node 33 to 50, an idle node up to 33.
std::uint32_t packing_score(const NodeState& node, const Shape& shape, GpuBits gpus) {
  if (shape.gpus == 0) return 0;
  const int idle = node.idle_gpus();
  if (idle == node.gpus) return static_cast<std::uint32_t>(std::max(33 - idle, idle));
  int idle_taken = 0;
  int percent_left = 0;
  for (std::size_t i = 0; i < node.gpus; ++i) {
    if (((gpus >> i) & 1U) == 0) continue;
    if (node.free[i] == whole_gpu) ++idle_taken;
    percent_left += node.free[i] * 100 / whole_gpu;
  }
  const int score =
      idle_taken > 0 ? std::max(50 - idle_taken, 33) : std::max(100 - percent_left / 10, 50);
  return static_cast<std::uint32_t>(score);
}

std::uint32_t clustering_score(const NodeState& node, const Shape& shape) {
  if (shape.gpus == 0) return 0;
  const auto used =
      25 * std::max<std::int64_t>(0, most_gpu_milli - node.gpu_milli) / most_gpu_milli;
  const auto classes = std::ranges::count_if(node.held, [](auto pods) { return pods > 0; });
  const bool has_own = node.held[gpu_class(shape)] > 0;
  const int base = has_own ? (classes == 1 ? 75 : 50) : (classes == 0 ? 25 : 0);
  return static_cast<std::uint32_t>(base + used);
}

std::uint32_t fgd_score(double before, double after) {
  return static_cast<std::uint32_t>(1 / (1 + std::exp(-((before - after) / 1000))) * 100);
}

/// Of a part of a GPU: the GPU with the highest score, the lowest of equal ones.
template <class Score>
Scored best_gpu(const NodeState& node, const Shape& shape, const Score& score) {
  Scored best;
  bool found = false;
  std::uint16_t seen = 0;  // GPUs with as much left as one before give the same
  for (std::size_t i = 0; i < node.gpus; ++i) {
    if (node.free[i] < shape.gpu_milli || (found && node.free[i] == seen)) continue;
    seen = node.free[i];
    const auto gpus = GpuBits{1} << i;
    const auto value = score(gpus);
    if (!found || value > best.score) best = {value, gpus};
    found = true;
  }
  return best;
}

Scored fgd(Fragmentation& fragmentation, const NodeState& node, const Shape& shape) {
  const auto before = fragmentation.of(node);
  const auto score = [&](GpuBits gpus) {
    return fgd_score(before, fragmentation.after(node, shape, gpus));
  };
  if (shape.gpus == 1 && shape.gpu_milli < whole_gpu) return best_gpu(node, shape, score);
  const auto gpus = least_left(node, shape);
  return {score(gpus), gpus};
}

/// A pod without GPUs goes where the least GPU is idle, whose CPU nobody else can use, and of those
/// where the least CPU is left.
std::uint32_t cpu_only_score(const NodeState& node, const Shape& shape) {
  constexpr std::int64_t steps = 1 << 12;
  const auto idle = std::min<std::int64_t>(node.gpu_milli, most_gpus * whole_gpu);
  const auto cpu_left =
      std::min<std::int64_t>((node.milli_cpu - shape.milli_cpu) / 1000, steps - 1);
  const auto worse = idle * steps + cpu_left;
  return static_cast<std::uint32_t>(std::int64_t{most_gpus} * whole_gpu * steps + steps - worse);
}

/// Part of a GPU: where the least is lost of what is left of GPUs, by the prices of the pods that
/// could fill it; and of equals, and whole GPUs: FGD.
Scored dray_score(Fragmentation& fragmentation, const SharePrices& prices, const NodeState& node,
                  const Shape& shape) {
  if (shape.gpus == 0) return {cpu_only_score(node, shape), 0};
  if (shape.gpus > 1 || shape.gpu_milli == whole_gpu) return fgd(fragmentation, node, shape);
  // In hundredths of a GPU, so that equal sums of prices are equal.
  constexpr double step = whole_gpu / 100.0;
  constexpr double rounding = 1e-6;
  const auto before = fragmentation.of(node);
  return best_gpu(node, shape, [&](GpuBits gpus) {
    const auto free = node.free[static_cast<std::size_t>(std::countr_zero(gpus))];
    const auto lost = std::round(prices.lost(free, shape.gpu_milli) / step + rounding);
    const auto kept = static_cast<std::uint32_t>(100 - lost);
    return kept * 128 + fgd_score(before, fragmentation.after(node, shape, gpus));
  });
}

}  // namespace

Scored score_of(Strategy strategy, Fragmentation& fragmentation, const SharePrices& prices,
                const NodeState& node, const Shape& shape) {
  if (strategy == Strategy::fgd) return fgd(fragmentation, node, shape);
  if (strategy == Strategy::dray) return dray_score(fragmentation, prices, node, shape);
  const auto gpus = least_left(node, shape);
  switch (strategy) {
    case Strategy::best_fit:
      return {best_fit_score(node, shape), gpus};
    case Strategy::dot_product:
      return {dot_product_score(node, shape), gpus};
    case Strategy::packing:
      return {packing_score(node, shape, gpus), gpus};
    case Strategy::clustering:
      return {clustering_score(node, shape), gpus};
    default:
      return {0, gpus};
  }
}

}  // namespace dray::simulate
