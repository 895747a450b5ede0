#include "dray/alloc/pool_faults.h"

#include <vector>

#include <fmt/format.h>

#include "alloc/view/node_view.h"
#include "dray/base/count_of.h"

namespace dray::alloc {
namespace {

constexpr std::size_t most_told = 2;

std::string fault_of(const ViewPool& pool) {
  if (pool.invalid) return fmt::format("pool {} has {}", pool.id(), pool.fault);
  return fmt::format("pool {} has {} of generation {}, of which there are to be {}", pool.id(),
                     count_of(pool.slices, "slice"), pool.generation, pool.promised);
}

}  // namespace

std::string pool_faults(const cluster::AllocatedState& state, cluster::NodeIndex node,
                        const Features& features) {
  const auto view = gather(state, node, features);
  if (!view) return {};
  std::string told;
  std::size_t faulty = 0;
  for (const auto& pool : view->pools) {
    if (pool.usable() || ++faulty > most_told) continue;
    told += (told.empty() ? "" : "; ") + fault_of(pool);
  }
  if (faulty == 0) return {};
  if (faulty > most_told) told += fmt::format("; {} more are faulty", faulty - most_told);
  return fmt::format("{}, so {} devices do not count", told, faulty == 1 ? "its" : "their");
}

}  // namespace dray::alloc
