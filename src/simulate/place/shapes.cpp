#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simulate/place/fleet.h"

namespace dray::simulate {
namespace {

constexpr std::size_t most_models = 63;

std::uint64_t bits_of(const std::vector<std::string>& wanted,
                      const std::vector<std::string>& models) {
  if (wanted.empty()) return ~std::uint64_t{0};
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (std::ranges::find(wanted, models[i]) != wanted.end()) bits |= std::uint64_t{1} << i;
  }
  return bits;
}

}  // namespace

Result<ShapeTable> make_shapes(const Workload& workload, const std::vector<GpuNode>& nodes) {
  std::set<std::string> models;
  for (const auto& node : nodes) models.insert(node.model);
  if (models.size() > most_models) {
    return fail(ErrorCode::unsupported, "nodes have more than 63 models of GPUs");
  }
  ShapeTable table;
  table.models.assign(models.begin(), models.end());
  std::map<PodAsk, ShapeIndex> known;
  std::vector<PodAsk> asks;
  std::vector<Shape> of_asks;
  for (const auto& job : workload.jobs) {
    const auto& ask = job.ask;
    const auto [at, added] = known.emplace(ask, table.shapes.size());
    if (added) {
      table.shapes.push_back({ask.milli_cpu, ask.memory_mib, ask.gpus, ask.gpu_milli,
                              bits_of(ask.models, table.models)});
    }
    table.of_jobs.push_back(at->second);
    asks.push_back(ask);
    of_asks.push_back(table.shapes[at->second]);
  }
  table.typical = typical_shapes(asks, of_asks);
  table.prices = SharePrices(table.typical);
  return table;
}

}  // namespace dray::simulate
