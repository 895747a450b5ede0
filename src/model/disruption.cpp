#include "dray/model/disruption.h"

#include <algorithm>

namespace dray {
namespace {

bool holds(const LabelRequirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  const bool there = label != labels.end();
  if (requirement.op == "Exists") return there;
  if (requirement.op == "DoesNotExist") return !there;
  const bool listed =
      there && std::ranges::find(requirement.values, label->second) != requirement.values.end();
  if (requirement.op == "In") return listed;
  if (requirement.op == "NotIn") return !listed;
  return false;
}

}  // namespace

bool LabelSelector::matches(const Labels& labels) const {
  const bool equal = std::ranges::all_of(match_labels, [&](const auto& want) {
    const auto label = labels.find(want.first);
    return label != labels.end() && label->second == want.second;
  });
  return equal && std::ranges::all_of(match_expressions, [&](const auto& requirement) {
           return holds(requirement, labels);
         });
}

}  // namespace dray
