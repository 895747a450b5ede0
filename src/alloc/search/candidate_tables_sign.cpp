#include "alloc/search/candidate_tables.h"

namespace dray::alloc {
namespace {

void push(std::vector<std::uint64_t>& key, const std::string& text) {
  key.push_back(text.size());
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t j = i; j < text.size() && j < i + 8; ++j) {
      word = word << 8U | static_cast<unsigned char>(text[j]);
    }
    key.push_back(word);
  }
}

}  // namespace

void CandidateTables::sign(std::vector<std::uint64_t>& key) {
  key.reserve(key.size() + view_.devices.size() * (2 + 3 * rows_.size()) + 16);
  key.push_back(view_.devices.size());
  for (const auto& pool : view_.pools) {
    key.push_back((pool.last - pool.first) * 4U + (pool.incomplete ? 2U : 0U) +
                  (pool.invalid ? 1U : 0U));
  }
  for (const auto left : view_.counters) append(key, left);
  for (const auto row_pool : view_.row_pool) key.push_back(row_pool);
  for (const auto& set : view_.group_sets) {
    key.push_back((set.has_members ? 2U : 0U) + (set.all_empty ? 1U : 0U));
    for (const auto& group : set.groups) push(key, group);
  }
  for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
    const auto& device = view_.devices[d];
    key.push_back(device.counters.size() * 16U + device.groups.size() * 4U +
                  (shareable(d) ? 2U : 0U) + (shared_already(d) ? 1U : 0U));
    for (const auto& take : device.counters) {
      key.push_back(take.row);
      append(key, take.amount);
    }
    for (const auto& take : device.groups) {
      key.push_back(take.set);
      for (const auto& group : take.groups) push(key, group);
    }
  }
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const auto& row = rows_[s];
    key.push_back(row.all.size());
    for (std::uint32_t d = 0; d < row.verdicts.size(); ++d) {
      // What errs is met or not by whether the device is in use; explanations name the selector.
      key.push_back((static_cast<std::uint64_t>(row.verdicts[d]) * 16U +
                     static_cast<std::uint64_t>(row.stages[d])) *
                        1024U +
                    std::uint64_t{row.selectors[d]} * 2U + (row.visit.test(d) ? 1U : 0U));
      const auto* plan = row.capacity[d];
      if (plan == nullptr || !shareable(d)) continue;
      const auto& used = capacity_used(d);
      for (std::size_t i = 0; i < plan->taken.size(); ++i) {
        append(key, plan->taken[i]);
        append(key, plan->total[i] - used[i]);
      }
    }
    const auto& spec = prepared_.specs[s];
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const auto& constraint = *prepared_.claims[spec.claim].constraints[spec.constraints[i]];
      constraint.sign_candidates(*row.values[i], memory_.attributes, key);
    }
  }
}

}  // namespace dray::alloc
