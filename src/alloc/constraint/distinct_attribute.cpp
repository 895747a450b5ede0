#include <algorithm>
#include <memory>
#include <utility>

#include "alloc/constraint/kinds.h"

// distinctAttribute: constraint.add of the structured allocator (distinctAttributeConstraint).

namespace dray::alloc {
namespace {

class DistinctAttribute final : public Constraint {
 public:
  DistinctAttribute(std::string attribute, bool lists)
      : Constraint(std::move(attribute)), lists_(lists) {}

  [[nodiscard]] bool admits(std::span<const ValueId> chosen, ValueId next,
                            const AttributeValues& values) const override {
    if (next == 0) return false;
    const auto& value = values.value(next);
    if (!lists_) {
      return chosen.empty() || (value.scalar && std::ranges::find(chosen, next) == chosen.end());
    }
    return !value.elements.empty() && std::ranges::none_of(chosen, [&](ValueId other) {
      return std::ranges::any_of(value.elements, [&](auto element) {
        return std::ranges::binary_search(values.value(other).elements, element);
      });
    });
  }

  void sign_chosen(std::span<const ValueId> chosen, const AttributeValues& /*values*/,
                   std::vector<std::uint64_t>& key) const override {
    std::vector<ValueId> sorted(chosen.begin(), chosen.end());
    std::ranges::sort(sorted);
    key.insert(key.end(), sorted.begin(), sorted.end());
  }

  void sign_candidates(const std::vector<ValueId>& devices, const AttributeValues& values,
                       std::vector<std::uint64_t>& key) const override {
    sign_by_equality(devices, values, key);
  }

  /// Whether there are fewer values than devices wanted.
  [[nodiscard]] bool hopeless(std::span<const ValueId> /*chosen*/, std::span<Demand> demands,
                              const AttributeValues& values) const override {
    const auto by_value = candidates_by_value(demands, values);
    return by_value && std::cmp_less(by_value->size(), total(demands));
  }

  [[nodiscard]] std::optional<Together> together(std::span<const Demand> demands,
                                                 const AttributeValues& values) const override {
    const auto by_value = candidates_by_value(demands, values);
    if (!by_value) return std::nullopt;
    const auto wanted = total(demands);
    return Together{wanted, std::min(wanted, static_cast<std::int64_t>(by_value->size())),
                    "differ in " + attribute()};
  }

 private:
  [[nodiscard]] static std::int64_t total(std::span<const Demand> demands) {
    std::int64_t sum = 0;
    for (const auto& demand : demands) sum += demand.count;
    return sum;
  }

  bool lists_;
};

}  // namespace

std::unique_ptr<const Constraint> distinct_attribute(std::string attribute,
                                                     const Features& features) {
  return std::make_unique<DistinctAttribute>(std::move(attribute), features.list_type_attributes);
}

}  // namespace dray::alloc
