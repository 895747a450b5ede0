#include "simulate/jobs/lacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

namespace dray::simulate {
namespace {

constexpr std::int64_t mib_of_gib = 1024;

/// Of GPUs or cores.
std::string of_milli(std::int64_t milli) {
  if (milli % whole_gpu == 0) return fmt::format("{}", milli / whole_gpu);
  return fmt::format("{:.2f}", static_cast<double>(milli) / whole_gpu);
}

/// Of what a node has for the shape, in the order of Lack.
std::array<std::pair<std::int64_t, std::int64_t>, 5> asked_and_free(const NodeState& node,
                                                                    const Shape& shape) {
  const bool model = shape.gpus == 0 || ((shape.models >> node.model) & 1U) != 0;
  std::int64_t gpus = 0;
  std::int64_t largest = 0;
  for (const auto left : node.free_gpus()) {
    if (left >= shape.gpu_milli) ++gpus;
    largest = std::max<std::int64_t>(largest, left);
  }
  const bool part = shape.gpus == 1 && shape.gpu_milli < whole_gpu;
  return {{{1, model ? 1 : 0},
           part ? std::pair<std::int64_t, std::int64_t>{shape.gpu_milli, largest}
                : std::pair<std::int64_t, std::int64_t>{shape.gpus, gpus},
           {shape.milli_cpu, node.milli_cpu},
           {shape.memory_mib, node.memory_mib},
           {1, node.pods_left}}};
}

/// What the node that goes the furthest lacks, and how much of it the best of these has.
std::pair<Lack, std::int64_t> lack_of(const Fleet& fleet, const Shape& shape) {
  std::pair<Lack, std::int64_t> furthest{Lack::none, 0};
  for (std::uint32_t node = 0; node < fleet.size(); ++node) {
    if (!fleet.is_open(node)) continue;
    auto lack = Lack::model;
    for (const auto& [asked, free] : asked_and_free(fleet.node(node), shape)) {
      if (free < asked) {
        furthest = std::max(furthest, std::pair(lack, free));
        break;
      }
      lack = static_cast<Lack>(std::to_underlying(lack) + 1);
    }
  }
  return furthest;
}

}  // namespace

void Lacks::count(Fleet& fleet, ShapeIndex index, std::int32_t pods, std::size_t jobs) {
  const auto& shape = fleet.shape(index);
  const auto free = fleet.capacity_gpu_milli() - fleet.used_gpu_milli();
  std::vector<Spot> spots;
  for (std::int32_t i = 0; i < pods; ++i) {
    const auto spot = fleet.place(index);
    if (!spot) break;
    spots.push_back(*spot);
  }
  const auto [lack, most] = lack_of(fleet, shape);
  for (const auto& spot : spots) fleet.give_back(index, spot);
  const bool part = shape.gpus == 1 && shape.gpu_milli < whole_gpu;
  auto& found = found_[{lack, part && lack == Lack::gpus, !spots.empty()}];
  found.jobs += jobs;
  found.most = std::max(found.most, most);
  found.free_gpu_milli = free;
}

std::string Lacks::text(const Kind& kind, const Found& found) {
  const auto* gang = kind.gang ? " for all pods of the gang at once" : "";
  switch (kind.lack) {
    case Lack::model:
      return fmt::format("no open node has GPUs of a model that will do{}", gang);
    case Lack::gpus:
      if (kind.part) {
        return fmt::format("too little left of every GPU{}: at most {} of one, {} GPUs free in all",
                           gang, of_milli(found.most), of_milli(found.free_gpu_milli));
      }
      if (kind.gang) {
        return fmt::format("too few free GPUs{}: {} free in all", gang,
                           of_milli(found.free_gpu_milli));
      }
      return fmt::format("too few free GPUs on every node: at most {} on one, {} free in all",
                         found.most, of_milli(found.free_gpu_milli));
    case Lack::cpu:
      return fmt::format("too little free CPU on every node with the GPUs{}: at most {} cores",
                         gang, of_milli(found.most));
    case Lack::memory:
      return fmt::format(
          "too little free memory on every node with the GPUs and CPU{}: at most {} GiB", gang,
          found.most / mib_of_gib);
    case Lack::pods:
      return fmt::format("no node takes another pod{}", gang);
    case Lack::none:
      return kind.gang ? "" : "no node is open";
  }
  std::unreachable();
}

std::vector<WaitingFor> Lacks::take() const {
  std::vector<WaitingFor> all;
  all.reserve(found_.size());
  for (const auto& [kind, found] : found_) all.push_back({text(kind, found), found.jobs});
  std::ranges::stable_sort(all, std::ranges::greater(), &WaitingFor::jobs);
  return all;
}

}  // namespace dray::simulate
