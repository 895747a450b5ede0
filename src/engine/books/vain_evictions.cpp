#include "engine/books/vain_evictions.h"

namespace dray::engine {

void VainEvictions::made_room(const std::string& lineage) {
  workloads_.obtain(lineage).first.made_room = true;
  while (workloads_.size() > most) workloads_.erase_oldest();
}

bool VainEvictions::refused(const std::string& lineage, Time now) {
  auto* entry = workloads_.find(lineage);
  if (entry == nullptr || !entry->made_room) return false;
  if (now - entry->last > longest_pause) entry->in_vain = 0;
  entry->made_room = false;
  entry->last = now;
  if (++entry->in_vain < 2) return true;
  const auto pause = entry->in_vain < most_in_vain ? first_pause * (1 << (2 * (entry->in_vain - 2)))
                                                   : longest_pause;
  entry->until = now + pause;
  return true;
}

void VainEvictions::bound(const std::string& lineage) {
  if (auto* entry = workloads_.find(lineage)) *entry = {};
}

std::optional<Time> VainEvictions::paused_until(const std::string& lineage) {
  const auto* entry = workloads_.find(lineage);
  return entry == nullptr ? std::nullopt : entry->until;
}

}  // namespace dray::engine
