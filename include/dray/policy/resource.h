#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dray::policy {

/// What an amount of a resource is counted in, inside.
enum class ResourceUnit : std::uint8_t { millicores, bytes, devices };

/// One counted resource. cpu and memory are a node's; the others are counts of devices.
struct Resource {
  std::string name;
  ResourceUnit unit = ResourceUnit::devices;

  bool operator==(const Resource&) const = default;
};

/// The resources that a policy counts; an Amounts holds one number for each, in this order. The
/// order shows in messages only: the first resource that is exceeded is named.
using ResourceTable = std::vector<Resource>;

/// The place of the resource of that name in the table, if it is counted.
[[nodiscard]] std::optional<std::size_t> find_resource(const ResourceTable& table,
                                                       std::string_view name);

/// The amount in the unit that people read (cores, GB, devices): at most three decimals, cut;
/// `Unlimited` where there is no bound.
[[nodiscard]] std::string humanize(double amount, ResourceUnit unit);

/// `GPUs`, `CPU cores`, `memory`, or the resource's own name.
[[nodiscard]] std::string display_name(const Resource& resource);
/// What stands after a number of it: `GPUs`, `cores`, `GB`, or the resource's own name.
[[nodiscard]] std::string display_unit(const Resource& resource);

}  // namespace dray::policy
