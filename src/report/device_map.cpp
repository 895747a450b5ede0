#include "report/device_map.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "dray/simulate/measures.h"

namespace dray::report {
namespace {

constexpr std::uint32_t last_letter = 25;

std::uint32_t place_of(const std::vector<std::string>& queues, const std::string& name) {
  return static_cast<std::uint32_t>(std::ranges::find(queues, name) - queues.begin());
}

/// `count` of `from`, as far apart as may be.
template <class T>
std::vector<T> thin(const std::vector<T>& from, std::size_t count) {
  if (from.size() <= count) return from;
  std::vector<T> some;
  some.reserve(count);
  for (std::size_t i = 0; i < count; ++i) some.push_back(from[i * from.size() / count]);
  return some;
}

/// Gives holds whose GPUs the kubelet chose the lowest that are free, for all of their time.
void choose_gpus(const std::vector<simulate::GpuNode>& nodes, std::vector<Hold>& holds) {
  std::ranges::stable_sort(holds, {}, &Hold::from);
  std::vector<std::array<double, simulate::most_gpus>> busy_until(nodes.size());
  for (auto& hold : holds) {
    if (hold.gpus != 0) continue;
    auto& busy = busy_until[hold.node];
    std::int32_t left = hold.count;
    for (std::size_t gpu = 0; left > 0 && std::cmp_less(gpu, nodes[hold.node].gpus); ++gpu) {
      if (busy.at(gpu) > hold.from) continue;
      busy.at(gpu) = hold.to;
      hold.gpus |= 1U << gpu;
      --left;
    }
  }
}

/// One GPU at one moment.
struct Square {
  std::int32_t used = 0;  ///< thousandths
  std::vector<std::pair<std::uint32_t, std::int32_t>> queues;

  void add(std::uint32_t queue, std::int32_t milli) {
    used += milli;
    const auto known =
        std::ranges::find(queues, queue, &std::pair<std::uint32_t, std::int32_t>::first);
    if (known == queues.end()) {
      queues.emplace_back(queue, milli);
    } else {
      known->second += milli;
    }
  }
  [[nodiscard]] char letter() const {
    if (queues.empty()) return '.';
    const auto most =
        std::ranges::max_element(queues, {}, &std::pair<std::uint32_t, std::int32_t>::second);
    const char first = used < simulate::whole_gpu ? 'A' : 'a';
    return static_cast<char>(first + static_cast<char>(std::min(most->first, last_letter)));
  }
};

}  // namespace

MapFrame frame_map(const std::vector<simulate::GpuNode>& nodes, const std::vector<double>& moments,
                   std::size_t most_moments, std::size_t most_gpus) {
  MapFrame frame;
  frame.moments = thin(moments, most_moments);
  std::vector<std::uint32_t> all;
  std::size_t gpus = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].gpus == 0) continue;
    all.push_back(static_cast<std::uint32_t>(i));
    gpus += static_cast<std::size_t>(nodes[i].gpus);
  }
  if (all.empty() || frame.moments.empty()) return frame;
  const auto room = std::max<std::size_t>(most_gpus / frame.moments.size(), 1);
  frame.nodes = gpus <= room ? all : thin(all, std::max<std::size_t>(all.size() * room / gpus, 1));
  return frame;
}

std::vector<std::string> draw_map(const std::vector<simulate::GpuNode>& nodes,
                                  const MapFrame& frame, std::vector<Hold> holds) {
  choose_gpus(nodes, holds);
  std::vector<std::optional<std::size_t>> begin_of(nodes.size());
  std::size_t squares = 0;
  for (const auto node : frame.nodes) {
    begin_of[node] = squares;
    squares += static_cast<std::size_t>(nodes[node].gpus);
  }
  std::vector<std::string> pictures;
  for (const auto moment : frame.moments) {
    std::vector<Square> gpus(squares);
    for (const auto& hold : holds) {
      if (hold.from > moment) break;
      const auto& begin = begin_of[hold.node];
      if (hold.to <= moment || !begin) continue;
      for (std::size_t gpu = 0; std::cmp_less(gpu, nodes[hold.node].gpus); ++gpu) {
        if (((hold.gpus >> gpu) & 1U) != 0) gpus[*begin + gpu].add(hold.queue, hold.milli);
      }
    }
    std::string picture;
    for (const auto& gpu : gpus) picture += gpu.letter();
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

std::vector<Hold> holds_of(const simulate::Workload& workload, const simulate::JobsRun& run,
                           const std::vector<std::string>& queues) {
  if (workload.jobs.empty()) return {};
  const auto first = std::ranges::min(workload.jobs, {}, &simulate::TraceJob::submitted).submitted;
  std::vector<Hold> holds;
  for (const auto& stay : run.stays) {
    const auto& job = workload.jobs[stay.job];
    if (job.ask.gpus == 0) continue;
    holds.push_back({stay.node, stay.gpus, job.ask.gpus, job.ask.gpu_milli,
                     place_of(queues, job.queue), simulate::in_seconds(stay.from - first),
                     simulate::in_seconds(stay.to - first)});
  }
  return holds;
}

std::vector<Hold> holds_of(const simulate::Workload& workload, const simulate::ExperimentRun& run,
                           const simulate::ArrivalOrder& order,
                           const std::vector<std::string>& queues) {
  std::vector<Hold> holds;
  for (std::size_t i = 0; i < run.decisions.size(); ++i) {
    const auto& [node, gpus] = run.decisions[i];
    const auto& job = workload.jobs[order.jobs[i]];
    if (node < 0 || gpus == 0) continue;
    holds.push_back({static_cast<std::uint32_t>(node), gpus, job.ask.gpus, job.ask.gpu_milli,
                     place_of(queues, job.queue), static_cast<double>(i),
                     std::numeric_limits<double>::infinity()});
  }
  return holds;
}

}  // namespace dray::report
