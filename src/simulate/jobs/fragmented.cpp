#include "simulate/jobs/fragmented.h"

#include <algorithm>
#include <numeric>

#include "dray/simulate/measures.h"
#include "simulate/place/setting.h"

namespace dray::simulate {
namespace {

std::vector<std::uint32_t> ranks(std::size_t nodes) {
  std::vector<std::uint32_t> all(nodes);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace

void FragmentedOverTime::saw(Duration now, double fragmented) {
  if (!changes_.empty() && changes_.back().first == now) {
    changes_.back().second = fragmented;
  } else if (changes_.empty() || changes_.back().second != fragmented) {
    changes_.emplace_back(now, fragmented);
  }
}

std::vector<double> FragmentedOverTime::curve(Duration first, Duration last,
                                              std::size_t parts) const {
  const auto length = in_seconds(last - first) / static_cast<double>(parts);
  if (changes_.empty() || length <= 0) return {};
  std::vector<double> curve(parts);
  const auto place = [&](Duration time) {
    return std::clamp(in_seconds(time - first) / length, 0.0, static_cast<double>(parts));
  };
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    auto from = place(changes_[i].first);
    const auto to = place(i + 1 < changes_.size() ? changes_[i + 1].first : last);
    const auto gpus = changes_[i].second / whole_gpu;
    for (auto part = static_cast<std::size_t>(from); part < parts && from < to; ++part) {
      const auto end = std::min(to, static_cast<double>(part + 1));
      curve[part] += (end - from) * gpus;
      from = end;
    }
  }
  return curve;
}

FilledNodes::FilledNodes(const Setting& setting)
    : setting_(setting),
      fleet_(setting.nodes(), ranks(setting.nodes().size()), setting.data().shapes, Strategy::fgd,
             0),
      spots_(setting.workload().jobs.size()) {}

void FilledNodes::started(std::size_t job, std::span<const Place> places) {
  const auto shape = setting_.data().shapes.of_jobs[job];
  for (const auto& place : places) {
    if (const auto spot = fleet_.hold(shape, place.node, place.gpus)) spots_[job].push_back(*spot);
  }
}

void FilledNodes::left(std::size_t job) {
  const auto shape = setting_.data().shapes.of_jobs[job];
  for (const auto& spot : spots_[job]) fleet_.give_back(shape, spot);
  spots_[job].clear();
}

}  // namespace dray::simulate
