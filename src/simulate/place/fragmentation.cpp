#include "simulate/place/fragmentation.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "simulate/trace/random.h"

namespace dray::simulate {
namespace {

/// Of the pods, so many percent are typical.
constexpr std::size_t typical_percent = 95;
constexpr std::size_t first_entries = 4096;

std::string joined(const std::vector<std::string>& models) {
  std::string text;
  for (const auto& model : models) text += (text.empty() ? "" : "|") + model;
  return text;
}

/// GPUs of the node with enough left for one of the shape's, and what is left of the others.
struct GpuRoom {
  int enough = 0;
  std::int64_t too_little = 0;
};
GpuRoom room_for(const NodeState& node, const Shape& shape) {
  GpuRoom room;
  for (const auto left : node.free_gpus()) {
    if (left >= shape.gpu_milli) {
      ++room.enough;
    } else {
      room.too_little += left;
    }
  }
  return room;
}

}  // namespace

std::vector<TypicalShape> typical_shapes(std::span<const PodAsk> pods,
                                         std::span<const Shape> shapes) {
  // By what the artifact groups by, in the order in which it breaks ties.
  using Key = std::tuple<std::int64_t, std::int32_t, std::int32_t, std::string>;
  struct Group {
    std::size_t count = 0;
    Shape shape;
  };
  std::map<Key, Group, std::greater<>> groups;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto& pod = pods[i];
    auto& group = groups[{pod.milli_cpu, pod.gpu_milli, pod.gpus, joined(pod.models)}];
    ++group.count;
    group.shape = shapes[i];
    group.shape.memory_mib = 0;
  }
  std::vector<Group> order;
  order.reserve(groups.size());
  for (const auto& [key, group] : groups) order.push_back(group);
  std::ranges::stable_sort(order, std::greater<>{}, &Group::count);
  std::vector<TypicalShape> typical;
  // Divided twice, as the artifact does: another rounding is another decision.
  const auto all = static_cast<double>(pods.size());
  std::size_t taken = 0;
  for (const auto& group : order) {
    if (taken * 100 >= pods.size() * typical_percent) break;
    taken += group.count;
    typical.push_back({group.shape, static_cast<double>(group.count) / all});
  }
  for (auto& one : typical) one.weight /= static_cast<double>(taken) / all;
  return typical;
}

Fragmentation::Fragmentation(std::vector<TypicalShape> typical)
    : typical_(std::move(typical)), entries_(first_entries) {
  for (const auto& one : typical_) cpus_.push_back(one.shape.milli_cpu);
  std::ranges::sort(cpus_);
  const auto [from, to] = std::ranges::unique(cpus_);
  cpus_.erase(from, to);
  Random random(1);
  for (int left = 0; left <= whole_gpu; ++left) {
    const auto a = random.next();
    of_free_.push_back({a, random.next()});
  }
}

double Fragmentation::measure(const NodeState& node) const {
  const auto all = static_cast<double>(node.gpu_milli);
  double lacks_both = 0;
  double lacks_gpu = 0;
  double lacks_cpu = 0;
  double no_gpu_fits = 0;
  double no_gpu_lacks_cpu = 0;
  double refused = 0;
  for (const auto& [shape, weight] : typical_) {
    const bool cpu = node.milli_cpu >= shape.milli_cpu;
    if (shape.gpus == 0) {
      (cpu ? no_gpu_fits : no_gpu_lacks_cpu) += weight * all;
      continue;
    }
    if (((shape.models >> node.model) & 1U) == 0) {
      refused += weight * all;
      continue;
    }
    const auto room = room_for(node, shape);
    if (room.enough < shape.gpus) {
      (cpu ? lacks_gpu : lacks_both) += weight * all;
    } else if (cpu) {
      lacks_gpu += weight * static_cast<double>(room.too_little);
    } else {
      lacks_cpu += weight * all;
    }
  }
  return lacks_both + lacks_gpu + lacks_cpu + no_gpu_fits + no_gpu_lacks_cpu + refused;
}

std::uint64_t Fragmentation::cpu_class(std::int64_t milli_cpu) const {
  return static_cast<std::uint64_t>(std::ranges::upper_bound(cpus_, milli_cpu) - cpus_.begin());
}

Fragmentation::Mark Fragmentation::mark_of(const NodeState& node, std::int64_t milli_cpu) const {
  // Of `of_free_` every sum is as likely as any other: small numbers may be added as they are
  // when they are spread by a factor.
  const auto rest = (cpu_class(milli_cpu) << 16U) + (std::uint64_t{node.model} << 8U) + node.gpus;
  Mark mark{rest * 0x9e3779b97f4a7c15U, rest * 0xc2b2ae3d27d4eb4fU};
  for (const auto left : node.free_gpus()) {
    mark.a += of_free_[left].a;
    mark.b += of_free_[left].b;
  }
  return mark;
}

void Fragmentation::move(Mark& mark, std::uint16_t from, std::uint16_t to) const {
  mark.a += of_free_[to].a - of_free_[from].a;
  mark.b += of_free_[to].b - of_free_[from].b;
}

template <class State>
double Fragmentation::look_up(const Mark& mark, const State& state) {
  const auto mask = entries_.size() - 1;
  auto at = mark.a & mask;
  while (entries_[at].value >= 0 && entries_[at].mark != mark) at = (at + 1) & mask;
  if (entries_[at].value >= 0) return entries_[at].value;
  const auto value = measure(state());
  entries_[at] = {mark, value};
  if (++used_ * 2 > entries_.size()) grow();
  return value;
}

double Fragmentation::of(const NodeState& node) {
  return look_up(mark_of(node, node.milli_cpu), [&] { return node; });
}

double Fragmentation::after(const NodeState& node, const Shape& shape, GpuBits bits) {
  auto mark = mark_of(node, node.milli_cpu - shape.milli_cpu);
  for (std::size_t i = 0; i < node.gpus; ++i) {
    if ((bits >> i) & 1U) {
      move(mark, node.free[i], static_cast<std::uint16_t>(node.free[i] - shape.gpu_milli));
    }
  }
  return look_up(mark, [&] {
    auto then = node;
    then.take(shape, bits);
    return then;
  });
}

void Fragmentation::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  const auto mask = entries_.size() - 1;
  for (const auto& entry : old) {
    if (entry.value < 0) continue;
    auto at = entry.mark.a & mask;
    while (entries_[at].value >= 0) at = (at + 1) & mask;
    entries_[at] = entry;
  }
}

}  // namespace dray::simulate
