#include "alloc/constraint/constraint.h"

#include <algorithm>

namespace dray::alloc {

std::optional<std::map<ValueId, Bits>> candidates_by_value(std::span<const Demand> demands,
                                                           const AttributeValues& values) {
  std::map<ValueId, Bits> found;
  for (const auto& demand : demands) {
    const auto& open = *demand.candidates;
    for (auto d = open.next(0); d < open.end(); d = open.next(d + 1)) {
      const auto value = (*demand.values)[d];
      if (!values.is_scalar(value)) return std::nullopt;
      found.try_emplace(value, Bits(demand.values->size())).first->second.set(d);
    }
  }
  return found;
}

void sign_by_equality(const std::vector<ValueId>& devices, const AttributeValues& values,
                      std::vector<std::uint64_t>& key) {
  std::vector<ValueId> seen;
  for (const auto id : devices) {
    if (id == 0 || id == value_error) {
      key.push_back(id);
      continue;
    }
    const auto& value = values.value(id);
    if (value.scalar) {
      const auto at = std::ranges::find(seen, id);
      key.push_back(1 + static_cast<std::uint64_t>(at - seen.begin()));
      if (at == seen.end()) seen.push_back(id);
      continue;
    }
    key.push_back(UINT64_MAX - 1);
    key.push_back(value.elements.size());
    key.insert(key.end(), value.elements.begin(), value.elements.end());
  }
}

void Constraint::sign_chosen(std::span<const ValueId> chosen, const AttributeValues& /*values*/,
                             std::vector<std::uint64_t>& key) const {
  key.insert(key.end(), chosen.begin(), chosen.end());
}

void Constraint::sign_candidates(const std::vector<ValueId>& devices,
                                 const AttributeValues& /*values*/,
                                 std::vector<std::uint64_t>& key) const {
  key.insert(key.end(), devices.begin(), devices.end());
}

bool Constraint::hopeless(std::span<const ValueId> /*chosen*/, std::span<Demand> /*demands*/,
                          const AttributeValues& /*values*/) const {
  return false;
}

std::optional<Together> Constraint::together(std::span<const Demand> /*demands*/,
                                             const AttributeValues& /*values*/) const {
  return std::nullopt;
}

std::optional<std::string> Constraint::warning(ValueId /*chosen*/,
                                               const AttributeValues& /*values*/) const {
  return std::nullopt;
}

}  // namespace dray::alloc
