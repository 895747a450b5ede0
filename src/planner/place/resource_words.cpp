#include "planner/place/resource_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "dray/base/quantity.h"

namespace dray::planner {

std::string amount_text(std::string_view resource, std::int64_t amount) {
  amount = std::max<std::int64_t>(amount, 0);
  if (resource == "cpu") return Quantity::from_milli(amount).to_string();
  constexpr std::int64_t gi = 1LL << 30;
  if (resource != "memory" && resource != "ephemeral-storage") return std::to_string(amount);
  return amount < gi / 8 ? fmt::format("{}Mi", amount >> 20)
                         : fmt::format("{:.4g}Gi", static_cast<double>(amount) / gi);
}

std::string wants_text(const cluster::NodeAllocatableLack& lack) {
  const auto amount = [&](std::int64_t of) { return amount_text(lack.resource, of); };
  if (lack.of_pod) {
    return fmt::format(
        "the pod's own budget (spec.resources) is {} of {}; its containers want {}, {} of it for "
        "their devices",
        amount(lack.left), lack.resource, amount(lack.wanted), amount(lack.devices));
  }
  auto said = fmt::format("wants {} of {}", amount(lack.wanted), lack.resource);
  if (lack.devices > 0) said += fmt::format(", {} of it for its devices", amount(lack.devices));
  return said;
}

std::string text(const cluster::NodeAllocatableLack& lack) {
  if (lack.of_pod) return wants_text(lack);
  return fmt::format("{}; the node has {} left", wants_text(lack),
                     amount_text(lack.resource, lack.left));
}

}  // namespace dray::planner
