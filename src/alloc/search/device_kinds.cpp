#include "alloc/search/device_kinds.h"

#include <functional>
#include <map>
#include <string>

namespace dray::alloc {

std::vector<std::uint32_t> device_kinds(const NodeView& view, const PreparedClaims& prepared,
                                        const CandidateTables& tables,
                                        const std::vector<bool>& failing, Scorer* scorer,
                                        const Spending* spending) {
  Bits alone(view.devices.size());
  for (std::size_t s = 0; s < failing.size(); ++s) {
    if (!failing[s]) continue;
    for (const auto device : tables.row(s).all) alone.set(device);
  }
  std::vector<std::uint32_t> kinds;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint64_t> key;
  for (std::uint32_t d = 0; d < view.devices.size(); ++d) {
    const auto& device = view.devices[d];
    key.clear();
    for (std::size_t s = 0; s < prepared.specs.size(); ++s) {
      const auto& row = tables.row(s);
      key.push_back(static_cast<std::uint64_t>(row.verdicts[d]) * 64 +
                    static_cast<std::uint64_t>(row.stages[d]));
      for (const auto* values : row.values) key.push_back((*values)[d]);
      if (const auto* plan = row.capacity[d]; plan != nullptr && tables.shareable(d)) {
        for (const auto amount : plan->taken) append(key, amount);
        for (const auto amount : plan->total) append(key, amount);
      }
    }
    key.push_back(tables.shareable(d) ? 1 : 0);
    if (device.use != nullptr || alone.test(d)) key.push_back(UINT64_MAX - d);
    for (const auto& take : device.counters) {
      key.push_back(take.row);
      append(key, take.amount);
    }
    for (const auto& take : device.groups) {
      key.push_back(take.set);
      for (const auto& group : take.groups) key.push_back(std::hash<std::string>{}(group));
    }
    if (scorer != nullptr) scorer->describe(d, key);
    if (spending != nullptr) spending->describe(d, key);
    const auto next = static_cast<std::uint32_t>(known.size());
    kinds.push_back(known.try_emplace(key, next).first->second);
  }
  return kinds;
}

}  // namespace dray::alloc
