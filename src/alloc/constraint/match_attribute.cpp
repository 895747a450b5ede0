#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "alloc/constraint/kinds.h"

// matchAttribute: constraint.add of the structured allocator (matchAttributeConstraint).

namespace dray::alloc {
namespace {

class MatchAttribute final : public Constraint {
 public:
  MatchAttribute(std::string attribute, bool lists)
      : Constraint(std::move(attribute)), lists_(lists) {}

  [[nodiscard]] bool admits(std::span<const ValueId> chosen, ValueId next,
                            const AttributeValues& values) const override {
    if (next == 0) return false;
    const auto& value = values.value(next);
    if (!lists_) return chosen.empty() || (next == chosen.front() && value.scalar);
    return std::ranges::any_of(value.elements, [&](auto element) {
      return std::ranges::all_of(chosen, [&](ValueId other) {
        return std::ranges::binary_search(values.value(other).elements, element);
      });
    });
  }

  void sign_chosen(std::span<const ValueId> chosen, const AttributeValues& values,
                   std::vector<std::uint64_t>& key) const override {
    if (chosen.empty()) return;
    if (!lists_) {
      key.push_back(chosen.front());
      return;
    }
    auto common = values.value(chosen.front()).elements;
    for (const auto other : chosen.subspan(1)) {
      std::vector<std::uint32_t> both;
      std::ranges::set_intersection(common, values.value(other).elements, std::back_inserter(both));
      common = std::move(both);
    }
    key.insert(key.end(), common.begin(), common.end());
  }

  void sign_candidates(const std::vector<ValueId>& devices, const AttributeValues& values,
                       std::vector<std::uint64_t>& key) const override {
    sign_by_equality(devices, values, key);
  }

  /// Whether no value is left with which all can be served. Takes out the devices whose value is of
  /// no use. Once a value is chosen, admits() has left nothing else.
  [[nodiscard]] bool hopeless(std::span<const ValueId> chosen, std::span<Demand> demands,
                              const AttributeValues& values) const override {
    if (!chosen.empty()) return false;
    const auto by_value = candidates_by_value(demands, values);
    if (!by_value) return false;
    Bits good(demands.front().values->size());
    for (const auto& [value, devices] : *by_value) {
      const bool enough = std::ranges::all_of(demands, [&](const Demand& demand) {
        return std::cmp_greater_equal(demand.candidates->count_common(devices), demand.count);
      });
      if (enough) good |= devices;
    }
    return std::ranges::any_of(demands, [&](const Demand& demand) {
      *demand.candidates &= good;
      return demand.candidates->none() && demand.count > 0;
    });
  }

  [[nodiscard]] std::optional<Together> together(std::span<const Demand> demands,
                                                 const AttributeValues& values) const override {
    const auto by_value = candidates_by_value(demands, values);
    if (!by_value) return std::nullopt;
    std::int64_t wanted = 0;
    for (const auto& demand : demands) wanted += demand.count;
    std::int64_t most = 0;
    for (const auto& [value, devices] : *by_value) {
      std::int64_t sum = 0;
      for (const auto& demand : demands) {
        const auto there = static_cast<std::int64_t>(demand.candidates->count_common(devices));
        sum += std::min(there, demand.count);
      }
      most = std::max(most, std::min(sum, static_cast<std::int64_t>(devices.count())));
    }
    return Together{wanted, most, "share one " + attribute()};
  }

  /// `false NUMA alignment: -1 means unknown (dra.net/numaNode)`.
  [[nodiscard]] std::optional<std::string> warning(ValueId chosen,
                                                   const AttributeValues& values) const override {
    if (!values.stands_for_unknown(chosen)) return std::nullopt;
    const auto has = [&](std::string_view word) {
      return attribute().find(word) != std::string::npos;
    };
    const auto* place = has("numa") ? "NUMA " : has("pcie") ? "PCIe " : "";
    const auto value = values.text(chosen).value_or("");
    return fmt::format("false {}alignment: {} means unknown ({})", place,
                       value.empty() ? "an empty value" : value, attribute());
  }

 private:
  bool lists_;
};

}  // namespace

std::unique_ptr<const Constraint> match_attribute(std::string attribute, const Features& features) {
  return std::make_unique<MatchAttribute>(std::move(attribute), features.list_type_attributes);
}

}  // namespace dray::alloc
