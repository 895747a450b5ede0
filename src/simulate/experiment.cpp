#include "dray/simulate/experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/jobs/lacks.h"
#include "simulate/place/setting.h"

namespace dray::simulate {
namespace {

double two_decimals(double value) {
  return std::nearbyint(value * 100) / 100;
}

/// The demand that is the nearest whole percent of the capacity; of two, the even one.
std::size_t point_of(std::int64_t arrived, std::int64_t capacity) {
  const auto percent =
      std::nearbyint(100 * static_cast<double>(arrived) / static_cast<double>(capacity));
  return std::min(static_cast<std::size_t>(percent), demand_points - 1);
}

/// Sums until means are made of them.
void add(DemandPoint& point, const Fleet& fleet) {
  const auto capacity = static_cast<double>(fleet.capacity_gpu_milli());
  const auto used = static_cast<double>(fleet.used_gpu_milli());
  ++point.pods;
  point.allocated += two_decimals(100 * used / capacity);
  point.fragmented += 100 * two_decimals(fleet.fragmentation()) / capacity;
  if (used < capacity) {
    point.fragmented_idle += two_decimals(100 * fleet.fragmentation() / (capacity - used));
  }
}

void make_means(std::array<DemandPoint, demand_points>& points) {
  for (auto& point : points) {
    if (point.pods == 0) continue;
    const auto pods = static_cast<double>(point.pods);
    point.allocated /= pods;
    point.fragmented /= pods;
    point.fragmented_idle /= pods;
  }
}

}  // namespace

Result<Setting> Setting::make(std::vector<GpuNode> nodes, Workload workload) {
  return of({std::move(nodes), {}, {}}, std::move(workload));
}

Result<Setting> Setting::of(Cluster cluster, Workload workload) {
  auto shapes = make_shapes(workload, cluster.nodes);
  if (!shapes) return std::unexpected(shapes.error());
  Setting setting;
  setting.data_ =
      std::make_shared<const Data>(std::move(cluster), std::move(workload), std::move(*shapes));
  return setting;
}

const Cluster& Setting::cluster() const {
  return data_->cluster;
}

const std::vector<GpuNode>& Setting::nodes() const {
  return data_->cluster.nodes;
}

const Workload& Setting::workload() const {
  return data_->workload;
}

ExperimentRun run_experiment(const Setting& setting, const ArrivalOrder& order, Strategy strategy,
                             std::uint64_t seed) {
  const auto& data = setting.data();
  Fleet fleet(data.cluster.nodes, order.ranks, data.shapes, strategy, seed);
  ExperimentRun run;
  run.strategy = strategy;
  run.seed = seed;
  run.decisions.reserve(order.jobs.size());
  std::int64_t arrived = 0;
  std::vector<std::size_t> refused(data.shapes.shapes.size());
  for (const auto job : order.jobs) {
    const auto shape = data.shapes.of_jobs[job];
    const auto spot = fleet.place(shape);
    auto& decision = run.decisions.emplace_back();
    if (spot) {
      decision = {static_cast<std::int32_t>(spot->node), spot->gpus};
    } else {
      ++run.refused;
      ++refused[shape];
    }
    arrived += data.shapes.shapes[shape].total_gpu_milli();
    add(run.points[point_of(arrived, fleet.capacity_gpu_milli())], fleet);
  }
  make_means(run.points);
  run.allocated = 100 * static_cast<double>(fleet.used_gpu_milli()) /
                  static_cast<double>(fleet.capacity_gpu_milli());
  Lacks lacks;
  for (ShapeIndex shape = 0; shape < refused.size(); ++shape) {
    if (refused[shape] > 0) lacks.count(fleet, shape, 1, refused[shape]);
  }
  run.refused_for = lacks.take();
  return run;
}

}  // namespace dray::simulate
