#include "planner/device_policy.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planner/place/placement_strategy.h"

namespace dray::planner {

alloc::AllocatorOptions with_policy(alloc::AllocatorOptions options,
                                    const policy::PolicyConfig& config) {
  const auto& given = config.alignment;
  std::vector<alloc::AlignmentLevel> levels;
  const auto add = [&](const std::string& name, bool required) {
    const auto alias = given.aliases.find(name);
    const auto& attributes =
        alias == given.aliases.end() ? std::vector<std::string>{name} : alias->second;
    levels.push_back({.attributes = attributes, .required = required});
  };
  for (const auto& name : given.require) add(name, true);
  if (given.prefer) {
    for (const auto& name : *given.prefer) add(name, false);
  } else {
    levels.insert(levels.end(), options.alignment.begin(), options.alignment.end());
  }
  options.alignment = std::move(levels);
  if (const auto shares = share_placement(config.shares)) options.shares = *shares;
  return options;
}

}  // namespace dray::planner
